import ReceiptForge

@testable import AppReceipt

/// Receipts of the test authority, and lists of its intermediate and root. A receipt's leaf has the serial number
/// 7e570001.
struct RevocationBench {
    let authority: Authority

    static let leaf: [UInt8] = [0x7E, 0x57, 0x00, 0x01]
    static let intermediate: [UInt8] = [0x5E, 0xED]

    init(_ authority: Authority? = nil) throws { self.authority = try authority ?? .test() }

    /// Returns a receipt of that date.
    func receipt(at date: String = "2024-06-01T00:00:00Z") throws -> [UInt8] {
        var recipe = ReceiptRecipe(authority: authority)
        recipe.content.creationDate = date
        return try recipe.forge().bytes
    }

    /// Returns a list of the intermediate, which signs the leaf.
    func list(_ profile: RevocationListProfile = RevocationListProfile()) throws -> RevocationList {
        try RevocationList(
            parsing: profile.signed(by: authority.intermediate ?? authority.root), name: "leaves")
    }

    /// Returns a list of the root, which signs the intermediate.
    func rootList(_ profile: RevocationListProfile = RevocationListProfile()) throws -> RevocationList {
        try RevocationList(parsing: profile.signed(by: authority.root), name: "intermediates")
    }

    func verifier(
        _ lists: [RevocationList], distrust: DistrustList? = nil, policy: RevocationPolicy = .check
    ) throws -> ReceiptVerifier {
        try ReceiptVerifier(
            anchors: .custom(authority.root.certificate.der),
            revocation: RevocationSettings(lists: lists, distrust: distrust, policy: policy))
    }

    /// Returns the status, or the code of the refusal, of a receipt of that date.
    func answer(
        _ verifier: ReceiptVerifier, at date: String = "2024-06-01T00:00:00Z"
    ) throws -> String {
        let input = try receipt(at: date)
        do throws(ReceiptError) {
            let receipt = try verifier.verify(input, for: .any)
            return receipt.revocation.text
        } catch {
            return error.code.rawValue
        }
    }
}

extension RevocationStatus {
    /// The outcome, its date and the caveats.
    var text: String {
        ([outcome.rawValue] + (asOf.map { [String($0.rfc3339.prefix(10))] } ?? []) + caveats.map(\.rawValue))
            .joined(separator: " ")
    }
}
