#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A JSON description of receipts and JWS, as `appreceipt forge` takes it.
///
/// ```json
/// {"authority": {"leaf": {"not_after": "2030-01-01T00:00:00Z"}},
///  "receipts": [
///    {"name": "a-trial", "story": "one line for whoever reads this", "encoding": "base64",
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
/// An entry's fields, all but `name` optional, and one at most of those that say what it is:
/// - `name`, `story`; `encoding`, of receipts: a ``ReceiptEncoding``; `hostile`: the id of a ``HostileVariant`` or a
///   ``HostileJWS``.
/// - `receipt`: the object of `appreceipt verify --json`. What is not said is as in a genuine receipt
///   of that `receipt_type`; null leaves an attribute out, a null date is the empty string. Further:
///   `device_id` (hex, for attribute 5), `sorted`, and, in purchases too, `unknown` (replaces the
///   attributes of unknown meaning), `extra` (adds any), `omit` (types to leave out). A purchase with
///   `"repeat": {"count": 12, "days": 30}` stands for as many periods.
/// - `container`: `digest`, `signed_attributes`, `signing_time`, `ber`, `chunk_size`, `double_wrapped`,
///   `certificates` (some of `leaf`, `intermediate`, `root`, in any order).
/// - `transaction`, `renewal_info`, `app_transaction`, `notification`, `realtime_request`: a JWS of this payload, the object
///   of `appreceipt verify --json` (dates are milliseconds since 1970). What is not said is as in ``JSONMembers``; null leaves a member
///   out. Where a signed object belongs (`signedTransactionInfo`, `signedRenewalInfo`, `signedAppTransactionInfo`), an
///   object is the payload that is signed there. `header` changes members of the header.
/// - `answer`: JSON as the App Store Server API answers, with payloads in place of what is signed in it:
///   `signedTransactions`, `signedPayload`, and those above.
/// - `transaction_receipt`: `version`, 2, 3 or 4, and texts of `purchase_info`. It names no intermediate, so
///   that no root of one's own vouches for it: `verify` refuses it.
/// - `chain`, and `authority` for all entries: `signer` (`test`, `storekit_test`, `stranger`), and for
///   `root`, `intermediate`, `leaf`: `common_name`, `serial_number`, `not_before`, `not_after`,
///   `digest`, `marker`. What is of Xcode is signed by `storekit_test` where nothing is said.
public struct ForgeSpecification: Sendable {
    /// A file to be written.
    public struct File: Hashable, Sendable {
        /// The file's name, without a folder.
        public var name: String
        /// What is in it.
        public var bytes: [UInt8]

        /// A file of this name and content.
        public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    private let shared: ChainSpecification
    private let entries: [ReceiptEntry]

    /// - Throws: ``ForgeError/specification(entry:reason:)``, which names the place, for example
    ///   `receipts[3].receipt.in_app[0].quantity`.
    public init(json: [UInt8]) throws(ForgeError) {
        do {
            let document = try JSONDecoder().decode(Document.self, from: Data(json))
            shared = document.shared
            entries = document.entries
        } catch let error as DecodingError {
            throw Self.explained(error)
        } catch {
            throw .specification(entry: "", reason: String(describing: error))
        }
        var names: Set<String> = []
        for (index, entry) in entries.enumerated() where !names.insert(entry.fileName.lowercased()).inserted {
            throw .specification(entry: "receipts[\(index)].name", reason: "'\(entry.name)' is used twice")
        }
    }

    /// How many entries there are.
    public var count: Int { entries.count }

    /// One entry, ready to be written.
    ///
    /// - Parameter index: 0..<``count``.
    public func forge(_ index: Int) throws(ForgeError) -> File {
        let entry = entries[index]
        do throws(ForgeError) {
            return File(name: entry.fileName, bytes: try entry.forge(shared))
        } catch {
            throw .specification(entry: "receipts[\(index)]", reason: error.description)
        }
    }

    /// The certificates to trust: `root.cer`, for receipts and JWS alike, and, where something needs them, Xcode's two:
    /// `storekit-test-root.cer` for receipts, `storekit-test-jws-root.cer` for JWS.
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

        init(from decoder: any Decoder) throws {
            var object = try SpecificationObject(decoder)
            entries = try object.required("receipts")
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

    /// `receipts[3].receipt.in_app[0].quantity`
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
