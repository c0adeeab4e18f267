/// An entry of `revocation_lists`: a certificate revocation list of the authority.
struct RevocationListEntry: Decodable, SpecificationEntry {
    private enum Signer: String, CaseIterable { case leaf, intermediate, root }
    private enum Kind: String, CaseIterable { case complete, delta, indirect }
    /// The reasons by number. The number 7 is not used (RFC 5280, 5.3.1).
    private static let reasons = [
        "unspecified", "key-compromise", "ca-compromise", "affiliation-changed", "superseded",
        "cessation-of-operation", "certificate-hold", "unused", "remove-from-crl", "privilege-withdrawn",
        "aa-compromise",
    ]

    private struct Revoked: Decodable {
        var entry: RevocationListProfile.Entry

        init(from decoder: any Decoder) throws {
            var object = try SpecificationObject(decoder)
            var serialNumber: [UInt8]?
            try object.takeHex("serial", &serialNumber)
            guard let serialNumber else { throw object.error("serial", "missing") }
            let date = try object.validDate("date")
            let reason = try object.choice("reason", of: reasons).flatMap(reasons.firstIndex) ?? 0
            // A positive INTEGER needs a leading zero octet if its first bit is set.
            entry = RevocationListProfile.Entry(
                (serialNumber.first ?? 0 >= 0x80 ? [0] : []) + serialNumber, date: date,
                reason: object.contains("reason") ? UInt8(reason) : nil,
                invalidityDate: object.contains("invalidity_date")
                    ? try object.validDate("invalidity_date") : nil)
            try object.finish()
        }
    }

    let name: String
    private var encoding = ReceiptEncoding.der
    private var signer = Signer.intermediate
    private var chain = ChainSpecification()
    private var profile = RevocationListProfile()

    var fileName: String { "\(name).\(encoding == .der ? "crl" : encoding.fileExtension)" }

    init(from decoder: any Decoder) throws {
        var object = try SpecificationObject(decoder)
        name = try object.fileName()
        _ = try object.value("story", as: String.self)
        encoding = try object.named("encoding") ?? encoding
        signer = try object.named("signer") ?? signer
        if object.contains("this_update") { profile.thisUpdate = try object.validDate("this_update") }
        try object.takeValidDate("next_update", &profile.nextUpdate)
        profile.entries = try object.value("revoked", as: [Revoked].self)?.map(\.entry) ?? []
        try object.take("fillers", &profile.fillers)
        guard (0...2_000_000).contains(profile.fillers) else {
            throw object.error("fillers", "must be a number from 0 to 2000000")
        }
        switch try object.named("kind") ?? Kind.complete {
        case .complete: break
        case .delta: profile.extensions.append(.deltaCRLIndicator(base: 1))
        case .indirect: profile.extensions.append(.issuingDistributionPoint(flags: [4]))
        }
        try object.nested("chain") { try chain.read(&$0) }
        try object.finish()
    }

    func forge(_ shared: ChainSpecification) throws(ForgeError) -> [UInt8] {
        let authority = try chain.authority(over: shared)
        let identity =
            switch signer {
            case .leaf: authority.leaf
            case .intermediate: authority.intermediate ?? authority.root
            case .root: authority.root
            }
        return encoding.encode(try profile.signed(by: identity), label: "X509 CRL")
    }
}
