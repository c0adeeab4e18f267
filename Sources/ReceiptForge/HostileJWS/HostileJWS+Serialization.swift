// The compact serialization: exactly three parts in base64url and two periods.
extension HostileJWS {
    static let serialization: [HostileJWS] = [
        parts("jws-one-part", "only the header") { $0 = [$0[0]] },
        parts("jws-two-parts", "no signature and no second period") { $0.removeLast() },
        parts("jws-four-parts", "a fourth part") { $0.append("AA") },
        parts("jws-five-parts", "five parts, like a JWE") { $0 += ["AA", "AA"] },
        parts("jws-period-behind", "a period after the signature") { $0.append("") },
        parts("jws-period-before", "a period before the header") { $0.insert("", at: 0) },
        parts("jws-header-missing", "an empty header") { $0[0] = "" },
        parts("jws-payload-missing", "an empty payload, as if it were detached") { $0[1] = "" },
        parts("jws-payload-and-signature-swapped", "payload and signature swapped") { $0.swapAt(1, 2) },
        parts("jws-flattened", "the flattened JSON serialization (RFC 7515, 7.2.2)") { parts in
            parts = [#"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#]
        },
        parts("jws-general", "the general JSON serialization (RFC 7515, 7.2.1)") { parts in
            parts = [
                #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
            ]
        },
        parts("jws-header-padded", "padding after the header") { $0[0] += "=" },
        parts("jws-payload-padded", "padding after the payload") { $0[1] += "==" },
        parts("jws-signature-padded-text", "padding after the signature") { $0[2] += "==" },
        parts("jws-plus", "a plus sign in the payload") { $0[1].replaceCharacter(at: 8, with: "+") },
        parts("jws-slash", "a slash in the payload") { $0[1].replaceCharacter(at: 8, with: "/") },
        parts("jws-blank-inside", "a space in the payload") { $0[1].replaceCharacter(at: 8, with: " ") },
        parts("jws-line-break-inside", "a line break in the payload") {
            $0[1].insert("\n", at: $0[1].index($0[1].startIndex, offsetBy: 76))
        },
        parts("jws-nul-inside", "a NUL in the payload") { $0[1].replaceCharacter(at: 8, with: "\0") },
        parts("jws-letter-of-greek", "a letter that looks like an A") {
            $0[1].replaceCharacter(at: 8, with: "Α")
        },
        parts("jws-signature-stray-bits", "nonzero unused bits after the last byte of the signature") {
            $0[2].setStrayBit()
        },
        parts("jws-payload-of-one-letter-more", "a letter after the payload") {
            // A base64 text is never one character longer than a multiple of four.
            $0[1] += String(repeating: "A", count: (5 - $0[1].utf8.count % 4) % 4)
        },
        text("jws-blank-before", "a space before the JWS", .malformed, or: [.genuine]) { $0 = " " + $0 },
        text("jws-blank-behind", "a space after the JWS", .malformed, or: [.genuine]) { $0 += " " },
        text("jws-nul-behind", "a NUL after the JWS") { $0 += "\0" },
        text("jws-bom", "a byte order mark before the JWS") { $0 = "\u{FEFF}" + $0 },
        text("jws-quoted", "the JWS in quotation marks") { $0 = "\"\($0)\"" },
        text("jws-bearer", "the word Bearer before the JWS") { $0 = "Bearer " + $0 },
        text("jws-percent", "percent-encoded periods") { $0 = $0.replacing(".", with: "%2E") },
        text("jws-wide-periods", "full-width periods") { $0 = $0.replacing(".", with: "．") },
        text("jws-in-base64", "base64 of the JWS") { $0 = Base64.text(Array($0.utf8)) },
        text("jws-twice", "the JWS twice, without a separator") { $0 += $0 },
        text("jws-two-lines", "two JWS on two lines") { $0 += "\n" + $0 },
        text("jws-in-capitals", "the JWS in upper case") { $0 = $0.uppercased() },
        text("jws-empty", "nothing", .malformed) { $0 = "" },
        text("jws-periods-alone", "only two periods") { $0 = ".." },
        text("jws-too-long", "two megabytes after the JWS", .tooLarge, or: [.malformed]) {
            $0 += String(repeating: "A", count: 2 << 20)
        },
    ]
}

extension String {
    fileprivate mutating func replaceCharacter(at offset: Int, with character: Character) {
        let index = index(startIndex, offsetBy: offset)
        replaceSubrange(index...index, with: [character])
    }

    /// Sets the lowest bit of the last character before the padding. If the text needs padding, this bit is
    /// unused.
    mutating func setStrayBit() {
        let padding = reversed().prefix { $0 == "=" }.count
        guard let last = utf8.dropLast(padding).last else { return }
        let alphabet = Base64.standard.contains(last) ? Base64.standard : Array(Base64.urlSafe)
        guard let value = alphabet.firstIndex(of: last) else { return }
        removeLast(padding + 1)
        self +=
            String(decoding: [alphabet[value | 1]], as: UTF8.self) + String(repeating: "=", count: padding)
    }
}
