/// An entry of `revocation_lists`: a certificate revocation list of the authority.
struct RevocationListEntry: Decodable {
    private enum Signer: String, CaseIterable { case leaf, intermediate, root }
    private enum Kind: String, CaseIterable { case complete, delta, indirect }
    private enum Reason: String, CaseIterable {
        case unspecified
        case keyCompromise = "key-compromise"
        case authorityCompromise = "ca-compromise"
        case affiliationChanged = "affiliation-changed"
        case superseded
        case cessationOfOperation = "cessation-of-operation"
        case certificateHold = "certificate-hold"
        /// The number 7 is not used (RFC 5280, 5.3.1).
        case unused
        case removeFromCRL = "remove-from-crl"
        case privilegeWithdrawn = "privilege-withdrawn"
        case attributeAuthorityCompromise = "aa-compromise"

        var number: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }
    }

    private struct Revoked: Decodable {
        var entry: RevocationListProfile.Entry

        init(from decoder: any Decoder) throws {
            var object = try SpecificationObject(decoder)
            var serialNumber: [UInt8]?
            try object.takeHex("serial", &serialNumber)
            guard let serialNumber else { throw object.error("serial", "missing") }
            let date = try RevocationListEntry.date("date", of: &object)
            var reason = Reason.unspecified
            try object.takeName("reason", &reason)
            let invalidity = object.contains("invalidity_date")
            // A positive INTEGER needs a leading zero octet if its first bit is set.
            entry = RevocationListProfile.Entry(
                (serialNumber.first ?? 0 >= 0x80 ? [0] : []) + serialNumber, date: date,
                reason: object.contains("reason") ? reason.number : nil,
                invalidityDate: invalidity
                    ? try RevocationListEntry.date("invalidity_date", of: &object) : nil)
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
        try object.takeName("encoding", &encoding)
        try object.takeName("signer", &signer)
        if object.contains("this_update") { profile.thisUpdate = try Self.date("this_update", of: &object) }
        let next: String? = try object.value("next_update")
        if next != nil {
            profile.nextUpdate = try Self.date("next_update", of: &object)
        } else if object.contains("next_update") {
            profile.nextUpdate = nil
        }
        profile.entries = try object.value("revoked", as: [Revoked].self)?.map(\.entry) ?? []
        try object.take("fillers", &profile.fillers)
        guard (0...2_000_000).contains(profile.fillers) else {
            throw object.error("fillers", "must be a number from 0 to 2000000")
        }
        var kind = Kind.complete
        try object.takeName("kind", &kind)
        switch kind {
        case .complete: break
        case .delta: profile.extensions.append(.deltaCRLIndicator(base: 1))
        case .indirect: profile.extensions.append(.issuingDistributionPoint(flags: [4]))
        }
        try object.nested("chain") { try chain.read(&$0) }
        try object.finish()
    }

    private static func date(_ field: String, of object: inout SpecificationObject) throws -> String {
        let date: String = try object.required(field)
        guard UTCDate.seconds(date) != nil else {
            throw object.error(field, "not an RFC 3339 date, for example 2040-01-01T00:00:00Z")
        }
        return date
    }

    /// Returns the contents of the file.
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
