import AppReceipt
import ReceiptJSON
import RecordSources
import SQLite
import StrictJSON

/// The `manifest.json` of a self-contained bundle: inputs, program, settings and results.
struct BundleManifest {
    let tool: AuditingTool
    let files: [(path: String, bytes: Int, sha256: String)]
    /// The numbers of records with evidence, of findings, and of references without evidence.
    let evidence: (records: Int, findings: Int, missing: Int)

    func write(_ database: Connection, to sink: LineSink) throws {
        guard let run = try database.prepare("SELECT * FROM runs").firstRow() else {
            throw AuditError("the database contains no audit run")
        }
        var json = JSONWriter()
        func raw(_ text: String) throws {
            try sink.write(json)
            json.removeAll()
            try sink.write(Array(text.utf8))
        }
        try raw("{\"tool\":")
        try json.object { json in
            json.string("version", try run["tool_version"])
            json.string("sha256", tool.sha256)
            json.string("openssl", tool.openSSL)
        }
        try raw(",\n\"run\":")
        try json.object { json in
            json.string("root", try run["root"])
            for (name, column) in Self.counts {
                json.number(name, try run[column] as Int)
            }
            json.date("as_of", Timestamp(millisecondsSince1970: try run["as_of"]))
            json.bool("as_of_is_clock", try run["as_of_is_clock"])
            json.date("began", Timestamp(millisecondsSince1970: try run["started_at"]))
            json.date("ended", try (run["ended_at"] as Int64?).map { Timestamp(millisecondsSince1970: $0) })
            json.string("catalog_sha256", try run["catalog_sha256"])
        }
        // The database stores these values as JSON.
        try raw(",\n\"arguments\":\(run["arguments"] as String),\n\"settings\":\(run["settings"] as String)")
        try raw(",\n\"anchors\":\(run["anchors"] as String),\n\"inputs\":[")
        let inputs = try database.prepare("SELECT source, path, bytes, sha256 FROM inputs ORDER BY id")
        var separator = "\n"
        while let input = try inputs.nextRow() {
            try raw(separator)
            separator = ",\n"
            try json.object { json in
                json.string("source", try input["source"])
                json.string("path", try input["path"])
                json.number("bytes", try input["bytes"] as Int)
                json.string("sha256", try input["sha256"])
            }
        }
        try raw("],\n\"outputs\":[")
        separator = "\n"
        for file in files {
            try raw(separator)
            separator = ",\n"
            json.object { json in
                json.string("path", file.path)
                json.number("bytes", file.bytes)
                json.string("sha256", file.sha256)
            }
        }
        try raw("],\n\"evidence\":")
        json.object { json in
            json.number("findings", evidence.findings)
            json.number("records", evidence.records)
            json.number("missing", evidence.missing)
        }
        try raw("}\n")
    }

    private static let counts: [(StaticString, String)] = [
        ("records", "records"), ("genuine", "genuine"), ("not_apples", "not_apples"), ("refused", "refused"),
        ("unreadable", "unreadable"), ("absent", "absent"), ("foreign", "foreign_values"),
        ("other_apps", "other_apps"), ("not_selected", "not_selected"),
    ]
}
