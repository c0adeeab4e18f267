import EmbeddedFiles

/// The JSON Schemas (2020-12) of the objects that the tool prints, one object per line, and of the file that it
/// reads with `--distrust`. Each is named after the command that prints the object.
public enum ContractSchema: String, CaseIterable, Sendable {
    /// The schema of the command with the same name.
    case verify, eligibility, audit, ask, migrate, forget, rules, forge
    /// The schema of the command with the same name and of the server's routes.
    case verifyReceipt = "verify-receipt"
    /// The schema of the `audit` option with the same name.
    case subjectVerdicts = "subject-verdicts"
    /// The schema of the file that `evidence` writes.
    case citations
    /// The schemas of the files that `audit --evidence` writes.
    case manifest, findings
    /// The schema of the file of the option with the same name.
    case distrust

    /// A short description of the JSON that the schema applies to.
    public var summary: String {
        switch self {
        case .verify: "a line of verify --json"
        case .eligibility: "a line of eligibility --json"
        case .audit: "a line of audit --ndjson"
        case .ask: "a line of ask --json"
        case .migrate: "a line of migrate"
        case .forget: "a line of forget"
        case .rules: "a line of rules --json"
        case .forge: "a line of forge --count, as audit reads them"
        case .verifyReceipt: "a line of verify-receipt, a response of verifyReceipt"
        case .subjectVerdicts: "a line of audit --subject-verdicts"
        case .citations: "citations.json of evidence"
        case .manifest: "manifest.json of audit --evidence"
        case .findings: "a line of findings.ndjson of audit --evidence"
        case .distrust: "the file of --distrust"
        }
    }

    /// This schema and all schemas that it refers to, in one document.
    public var document: String { Self.document("\"$ref\": \"\(identifier)\"", of: [self] + references) }

    /// A schema for every line of output, in one document.
    public static var wholeDocument: String {
        let references = allCases.map { "{\"$ref\": \"\($0.identifier)\"}" }
        return document("\"anyOf\": [\(references.joined(separator: ", "))]", of: allCases)
    }

    private var identifier: String { "urn:appreceipt:schema:\(rawValue)" }

    private var references: [ContractSchema] {
        switch self {
        case .verify, .verifyReceipt, .ask, .migrate, .forget, .rules, .forge, .citations, .manifest,
            .findings, .distrust:
            []
        case .eligibility: [.verify, .rules]
        case .audit, .subjectVerdicts: [.verify, .eligibility, .rules]
        }
    }

    /// Combines schemas in one document. A schema may contain whole schemas among its definitions (JSON
    /// Schema 2020-12, 9.3, "Compound Documents").
    private static func document(_ root: String, of parts: [ContractSchema]) -> String {
        let definitions = parts.map { "\"\($0.rawValue)\": \($0.text)" }.joined(separator: ",\n")
        return """
            {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            \(root),
            "$defs": {
            \(definitions)
            }
            }

            """
    }

    package var text: String {
        let text = unsafe String(cString: embedded_schema("\(rawValue).json"))
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
