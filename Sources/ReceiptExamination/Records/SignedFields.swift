package import AppReceipt
import SystemLibrary

extension Span<UInt8> {
    /// Whether a record may have members with names of the App Store Server API. The check is much faster
    /// than parsing. A record with an escape passes, because the escape may be a letter of such a name.
    package var mayHoldSignedMembers: Bool {
        holds("\"signed") || holds("\"data\"") || holds("\\u")
    }

    private func holds(_ word: StaticString) -> Bool {
        unsafe withUnsafeBytes { text in
            guard let base = text.baseAddress else { return false }
            let length = word.utf8CodeUnitCount
            var index = 0
            while text.count - index >= length {
                let rest = unsafe base + index
                guard let found = unsafe memchr(rest, Int32(word.utf8Start.pointee), text.count - index)
                else {
                    break
                }
                index += unsafe UnsafeRawPointer(found) - rest
                if unsafe text.count - index >= length && memcmp(found, word.utf8Start, length) == 0 {
                    return true
                }
                index += 1
            }
            return false
        }
    }

    /// Returns the values of members with names of the App Store Server API, at any depth, or nil if there
    /// are none.
    /// - Throws: `ReceiptError` with code `too_large`.
    package func signedMembers(_ limits: ReceiptLimits) throws(ReceiptError) -> APIAnswer? {
        do throws(ReceiptError) {
            return try APIAnswer(parsing: copy(0..<count), limits: limits)
        } catch {
            guard error.code != .tooLarge else { throw error }
            return nil
        }
    }

    /// Returns whether there are members with names of the App Store Server API, even if they exceed the
    /// limits.
    package func hasSignedMembers(_ limits: ReceiptLimits) -> Bool {
        do throws(ReceiptError) { return try signedMembers(limits) != nil } catch { return true }
    }

    /// Whether the text contains a period and begins with a JWS header: the base64url of `{"`, or of `{` and
    /// white space.
    package var beginsLikeJWS: Bool {
        guard count > 2, self[0] == UInt8(ascii: "e") else { return false }
        return (self[1] == UInt8(ascii: "y") || self[1] == UInt8(ascii: "w")) && index(of: ".") < count
    }
}
