import AppReceipt
import ReceiptASN1
import ReceiptExamination

/// The report on a receipt for people.
package struct VerificationReport {
    let style: TerminalStyle
    /// The maximum width of a table of purchases, in columns.
    let width: Int
    /// Whether only Apple's roots are trusted. A refusal then names the options for other roots.
    var isTrustingAppleAlone = false

    /// Returns a report without color, which has the same width on every machine.
    package static func plain(isTrustingAppleAlone: Bool) -> VerificationReport {
        VerificationReport(
            style: TerminalStyle(isColored: false), width: 120, isTrustingAppleAlone: isTrustingAppleAlone)
    }

    /// Returns a line with a label and a value. Values come from untrusted input, so this function escapes
    /// and shortens them.
    func line(_ label: String, _ value: String, _ color: TerminalStyle.Color? = nil) -> String {
        let text = value.shown
        return "  \(style(label.padded(to: 13), .dim)) \(color.map { style(text, $0) } ?? text)\n"
    }

    // MARK: - Genuine

    /// Returns app, environment, day and number of purchases.
    func digest(of receipt: VerifiedReceipt) -> String {
        let payload = receipt.payload
        let environment = payload.environment?.rawValue ?? "no environment"
        return
            ": \(payload.bundleID.printable.shortened(to: 100)), \(environment), \(payload.creationDate.day), "
            + "purchases: \(payload.inAppPurchases.count)"
    }

    func text(of receipt: VerifiedReceipt) -> String {
        let payload = receipt.payload
        var text = ""
        if let reservation = receipt.realm.reservation { text += line("trust", reservation, .yellow) }
        text += line("app", app(payload))
        if let reservation = receipt.environmentReservation {
            text += line("environment", reservation, .yellow)
        } else {
            text += line("environment", "Production")
        }
        text += line("created", payload.creationDate.readable)
        if let date = payload.originalPurchaseDate { text += line("first bought", date.readable) }
        if let date = payload.expirationDate { text += line("expires", date.readable) }
        text += signature(of: receipt) + revocation(of: receipt.revocation)
        for leniency in receipt.leniencies.phrases { text += line("not DER", leniency) }
        return text + purchases(of: payload)
    }

    func headline(realm: TrustAnchorKind, _ source: String) -> String {
        switch realm {
        case .appStore: "\(style("GENUINE", .green)) \(source)"
        case .storeKitTest, .custom: "\(style("GENUINE, BUT NOT APPLE'S", .yellow)) \(source)"
        }
    }

    private func app(_ payload: ReceiptPayload) -> String {
        var text = payload.bundleID
        if let version = payload.applicationVersion { text += "  version \(version)" }
        if let original = payload.originalApplicationVersion { text += "  (first installed: \(original))" }
        return text
    }

    private func signature(of receipt: VerifiedReceipt) -> String {
        guard let signer = receipt.certificates.first else { return "" }
        return line("signed by", signer.subject)
            + line(
                "",
                "\(receipt.digestAlgorithm.readable), certificate valid \(signer.notBefore.day) to \(signer.notAfter.day)"
            )
    }

    func revocation(of status: RevocationStatus) -> String {
        let isWarning = status.outcome == .noInformation || !status.caveats.isEmpty
        return line("revocation", status.description, isWarning ? .yellow : nil)
    }

    private func purchases(of payload: ReceiptPayload) -> String {
        let purchases = payload.inAppPurchases
        guard !purchases.isEmpty else { return line("purchases", "none") }
        let products = Set(purchases.map(\.productID)).count
        let count = "\(purchases.count)\(products < purchases.count ? ", products: \(products)" : "")"
        let table = PurchaseTable(purchases)
        return line("purchases", count + (purchases.count > 1 ? ", oldest first" : ""))
            + "\n" + table.text(style: style, width: width)
    }

    // MARK: - Refused

    func headline(of refusal: ReceiptError, from source: String) -> String {
        let message = refusal.message.shown
        guard refusal.code != .unreadable else {
            return "\(style("UNREADABLE", .red)) \(source): \(message)\n"
        }
        let place = refusal.offset.map { " at byte \($0)" } ?? ""
        return "\(style("REFUSED", .red)) \(source): \(refusal.code.rawValue)\(place): \(message)\n"
    }

    /// Returns the explanation of a refusal. The receipt's content is omitted, because it is not verified.
    func text(of refusal: ReceiptError, format: SignedFormat?) -> String {
        guard let meaning = refusal.code.meaning(for: format) else { return "" }
        var text = line("meaning", meaning)
        if let field = refusal.field { text += line("field", field) }
        if let certificate = refusal.certificate {
            text += line(
                "certificate", "valid \(certificate.notBefore.readable) to \(certificate.notAfter.readable)")
            text += line("", "issued by \(certificate.issuer)")
        }
        if let advice = advice(on: refusal, format: format) { text += line("advice", advice) }
        return text
    }

    /// Returns advice on test receipts, which name their authority. No verdict depends on that name.
    private func advice(on refusal: ReceiptError, format: SignedFormat?) -> String? {
        guard isTrustingAppleAlone, refusal.code == .untrustedChain else { return nil }
        let ownRoot =
            "to trust your own test authority, use --root FILE; genuine then does not mean Apple's"
        // The last certificate is not Apple's. Xcode signs with a chain of one certificate.
        switch (format, refusal.field) {
        case (.jws, "header.x5c[0]"):
            return "to trust your own Xcode, use --storekit-test-root FILE with the certificate in its header"
        case (.jws, "header.x5c[2]"): return ownRoot
        default: break
        }
        guard let issuer = refusal.certificate?.issuer else { return nil }
        if issuer.contains("StoreKit Test") {
            return
                "to trust your own Xcode, use --storekit-test-root FILE with the certificate that Xcode exports"
        }
        return issuer.contains("O=Apple") ? nil : ownRoot
    }
}

extension ReceiptError.Code {
    /// Returns the meaning of the code in plain words.
    fileprivate func meaning(for format: SignedFormat?) -> String? {
        let (one, many) =
            switch format {
            case .jws: ("JWS of the App Store", "its JWS")
            case .transactionReceipt: ("transactionReceipt", "transactionReceipts")
            case .pkcs7, nil: ("receipt", "receipts")
            }
        return switch self {
        case .malformed: "not a \(one), or damaged"
        case .tooLarge: "larger than any known genuine \(one)"
        case .untrustedChain: "the certificate chain does not lead to a trusted root"
        case .wrongPurpose: "Apple does not sign \(many) with this kind of certificate"
        case .badSignature: "the content was altered after it was signed"
        case .revoked: "a certificate was revoked, or you distrust it"
        case .revocationUnknown:
            "no revocation list shows the status of a certificate, and --revocation is require"
        case .wrongBundleID: "genuine, but for an app that the policy does not accept, or it names no app"
        case .wrongEnvironment: "genuine, but from an environment that the policy does not accept"
        case .wrongDevice: "genuine, but for another device"
        case .unreadable: nil
        }
    }
}

extension DigestAlgorithm {
    fileprivate var readable: String { "SHA-\(rawValue.dropFirst(3))" }
}

extension ASN1Leniencies {
    fileprivate var phrases: [String] {
        let all: [(ASN1Leniencies, String)] = [
            (.indefiniteLength, "elements of indefinite length, as Xcode writes them"),
            (.constructedOctetString, "content in chunks, as Xcode writes it"),
            (.nonMinimalLength, "lengths with more octets than they need"),
            (.nonMinimalInteger, "integers with more octets than they need"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

extension Timestamp {
    var day: Substring { rfc3339.prefix(10) }

    /// `2023-08-28 10:24:05 UTC`
    var readable: String {
        let text = rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast()) UTC"
    }
}
