import AppReceipt
import OfferEligibility
import ReceiptExamination
import ReceiptJSON
import RecordSources

extension RowCells {
    private static let foreignKinds = ForeignKind.allCases.map(\.storedName).joined(separator: ", ")

    /// Adds the row of a record. Without an answer, the function names the columns.
    /// - Parameter leaf: The leaf, or nil if there is no verdict.
    mutating func add(recordOf answer: RecordAnswer?, from source: String?, _ leaf: SHA256Digest?) {
        let examination = answer?.examination
        let (object, foreign, refusal) = (examination?.evidence, examination?.foreign, examination?.refusal)
        let (record, subject) = answer?.origin.names ?? (nil, nil)
        key("id", "PRIMARY KEY")
        add("source", source, "the SOURCE with the record, as given", rules: "NOT NULL")
        add("place", answer?.place, "line, row, member or file of the source, from 1", rules: "NOT NULL")
        add("record", record, "the record's id, or its path; NULL: unreadable")
        add(
            "path",
            examination.flatMap { $0.place.isEmpty ? nil : String(Substring($0.place.utf8.dropFirst())) },
            "of the signed object in the record; NULL: the record is the object")
        add("subject", subject, "the account that presented the record")
        add(
            "sha256", hexadecimal: examination?.sha256,
            "of the DER bytes, the JWS or the property list; NULL: none")
        add(
            "content_sha256", hexadecimal: examination?.contentSHA256,
            "of the signed content or the JWS's payload; NULL: not verified")
        add(
            "received", (examination?.received ?? .nothing).text,
            """
            the bytes received, as in the leaf: base64 (of the bytes of sha256), nothing,
            or the SHA-256 of the bytes
            """)
        let wrapping = examination?.wrapping ?? []
        add(
            "wrapping", wrapping.count > 1 ? wrapping.joined(separator: ",") : wrapping.first,
            "encodings around the receipt, outermost first, joined by commas")
        add(
            "listing", (answer?.emptyList?.listing ?? examination?.listing)?.rawValue,
            """
            history, statuses: the last object of a complete answer with only genuine
            objects; history-page: each object of a page with more pages after it;
            empty: an answer without objects
            """)
        let status =
            examination == nil
            ? "absent" : foreign != nil ? "foreign" : refusal != nil ? "refused" : "genuine"
        add("status", status, rules: "NOT NULL CHECK (status IN ('genuine', 'refused', 'absent', 'foreign'))")
        add("refusal_code", refusal?.code.rawValue)
        add("refusal_message", refusal?.message)
        add("refusal_offset", refusal?.offset)
        add("refusal_field", refusal?.field)
        add(
            "kind", foreign?.storedName ?? object?.kind,
            """
            receipt, transaction, renewal-info, app-transaction, notification,
            realtime-request, transaction-receipt; NULL: not verified. Of a foreign
            value: \(Self.foreignKinds)
            """)
        add("realm", object?.realm.rawValue)
        add(
            "environment", object?.environment?.rawValue ?? answer?.emptyList?.environment,
            "Production, Sandbox, Xcode, LocalTesting; NULL: not named")
        add("digest", object?.digestAlgorithm.rawValue, "sha1, sha256, …")
        add(
            "revocation", object?.object.revocation.summary,
            """
            not_checked, good, no_information, and caveats (before-revocation,
            before-distrust), joined by commas; NULL: not genuine
            """)
        key("signer_id", "REFERENCES certificates (id)")
        key("intermediate_id", "REFERENCES certificates (id)")
        key("anchor_id", "REFERENCES certificates (id)")
        if case .receipt(let receipt) = object {
            receipt.payload.app.visit(&self, of: receipt.payload.bytes)
        } else if let answer {
            let app = examination?.enclosingApp ?? answer.emptyList?.bundleID
            add(appOf: object, enclosedIn: refusal == nil ? app : nil)
        } else {
            AppRecord().visit(&self, of: [])
        }
        add(
            "other_app", answer?.otherApp,
            """
            of a genuine object that only --bundle-id or --app-apple-id refused: its
            bundle ID or appAppleId
            """)
        add(
            "kept", json: answer?.kept,
            "the columns of --keep: a JSON object of texts. The leaf does not cover it")
        add("leaf", leaf, "the leaf's hash, which covers the record and its answer; see runs.root")
    }

    /// Adds the columns of the app that an object other than a PKCS #7 receipt states.
    private mutating func add(appOf object: VerifiedObject?, enclosedIn app: String?) {
        let transaction: VerifiedAppTransaction? =
            if case .appTransaction(let transaction) = object { transaction } else { nil }
        AttributeTable.app.visit(&self) { type in
            switch type {
            case 0: .string(transaction?.receiptType)
            case 1: .string(object?.jws?.appAppleID.map { "\($0)" })
            case 2: .string(object?.bundleID ?? app)
            case 3: .string(transaction?.applicationVersion)
            case 12: .date(transaction?.receiptCreationDate ?? object?.object.verifiedAt)
            case 16: .string(transaction?.versionExternalIdentifier.map { "\($0)" })
            case 18: .date(transaction?.originalPurchaseDate)
            case 19: .string(transaction?.originalApplicationVersion)
            default: nil
            }
        }
    }

    /// Adds the row of a certificate. Without it, the function names the columns.
    mutating func add(certificate: CertificateFacts?) {
        key("id", "PRIMARY KEY")
        add("sha256", hexadecimal: certificate?.sha256, rules: "NOT NULL UNIQUE")
        add("subject", certificate?.subject, rules: "NOT NULL")
        add("issuer", certificate?.issuer, rules: "NOT NULL")
        add("serial", certificate?.serialNumber, rules: "NOT NULL")
        add("not_before", certificate?.notBefore, rules: "NOT NULL")
        add("not_after", certificate?.notAfter, rules: "NOT NULL")
    }
}
