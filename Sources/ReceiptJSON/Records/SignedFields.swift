package import AppReceipt

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Span<UInt8> {
    /// Whether a record may have members of the App Store Server API's names: a look that costs nothing beside reading it.
    /// An escape may stand for any letter of a name.
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

    /// The values of members of the App Store Server API's names, at any depth; nil where there is none.
    /// - Throws: a ``Refusal`` with code `too_large`.
    package func signedMembers(_ limits: ReceiptLimits) throws(Refusal) -> [APIAnswer.Element]? {
        do throws(ReceiptError) {
            return try APIAnswer(parsing: copy(0..<count), limits: limits).elements
        } catch {
            guard error.code != .tooLarge else { throw Refusal(error) }
            return nil
        }
    }

    /// Whether anything stands in members of the App Store Server API's names, too much of it included.
    package func hasSignedMembers(_ limits: ReceiptLimits) -> Bool {
        do throws(Refusal) { return try signedMembers(limits) != nil } catch { return true }
    }

    /// Whether it begins with the header of a JWS, base64url of `{"`, or of `{` and white space, and has a period.
    package var beginsLikeJWS: Bool {
        guard count > 2, self[0] == UInt8(ascii: "e") else { return false }
        return (self[1] == UInt8(ascii: "y") || self[1] == UInt8(ascii: "w")) && index(of: ".") < count
    }
}
