#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A JSON description of receipts and JWS, the input of `appreceipt forge`.
///
/// ```json
/// {"authority": {"leaf": {"not_after": "2030-01-01T00:00:00Z"}},
///  "receipts": [
///    {"name": "a-trial", "story": "one line for the reader", "encoding": "base64",
///     "receipt": {"bundle_id": "com.example.app", "receipt_creation_date": "2024-06-01T10:00:00Z",
///       "in_app": [{"product_id": "com.example.app.monthly", "transaction_id": "100001",
///         "purchase_date": "2024-05-30T10:00:00Z", "expires_date": "2024-06-06T10:00:00Z",
///         "is_trial_period": true}]}},
///    {"name": "a-forgery", "hostile": "content-replaced"},
///    {"name": "a-renewal", "transaction": {"productId": "com.example.app.yearly"}},
///    {"name": "a-notice", "notification": {"data": {"signedRenewalInfo": {"autoRenewStatus": 0}}}},
///    {"name": "an-unsigned-one", "hostile": "jws-alg-none"}]}
/// ```
///
/// Every field of an entry except `name` is optional. An entry has at most one of the fields that select its
/// kind (`receipt`, a JWS payload, `answer`, `transaction_receipt`):
/// - `name`, `story`. Also `encoding`, a ``ReceiptEncoding`` for receipts, and `hostile`, the ID of a
///   ``HostileVariant`` or a ``HostileJWS``.
/// - `receipt`: the object of `appreceipt verify --json`. Omitted fields are as in a genuine receipt of that
///   `receipt_type`. Null omits an attribute, and a null date is the empty string. Additional fields are
///   `device_id` (in hexadecimal, for attribute 5) and `sorted`. Receipts and purchases also have `unknown`
///   (replaces the attributes of unknown meaning), `extra` (adds any attributes) and `omit` (types to omit).
///   A purchase with `"repeat": {"count": 12, "days": 30}` stands for as many periods.
/// - `container`: `digest`, `signed_attributes`, `signing_time`, `ber`, `chunk_size`, `double_wrapped`,
///   `certificates` (some of `leaf`, `intermediate`, `root`, in any order).
/// - `transaction`, `renewal_info`, `app_transaction`, `notification`, `realtime_request`: a JWS with this
///   payload, which is the object of `appreceipt verify --json`. Dates are in milliseconds since 1970.
///   Omitted members are as in ``JSONMembers``, and null omits a member. For a signed member
///   (`signedTransactionInfo`, `signedRenewalInfo`, `signedAppTransactionInfo`), an object is the payload to
///   sign. `header` changes members of the header.
/// - `answer`: an App Store Server API response in JSON, with payloads in place of signed objects. The signed
///   members are `signedTransactions`, `signedPayload`, and those above.
/// - `transaction_receipt`: `version` (2, 3 or 4) and the texts of `purchase_info`. It contains no
///   intermediate, so no custom root can verify it, and `verify` refuses it.
/// - `chain`, and `authority` for all entries: `signer` (`test`, `storekit_test`, `stranger`), and for
///   `root`, `intermediate`, `leaf`: `common_name`, `serial_number`, `not_before`, `not_after`, `digest`,
///   `marker`. The default signer for Xcode's environment is `storekit_test`.
///
/// `revocation_lists` describes certificate revocation lists of the authority:
/// - `name`, `story`, `encoding` and `chain` as above, and `signer` (`intermediate`, `root`, `leaf`).
/// - `this_update`, and `next_update`, which null omits.
/// - `revoked`: a list of `serial` (in hexadecimal), `date`, `reason` and `invalidity_date`.
/// - `fillers`: a number of further entries.
/// - `kind`: `complete`, `delta` or `indirect`.
public struct ForgeSpecification: Sendable {
    /// A file to write.
    public struct File: Hashable, Sendable {
        /// The name of the file, without a folder.
        public var name: String
        /// The contents of the file.
        public var bytes: [UInt8]

        /// Creates a file with this name and content.
        public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    private let shared: ChainSpecification
    private let entries: [ReceiptEntry]
    private let lists: [RevocationListEntry]

    /// Reads a specification.
    /// - Throws: ``ForgeError/specification(entry:reason:)``, which names the place, for example
    ///   `receipts[3].receipt.in_app[0].quantity`.
    public init(json: [UInt8]) throws(ForgeError) {
        do {
            let document = try JSONDecoder().decode(Document.self, from: Data(json))
            shared = document.shared
            entries = document.entries
            lists = document.lists
        } catch let error as DecodingError {
            throw Self.explained(error)
        } catch {
            throw .specification(entry: "", reason: String(describing: error))
        }
        try Self.requireDistinctNames(entries, "receipts")
        try Self.requireDistinctNames(lists, "revocation_lists")
    }

    /// The number of entries.
    public var count: Int { entries.count }

    /// Returns the file of one entry.
    ///
    /// - Parameter index: The number of the entry, in 0..<``count``.
    /// - Throws: ``ForgeError/specification(entry:reason:)`` if the entry cannot be forged.
    public func forge(_ index: Int) throws(ForgeError) -> File {
        try forge(entries[index], "receipts[\(index)]")
    }

    /// The number of revocation lists.
    public var listCount: Int { lists.count }

    /// Returns the file of one revocation list.
    /// - Parameter index: The number of the list, in 0..<``listCount``.
    /// - Throws: ``ForgeError/specification(entry:reason:)`` if the list cannot be forged.
    public func forgeList(_ index: Int) throws(ForgeError) -> File {
        try forge(lists[index], "revocation_lists[\(index)]")
    }

    private func forge(_ entry: some SpecificationEntry, _ place: String) throws(ForgeError) -> File {
        do throws(ForgeError) {
            return File(name: entry.fileName, bytes: try entry.forge(shared))
        } catch {
            throw .specification(entry: place, reason: error.description)
        }
    }

    private static func requireDistinctNames(
        _ entries: [some SpecificationEntry], _ list: String
    ) throws(ForgeError) {
        var names: Set<String> = []
        for (index, entry) in entries.enumerated() where !names.insert(entry.fileName.lowercased()).inserted {
            throw .specification(entry: "\(list)[\(index)].name", reason: "'\(entry.name)' is used twice")
        }
    }

    /// Returns the certificates to trust: `root.cer` for receipts and JWS, and Xcode's two if an entry needs
    /// them. They are `storekit-test-root.cer` for receipts and `storekit-test-jws-root.cer` for JWS.
    /// - Throws: ``ForgeError`` if libcrypto fails.
    public func roots() throws(ForgeError) -> [File] {
        var chain = ChainSpecification()
        chain.signer = .test
        var files = [File(name: "root.cer", bytes: try chain.authority(over: shared).root.certificate.der)]
        chain.signer = .storeKitTest
        for (format, name) in [(SignedFormat.receipt, "storekit-test"), (.jws, "storekit-test-jws")]
        where entries.contains(where: { $0.formatOfXcode(shared) == format }) {
            let root = try chain.authority(over: shared, for: format).root.certificate.der
            files.append(File(name: "\(name)-root.cer", bytes: root))
        }
        return files
    }

    private struct Document: Decodable {
        var shared = ChainSpecification()
        var entries: [ReceiptEntry]
        var lists: [RevocationListEntry]

        init(from decoder: any Decoder) throws {
            var object = try SpecificationObject(decoder)
            entries = try object.required("receipts")
            lists = try object.value("revocation_lists") ?? []
            try object.nested("authority") { try shared.read(&$0) }
            try object.finish()
        }
    }

    private static func explained(_ error: DecodingError) -> ForgeError {
        switch error {
        case .keyNotFound(let key, let context):
            .specification(entry: path(context.codingPath + [key]), reason: "missing")
        case .typeMismatch(let type, let context):
            .specification(entry: path(context.codingPath), reason: "must be \(name(of: type))")
        case .valueNotFound(let type, let context):
            .specification(entry: path(context.codingPath), reason: "must be \(name(of: type)), not null")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            .specification(entry: "", reason: "not valid JSON")
        case .dataCorrupted(let context):
            .specification(entry: path(context.codingPath), reason: context.debugDescription)
        @unknown default: .specification(entry: "", reason: "\(error)")
        }
    }

    /// Returns a path such as `receipts[3].receipt.in_app[0].quantity`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is [String: Any].Type: "an object"
        case is any Collection.Type: "a list"
        default: "an object"
        }
    }
}
