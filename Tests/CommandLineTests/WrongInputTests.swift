import Foundation
import Testing

/// Messages for wrong input: one line that names the problem and its place, and the exit status.
///
/// The line is the first of standard error, or of the output if standard error is empty. With status 64,
/// usage and help follow it.
@Suite("Wrong input, word for word")
struct WrongInputTests {
    let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        let receipt = Array(
            try Data(contentsOf: FixtureTests.fixtures.appending(path: "receipts/bag-without-root.der")))
        let record = Data(receipt).base64EncodedString()
        let files: [(String, [UInt8])] = [
            ("genuine.der", receipt),
            (
                "root.cer",
                Array(try Data(contentsOf: FixtureTests.fixtures.appending(path: "roots/root.cer")))
            ),
            ("folder/genuine.der", receipt), ("empty.der", []),
            ("cut.der", Array(receipt.prefix(900))), ("trailing.der", receipt + [0]),
            ("picture.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10] + Array("JFIF".utf8)),
            ("text.txt", Array("Hello, world\n".utf8)),
            ("page.html", Array("<!DOCTYPE html><html></html>\n".utf8)), ("none.json", Array("{}\n".utf8)),
            ("wrong.json", Array(#"{"a": 1, "a": 2}"#.utf8)),
            ("catalog.json", Array(#"{"groups": {"g": ["p"]}}"#.utf8)),
            ("in.ndjson", Array(#"{"id": "1", "receipt": "\#(record)"}\#n"#.utf8)),
            ("in.csv", Array("id,receipt\n1,\(record)\n".utf8)), ("header.csv", Array("a,b\n1,2\n".utf8)),
        ]
        for (name, bytes) in files { try tool.write(bytes, to: name) }
        try FileManager.default.createDirectory(
            at: tool.folder.appending(path: "hollow"), withIntermediateDirectories: true)
    }

    /// Arguments, separated by blanks, with '' for an empty one, exit status, and line.
    static let rows: [(String, Int32, String)] = [
        ("verfy genuine.der", 64, "Error: There is no command 'verfy'. Did you mean 'verify'?"),
        ("help nosuch", 64, "Error: There is no command 'nosuch'. To verify a file: appreceipt verify FILE"),
        (
            "genuine.der", 64,
            "Error: There is no command 'genuine.der'. To verify a file: appreceipt verify FILE"
        ),
        ("--no-such", 64, "Error: Unknown option '--no-such'"),
        // verify
        ("verify", 64, "Error: Missing expected argument '<file> ...'"),
        ("verify missing.der", 2, "UNREADABLE missing.der: No such file or directory"),
        ("verify ''", 64, "Error: A path is empty."),
        ("verify empty.der", 1, "REFUSED empty.der: malformed at byte 0: the input is empty"),
        (
            "verify text.txt", 1,
            "REFUSED text.txt: malformed at byte 5: byte 0x2c belongs neither to DER nor to base64"
        ),
        (
            "verify cut.der", 1,
            "REFUSED cut.der: malformed at byte 0: an element of 3098 bytes where 896 are left"
        ),
        (
            "verify --root root.cer trailing.der", 1,
            "REFUSED trailing.der: malformed at byte 3102: more bytes where the element must end"
        ),
        (
            "verify --json --brief genuine.der", 64,
            "Error: --json prints one object a line already: --brief is for people."
        ),
        ("verify --no-such genuine.der", 64, "Error: Unknown option '--no-such'"),
        (
            "verify --rooot root.cer genuine.der", 64,
            "Error: Unknown option '--rooot'. Did you mean '--root'?"
        ),
        ("verify --root", 64, "Error: Missing value for '--root <file>'"),
        ("verify --root missing.cer genuine.der", 2, "appreceipt: missing.cer: No such file or directory"),
        (
            "verify --root text.txt genuine.der", 2,
            "appreceipt: text.txt: not a certificate in DER or PEM: byte 0x2c belongs neither to DER nor to base64"
        ),
        (
            "verify --root genuine.der genuine.der", 2,
            "appreceipt: genuine.der: a certificate does not decode [fields of the certificate]"
        ),
        ("verify --root folder genuine.der", 2, "appreceipt: folder: Is a directory"),
        (
            "verify --root empty.der genuine.der", 2,
            "appreceipt: empty.der: not a certificate in DER or PEM: the input is empty"
        ),
        (
            "verify --storekit-test-root text.txt genuine.der", 2,
            "appreceipt: text.txt: not a certificate in DER or PEM: byte 0x2c belongs neither to DER nor to base64"
        ),
        (
            "verify --environment moon genuine.der", 64,
            "Error: The value 'moon' is invalid for '--environment <environment>'. Please provide one of 'production', 'sandbox', 'xcode' or 'any'."
        ),
        (
            "verify --device-id xyz genuine.der", 64,
            "Error: The value 'xyz' is invalid for '--device-id <hex>': Two hexadecimal digits a byte are needed."
        ),
        (
            "verify --device-id 123 genuine.der", 64,
            "Error: The value '123' is invalid for '--device-id <hex>': Two hexadecimal digits a byte are needed."
        ),
        (
            "verify --device-id '' genuine.der", 64,
            "Error: The value '' is invalid for '--device-id <hex>': Two hexadecimal digits a byte are needed."
        ),
        (
            "verify --root root.cer --bundle-id com.other genuine.der", 1,
            "REFUSED genuine.der: wrong_bundle_id: bundle id is 'com.example.lumen', not 'com.other'"
        ),
        (
            "verify --root root.cer --environment sandbox genuine.der", 1,
            "REFUSED genuine.der: wrong_environment: environment is 'Production', not 'Sandbox'"
        ),
        (
            "verify --root root.cer --bundle-id a --bundle-id b genuine.der", 1,
            "REFUSED genuine.der: wrong_bundle_id: bundle id is 'com.example.lumen', not one of 'a', 'b'"
        ),
        (
            "verify --root root.cer --environment sandbox --environment xcode genuine.der", 1,
            "REFUSED genuine.der: wrong_environment: environment is 'Production', not one of 'Sandbox', 'Xcode'"
        ),
        (
            "verify --environment any --environment sandbox genuine.der", 64,
            "Error: --environment: 'any' accepts every environment: give it alone."
        ),
        (
            "verify --bundle-id any --bundle-id com.example.app genuine.der", 64,
            "Error: --bundle-id: 'any' accepts every app: give it alone."
        ),
        (
            "verify --signature-checks 0 genuine.der", 64,
            "Error: --signature-checks: 0 is not a number from 1 to 1000000"
        ),
        (
            "verify --sha1-signatures until2025 genuine.der", 64,
            "Error: The value 'until2025' is invalid for '--sha1-signatures <sha1-signatures>'. Please provide one of 'until-apple-stopped', 'until-2025', 'all' or 'none'."
        ),
        (
            "verify --root root.cer --device-id 00 genuine.der", 1,
            "REFUSED genuine.der: wrong_device: the receipt was not made for this device"
        ),
        (
            "verify root.cer", 1,
            "REFUSED root.cer: malformed at byte 4: SEQUENCE where OBJECT IDENTIFIER must stand; it looks like a certificate: appreceipt inspect shows it, --root trusts it"
        ),
        (
            "verify page.html", 1,
            "REFUSED page.html: malformed at byte 0: byte 0x3c belongs neither to DER nor to base64; it looks like a page of HTML: what a server answers in place of a receipt"
        ),
        (
            "verify picture.jpg", 1,
            "REFUSED picture.jpg: malformed at byte 0: byte 0xff belongs neither to DER nor to base64; it looks like an image"
        ),
        (
            "verify none.json", 1,
            "REFUSED none.json: malformed: none of the forms that can be read; it looks like JSON: appreceipt audit reads an export that is named itself, appreceipt verify signed objects"
        ),
        ("verify hollow", 2, "appreceipt: 0 genuine, 0 refused, 0 unreadable"),
        // inspect
        ("inspect", 64, "Error: Missing expected argument '<file>'"),
        ("inspect genuine.der cut.der", 64, "Error: Unexpected argument 'cut.der'"),
        ("inspect missing.der", 2, "appreceipt: missing.der: unreadable: No such file or directory"),
        ("inspect folder", 2, "appreceipt: folder: unreadable: Is a directory"),
        (
            "inspect text.txt", 1,
            "appreceipt: text.txt: malformed at byte 5: byte 0x2c belongs neither to DER nor to base64"
        ),
        // eligibility
        (
            "eligibility genuine.der", 64,
            "Error: Which product is of which group? Give --catalog FILE or --single-group."
        ),
        (
            "eligibility genuine.der --catalog catalog.json --single-group", 64,
            "Error: --single-group stands in place of a catalogue: give one of the two."
        ),
        (
            "eligibility genuine.der --single-group", 64,
            "Error: Without a catalogue the products must be named: --product ID."
        ),
        (
            "eligibility genuine.der --catalog missing.json", 2,
            "appreceipt: missing.json: No such file or directory"
        ),
        (
            "eligibility genuine.der --catalog text.txt", 2,
            "appreceipt: text.txt: not a catalog: at byte 0: not JSON: 'H' cannot stand here"
        ),
        (
            "eligibility genuine.der --catalog wrong.json", 2,
            "appreceipt: wrong.json: not a catalog: a (byte 9): named twice in one object"
        ),
        (
            "eligibility genuine.der --catalog none.json", 2,
            "appreceipt: none.json: not a catalog: at byte 0: none of the forms that can be read"
        ),
        ("eligibility genuine.der --catalog folder", 2, "appreceipt: folder: Is a directory"),
        (
            "eligibility genuine.der --catalog catalog.json --as-of tomorrow", 64,
            "Error: The value 'tomorrow' is invalid for '--as-of <date>': 'tomorrow' is no date like 2026-06-02T00:00:00Z."
        ),
        (
            "eligibility genuine.der --catalog catalog.json --as-of 2026-02-30", 64,
            "Error: The value '2026-02-30' is invalid for '--as-of <date>': '2026-02-30' is no date like 2026-06-02T00:00:00Z."
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --renewal-info missing.json",
            2, "appreceipt: missing.json: No such file or directory"
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --renewal-info wrong.json",
            2, "appreceipt: wrong.json: not renewal information: a (byte 9): named twice in one object"
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --product typo",
            0, "appreceipt: --product typo: no group of the catalog lists it; nothing is said about it"
        ),
        (
            "eligibility genuine.der --catalog catalog.json --refunds maybe", 64,
            "Error: The value 'maybe' is invalid for '--refunds <refunds>'. Please provide one of 'block' and 'ignore'."
        ),
        (
            "eligibility missing.der --catalog catalog.json --as-of 2026-02-03T00:00:00Z", 2,
            "appreceipt: missing.der: refused (unreadable): No such file or directory"
        ),
        // audit
        ("audit", 64, "Error: Missing expected argument '<source> ...'"),
        ("audit missing --ndjson -", 2, "appreceipt: missing: No such file or directory"),
        ("audit in.ndjson --jobs 0", 64, "Error: --jobs is a number of threads from 1 to 1024, not 0."),
        (
            "audit in.ndjson --jobs 1000000", 64,
            "Error: --jobs is a number of threads from 1 to 1024, not 1000000."
        ),
        ("audit in.ndjson --jobs many", 64, "Error: The value 'many' is invalid for '--jobs <count>'"),
        (
            "audit in.ndjson --resume", 64,
            "Error: --resume takes up the run of --output FILE or of --evidence FOLDER."
        ),
        (
            "audit in.ndjson --output o.sqlite --resume --ndjson -", 64,
            "Error: What went to standard output cannot be taken up: give --ndjson FILE."
        ),
        (
            "audit in.ndjson --replay o.sqlite --output p.sqlite", 64,
            "Error: --replay writes nothing: give it sources and settings alone."
        ),
        ("audit - -", 64, "Error: Standard input can be read once."),
        (
            "audit in.ndjson --output in.ndjson", 64,
            "Error: --output and a source are the same file: in.ndjson"
        ),
        (
            "audit folder --output folder/o.sqlite", 64,
            "Error: --output would be one of the files of the source folder: folder/o.sqlite"
        ),
        (
            "audit in.ndjson --report -", 64,
            "Error: Only --ndjson and --subject-verdicts write to standard output: --report needs a file."
        ),
        ("audit in.ndjson --output ''", 64, "Error: A path is empty: that of --output."),
        (
            "audit in.ndjson --replay missing.sqlite", 2,
            "appreceipt: missing.sqlite: No such file or directory"
        ),
        (
            "audit in.ndjson --replay text.txt", 2,
            "appreceipt: text.txt: not an audit's database, or a damaged one"
        ),
        (
            "audit in.ndjson --output text.txt", 2,
            "appreceipt: text.txt: not an audit's database, or a damaged one"
        ),
        (
            "audit in.ndjson --format foo", 64,
            "Error: The value 'foo' is invalid for '--format <format>'. Please provide one of 'auto', 'ndjson', 'json', 'csv' or 'tar'."
        ),
        ("audit in.ndjson --catalog missing.json", 2, "appreceipt: missing.json: No such file or directory"),
        ("audit hollow --ndjson -", 2, "appreceipt: the sources hold no records: nothing was judged"),
        (
            "audit in.csv --receipt-field nosuch", 2,
            "appreceipt: in.csv, line 1: no column nosuch, which --receipt-field names, among id, receipt"
        ),
        (
            "audit in.csv --subject-field nosuch", 2,
            "appreceipt: in.csv, line 1: no column nosuch, which --subject-field names, among id, receipt"
        ),
        (
            "audit header.csv", 2,
            "appreceipt: header.csv, line 1: no column receipt, and none that holds receipts in most of the first records (--receipt-field names it), among a, b"
        ),
        (
            "audit in.ndjson --subject-field nosuch", 2,
            "appreceipt: no record has the field nosuch that was named: what it says was not looked at"
        ),
        (
            "audit in.ndjson --output missing/o.sqlite", 2,
            "appreceipt: missing/o.sqlite: No such file or directory"
        ),
        // rules
        ("rules x", 64, "Error: Unexpected argument 'x'"),
        // schema
        (
            "schema nosuch", 64,
            "Error: The value 'nosuch' is invalid for '<name>'. Please provide one of the following:"
        ),
        // forge
        ("forge", 64, "Error: Give a description, or --count."),
        ("forge spec.json", 64, "Error: Say with --output where the receipts go."),
        ("forge --count 3 spec.json", 64, "Error: Give either a description or --count."),
        ("forge --count -1", 64, "Error: Missing value for '--count <count>'"),
        ("forge missing.json --output o", 2, "appreceipt: missing.json: there is no such file or folder"),
        ("forge text.txt --output o", 2, "appreceipt: text.txt: is no valid JSON"),
        ("forge none.json --output o", 2, "appreceipt: none.json: receipts: is missing"),
        // eligibility
        (
            "eligibility hollow --single-group --product p", 2,
            "appreceipt: nothing was judged: there is no file"
        ),
        (
            "eligibility --merge genuine.der", 64,
            "Error: Without a catalogue the products must be named: --product ID."
        ),
        (
            "eligibility --trusting genuine.der --catalog catalog.json", 2,
            "appreceipt: genuine.der: not a saved answer of verifyReceipt: at byte 0: number where object must stand"
        ),
        (
            "eligibility --trusting none.json genuine.der --catalog catalog.json", 64,
            "Error: Give receipts, or saved answers with --trusting FILE, and not both."
        ),
        // audit
        ("audit in.csv --delimiter xx", 64, "Error: The value 'xx' is invalid for '--delimiter <delimiter>'"),
        (
            "audit in.ndjson --created-after tomorrow --report r.html", 64,
            "Error: The value 'tomorrow' is invalid for '--created-after <date>': 'tomorrow' is no date like 2026-06-02T00:00:00Z."
        ),
        (
            "audit in.ndjson --created-after 2026-01-01T00:00:00Z", 64,
            "Error: --created-after and --created-before say what --report and --csv show: give one of them."
        ),
        ("audit folder --include [", 2, "appreceipt: left out: 1 file by --include or --exclude"),
    ]

    @Test("each has its line", arguments: rows)
    func line(arguments: String, status: Int32, line: String) throws {
        let words = arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        let answer = try tool.run(files: words)
        #expect(answer.status == status)
        #expect((answer.errorLines.first ?? answer.lines.first).map(String.init) == line)
    }
}
