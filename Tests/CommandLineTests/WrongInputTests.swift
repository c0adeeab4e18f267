import Foundation
import Testing

/// Messages for wrong input: one line that names the problem and its place, and the exit status.
///
/// The line is the first of standard error, or of the output if standard error is empty. With status 64,
/// usage and help follow it.
@Suite("Exact messages for wrong input")
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
            ("audit.sqlite", Array("SQLite format 3\0".utf8)),
            ("wrong.json", Array(#"{"a": 1, "a": 2}"#.utf8)),
            ("catalog.json", Array(#"{"groups": {"g": ["p"]}}"#.utf8)),
            ("apps.json", Array(#"{"apps": {"a": {"groups": {"g": ["p"]}}}}"#.utf8)),
            ("spec.json", Array(#"{"receipts": [{"name": "a", "hostile": "nosuch"}]}"#.utf8)),
            ("there.tar", []),
            ("google.txt", Array("oojlhcfkklhffmcbdjdfjdkp.AO-J1OyyK8YvXyQJ0jNzvbGbHn7Ew".utf8)),
            ("marked.json", Array("\u{FEFF}{}\n".utf8)),
            ("marked.jws", Array("\u{FEFF}eyJh.e30.AAAA\n".utf8)),
            ("in.ndjson", Array(#"{"id": "1", "receipt": "\#(record)"}\#n"#.utf8)),
            ("in.csv", Array("id,receipt\n1,\(record)\n".utf8)), ("header.csv", Array("a,b\n1,2\n".utf8)),
        ]
        for (name, bytes) in files { try tool.write(bytes, to: name) }
        try FileManager.default.createDirectory(
            at: tool.folder.appending(path: "hollow"), withIntermediateDirectories: true)
    }

    /// Arguments, separated by blanks, with '' for an empty one, exit status, and line.
    static let rows: [(String, Int32, String)] = [
        // unknown commands and options
        ("verfy genuine.der", 64, "error: unknown command 'verfy'; did you mean 'verify'?"),
        ("help nosuch", 64, "error: unknown command 'nosuch'; to verify a file, run appreceipt verify FILE"),
        (
            "genuine.der", 64,
            "error: unknown command 'genuine.der'; to verify a file, run appreceipt verify FILE"
        ),
        ("--no-such", 64, "error: unknown option '--no-such'"),
        ("verif genuine.der", 64, "error: unknown command 'verif'; did you mean 'verify'?"),
        (
            "verify-receit genuine.der", 64,
            "error: unknown command 'verify-receit'; did you mean 'verify-receipt'?"
        ),
        ("evidnce genuine.der", 64, "error: unknown command 'evidnce'; did you mean 'evidence'?"),
        ("audits in.ndjson", 64, "error: unknown command 'audits'; did you mean 'audit'?"),
        ("schemas verify", 64, "error: unknown command 'schemas'; did you mean 'schema'?"),
        ("forg", 64, "error: unknown command 'forg'; did you mean 'forge'?"),
        ("help verfy", 64, "error: unknown command 'verfy'; did you mean 'verify'?"),
        // verify
        ("verify", 64, "error: missing expected argument '<file> ...'"),
        ("verify missing.der", 2, "UNREADABLE missing.der: No such file or directory"),
        ("verify ''", 64, "error: FILE: empty path"),
        ("verify empty.der", 1, "REFUSED empty.der: malformed at byte 0: the input is empty"),
        ("verify text.txt", 1, "REFUSED text.txt: malformed at byte 5: byte 0x2c is neither DER nor base64"),
        (
            "verify cut.der", 1,
            "REFUSED cut.der: malformed at byte 0: truncated: needs 3098 bytes, 896 remain"
        ),
        (
            "verify --root root.cer trailing.der", 1,
            "REFUSED trailing.der: malformed at byte 3102: unexpected bytes after the end of the element"
        ),
        ("verify --json --brief genuine.der", 64, "error: --brief: cannot be combined with --json"),
        ("verify --no-such genuine.der", 64, "error: unknown option '--no-such'"),
        (
            "verify --rooot root.cer genuine.der", 64,
            "error: unknown option '--rooot'; did you mean '--root'?"
        ),
        ("verify --root", 64, "error: missing value for '--root <file>'"),
        ("verify --root missing.cer genuine.der", 2, "error: missing.cer: No such file or directory"),
        (
            "verify --root text.txt genuine.der", 2,
            "error: text.txt: not a certificate in DER or PEM: byte 0x2c is neither DER nor base64"
        ),
        (
            "verify --root genuine.der genuine.der", 2,
            "error: genuine.der: invalid certificate [fields of the certificate]"
        ),
        ("verify --root folder genuine.der", 2, "error: folder: Is a directory"),
        (
            "verify --root empty.der genuine.der", 2,
            "error: empty.der: not a certificate in DER or PEM: the input is empty"
        ),
        (
            "verify --storekit-test-root text.txt genuine.der", 2,
            "error: text.txt: not a certificate in DER or PEM: byte 0x2c is neither DER nor base64"
        ),
        (
            "verify --environment moon genuine.der", 64,
            "error: --environment: 'moon' is not one of production, sandbox, xcode, any"
        ),
        (
            "verify --device-id xyz genuine.der", 64,
            "error: --device-id: 'xyz' must be hexadecimal, two digits per byte"
        ),
        (
            "verify --device-id 123 genuine.der", 64,
            "error: --device-id: '123' must be hexadecimal, two digits per byte"
        ),
        (
            "verify --device-id '' genuine.der", 64,
            "error: --device-id: '' must be hexadecimal, two digits per byte"
        ),
        (
            "verify --root root.cer --bundle-id com.other genuine.der", 1,
            "REFUSED genuine.der: wrong_bundle_id: bundle ID is 'com.example.lumen', not 'com.other'"
        ),
        (
            "verify --root root.cer --environment sandbox genuine.der", 1,
            "REFUSED genuine.der: wrong_environment: environment is 'Production', not 'Sandbox'"
        ),
        (
            "verify --root root.cer --bundle-id a --bundle-id b genuine.der", 1,
            "REFUSED genuine.der: wrong_bundle_id: bundle ID is 'com.example.lumen', not one of 'a', 'b'"
        ),
        (
            "verify --root root.cer --environment sandbox --environment xcode genuine.der", 1,
            "REFUSED genuine.der: wrong_environment: environment is 'Production', not one of 'Sandbox', 'Xcode'"
        ),
        (
            "verify --environment any --environment sandbox genuine.der", 64,
            "error: --environment: 'any' cannot be combined with other environments"
        ),
        (
            "verify --bundle-id any --bundle-id com.example.app genuine.der", 64,
            "error: --bundle-id: 'any' cannot be combined with other bundle IDs"
        ),
        (
            "verify --signature-checks 0 genuine.der", 64,
            "error: --signature-checks: 0 is not a number from 1 to 1000000"
        ),
        (
            "verify --sha1-signatures until2025 genuine.der", 64,
            "error: --sha1-signatures: 'until2025' is not one of until-apple-stopped, until-2025, all, none"
        ),
        (
            "verify --root root.cer --device-id 00 genuine.der", 1,
            "REFUSED genuine.der: wrong_device: the receipt was created for another device"
        ),
        (
            "verify root.cer", 1,
            "REFUSED root.cer: malformed at byte 4: expected OBJECT IDENTIFIER, found SEQUENCE; it looks like a certificate; use appreceipt inspect to show it, --root to trust it"
        ),
        (
            "verify page.html", 1,
            "REFUSED page.html: malformed at byte 0: byte 0x3c is neither DER nor base64; it looks like an HTML page"
        ),
        (
            "verify picture.jpg", 1,
            "REFUSED picture.jpg: malformed at byte 0: byte 0xff is neither DER nor base64; it looks like an image"
        ),
        (
            "verify audit.sqlite", 1,
            "REFUSED audit.sqlite: malformed at byte 7: space inside base64, possibly a + changed in transport; it looks like an SQLite database; use appreceipt audit"
        ),
        (
            "verify none.json", 1,
            "REFUSED none.json: malformed: unrecognized format; it looks like JSON; use appreceipt audit for an export, appreceipt verify for signed objects"
        ),
        ("evidence missing.der --output out", 2, "error: missing.der: No such file or directory"),
        ("verify hollow", 2, "appreceipt: 0 genuine, 0 refused, 0 unreadable"),
        ("verify genuine.der missing.der", 2, "appreceipt: 0 genuine, 1 refused, 1 unreadable"),
        ("verify folder/missing.der", 2, "UNREADABLE folder/missing.der: No such file or directory"),
        ("verify missing/genuine.der", 2, "UNREADABLE missing/genuine.der: No such file or directory"),
        (
            "verify --json=yes genuine.der", 64,
            "error: the option '--json' does not take any value, but 'yes' was specified"
        ),
        ("verify --purchases many genuine.der", 64, "error: --purchases: 'many' is not a whole number"),
        ("verify --nesting 1001 genuine.der", 64, "error: --nesting: 1001 is not a number from 1 to 1000"),
        (
            "verify --app-apple-id 0 genuine.der", 64,
            "error: --app-apple-id: '0' is not a whole number from 1 to 9223372036854775807"
        ),
        (
            "verify --bundle-id '' genuine.der", 64,
            "error: --bundle-id: is empty; name the app or omit the option"
        ),
        ("verify --include '' folder", 64, "error: --include, --exclude: empty pattern"),
        (
            "verify --sha1-signatures sha1 genuine.der", 64,
            "error: --sha1-signatures: 'sha1' is not one of until-apple-stopped, until-2025, all, none"
        ),
        (
            "verify --storekit-test-root missing.cer genuine.der", 2,
            "error: missing.cer: No such file or directory"
        ),
        (
            "verify google.txt", 1,
            "REFUSED google.txt: malformed at byte 54: not an Apple receipt or compact JWS (header.payload.signature); it looks like a Google Play purchase token"
        ),
        (
            "verify marked.json", 1,
            "REFUSED marked.json: malformed at byte 3: byte 0x7b is neither DER nor base64; it begins with a byte order mark; save it as UTF-8 without one"
        ),
        (
            "verify marked.jws", 1,
            "REFUSED marked.jws: malformed at byte 7: byte 0x2e is neither DER nor base64; it begins with a byte order mark; save it as UTF-8 without one"
        ),
        // verify-receipt
        ("verify-receipt", 64, "error: missing expected argument '<file> ...'"),
        ("verify-receipt ''", 64, "error: FILE, --latest: empty path"),
        (
            "verify-receipt --device-id 00 genuine.der", 64,
            "error: --device-id: not supported by verifyReceipt; use appreceipt verify"
        ),
        (
            "verify-receipt --environment xcode genuine.der", 64,
            "error: --environment: verifyReceipt supports only production and sandbox"
        ),
        (
            "verify-receipt genuine.der folder --latest in.ndjson", 64,
            "error: --latest: requires exactly one receipt"
        ),
        (
            "verify-receipt genuine.der --latest as-of-receipt --latest a.jws", 64,
            "error: --latest: as-of-receipt cannot be combined with files"
        ),
        (
            "verify-receipt genuine.der --latest missing.jws", 2,
            "error: missing.jws: No such file or directory"
        ),
        ("verify-receipt missing.der", 2, "error: missing.der: No such file or directory"),
        ("verify-receipt hollow", 2, "error: no files found"),
        // inspect
        ("inspect", 64, "error: missing expected argument '<file>'"),
        ("inspect genuine.der cut.der", 64, "error: unexpected argument 'cut.der'"),
        ("inspect missing.der", 2, "error: missing.der: No such file or directory"),
        ("inspect folder", 2, "error: folder: Is a directory"),
        ("inspect text.txt", 1, "error: text.txt: malformed at byte 5: byte 0x2c is neither DER nor base64"),
        ("inspect empty.der", 1, "error: empty.der: malformed at byte 0: the input is empty"),
        ("inspect ''", 64, "error: FILE: empty path"),
        // eligibility
        ("eligibility genuine.der", 64, "error: missing --catalog FILE or --single-group"),
        (
            "eligibility genuine.der --catalog catalog.json --single-group", 64,
            "error: --single-group: cannot be combined with --catalog"
        ),
        ("eligibility genuine.der --single-group", 64, "error: --product: required without --catalog FILE"),
        (
            "eligibility genuine.der --catalog missing.json", 2,
            "error: missing.json: No such file or directory"
        ),
        (
            "eligibility genuine.der --catalog text.txt", 2,
            "error: text.txt: not a catalog: at byte 0: not JSON: unexpected 'H'"
        ),
        (
            "eligibility genuine.der --catalog wrong.json", 2,
            "error: wrong.json: not a catalog: a (byte 9): duplicate member"
        ),
        (
            "eligibility genuine.der --catalog none.json", 2,
            "error: none.json: not a catalog: at byte 0: must have exactly one of groups, apps, subscriptionGroups"
        ),
        ("eligibility genuine.der --catalog folder", 2, "error: folder: Is a directory"),
        (
            "eligibility genuine.der --catalog catalog.json --as-of tomorrow", 64,
            "error: --as-of: 'tomorrow' is not an RFC 3339 date, for example 2026-06-02T00:00:00Z"
        ),
        (
            "eligibility genuine.der --catalog catalog.json --as-of 2026-02-30", 64,
            "error: --as-of: '2026-02-30' is not an RFC 3339 date, for example 2026-06-02T00:00:00Z"
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --renewal-info missing.json",
            2, "error: missing.json: No such file or directory"
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --renewal-info wrong.json",
            2, "error: wrong.json: not renewal information: a (byte 9): duplicate member"
        ),
        (
            "eligibility genuine.der --root root.cer --catalog catalog.json --as-of 2026-02-03T00:00:00Z --product typo",
            0, "appreceipt: --product typo: not in the catalog; the answer is unknown-product"
        ),
        (
            "eligibility genuine.der --catalog catalog.json --refunds maybe", 64,
            "error: --refunds: 'maybe' is not one of block, ignore"
        ),
        (
            "eligibility missing.der --catalog catalog.json --as-of 2026-02-03T00:00:00Z", 2,
            "error: missing.der: No such file or directory"
        ),
        ("eligibility hollow --single-group --product p", 2, "error: no files found"),
        ("eligibility --merge genuine.der", 64, "error: --product: required without --catalog FILE"),
        (
            "eligibility --trusting genuine.der --catalog catalog.json", 2,
            "error: genuine.der: not a saved verifyReceipt response: at byte 0: expected object, found number"
        ),
        (
            "eligibility --trusting none.json genuine.der --catalog catalog.json", 64,
            "error: --trusting: cannot be combined with receipts"
        ),
        ("eligibility --catalog catalog.json", 64, "error: missing argument '<file> ...' or --trusting FILE"),
        ("eligibility genuine.der --catalog ''", 64, "error: --catalog: empty path"),
        (
            "eligibility genuine.der --catalog a=", 64,
            "error: --catalog: 'a=' is not APP=FILE; prefix a path that contains = with ./"
        ),
        (
            "eligibility genuine.der --catalog catalog.json --catalog catalog.json", 64,
            "error: --catalog: several catalogs need one app each, --catalog APP=FILE"
        ),
        (
            "eligibility genuine.der --catalog a=catalog.json --catalog a=catalog.json", 64,
            "error: --catalog: app a is given twice"
        ),
        (
            "eligibility genuine.der --catalog a=apps.json", 2,
            "error: apps.json: already names its apps; use --catalog FILE without APP="
        ),
        (
            "eligibility genuine.der --catalog catalog.json --stale-evidence maybe", 64,
            "error: --stale-evidence: 'maybe' is not one of accept, undetermined"
        ),
        (
            "eligibility genuine.der --catalog catalog.json --promotional-scope world", 64,
            "error: --promotional-scope: 'world' is not one of group, app"
        ),
        (
            "eligibility --trusting none.json --merge --catalog catalog.json", 64,
            "error: --trusting: cannot be combined with --merge or --renewal-info"
        ),
        (
            "eligibility --trusting none.json --root root.cer --catalog catalog.json", 64,
            "error: --trusting: verifies nothing, so roots, limits, --cross-check, --crl, --distrust, --revocation and a verification policy do not apply"
        ),
        (
            "eligibility --trusting missing.json --catalog catalog.json", 2,
            "error: missing.json: No such file or directory"
        ),
        ("eligibility --trusting folder --catalog catalog.json", 2, "error: folder: Is a directory"),
        // audit
        ("audit", 64, "error: missing expected argument '<source> ...'"),
        ("audit missing --ndjson -", 2, "error: missing: No such file or directory"),
        ("audit in.ndjson --jobs 0", 64, "error: --jobs: 0 is not a number from 1 to 1024"),
        ("audit in.ndjson --jobs 1000000", 64, "error: --jobs: 1000000 is not a number from 1 to 1024"),
        ("audit in.ndjson --jobs many", 64, "error: --jobs: 'many' is not a whole number"),
        ("audit in.ndjson --resume", 64, "error: --resume: requires --output FILE or --evidence FOLDER"),
        (
            "audit in.ndjson --output o.sqlite --resume --ndjson -", 64,
            "error: --resume: cannot continue standard output; use --ndjson FILE"
        ),
        (
            "audit in.ndjson --replay o.sqlite --output p.sqlite", 64,
            "error: --replay: cannot be combined with --output, --report, --csv, --ndjson, --subject-verdicts or --resume"
        ),
        ("audit - -", 64, "error: -: standard input is given twice"),
        ("audit in.ndjson --output in.ndjson", 64, "error: --output: in.ndjson is also given as SOURCE"),
        (
            "audit folder --output folder/o.sqlite", 64,
            "error: --output: folder/o.sqlite is inside the source folder folder"
        ),
        (
            "audit in.ndjson --report -", 64,
            "error: --report: cannot be written to standard output; name a file"
        ),
        ("audit in.ndjson --output ''", 64, "error: --output: empty path"),
        ("audit in.ndjson --replay missing.sqlite", 2, "error: missing.sqlite: No such file or directory"),
        ("audit in.ndjson --replay text.txt", 2, "error: text.txt: not an audit database, or damaged"),
        ("audit in.ndjson --output text.txt", 2, "error: text.txt: not an audit database, or damaged"),
        (
            "audit in.ndjson --format foo", 64,
            "error: --format: 'foo' is not one of auto, ndjson, json, csv, tar, sql, sqlite"
        ),
        ("audit in.ndjson --catalog missing.json", 2, "error: missing.json: No such file or directory"),
        ("audit hollow --ndjson -", 2, "error: the sources contain no records"),
        (
            "audit in.csv --receipt-field nosuch", 2,
            "error: in.csv, line 1: no column nosuch (--receipt-field), found id, receipt"
        ),
        (
            "audit in.csv --subject-field nosuch", 2,
            "error: in.csv, line 1: no column nosuch (--subject-field), found id, receipt"
        ),
        (
            "audit header.csv", 2,
            "error: header.csv, line 1: no column receipt, and no column contains receipts in most of the first records; use --receipt-field, found a, b"
        ),
        ("audit in.ndjson --subject-field nosuch", 2, "error: field nosuch: not found in any record"),
        (
            "audit in.ndjson --output missing/o.sqlite", 2,
            "error: missing/o.sqlite: the folder missing does not exist"
        ),
        (
            "audit in.csv --delimiter xx", 64,
            "error: --delimiter: 'xx' is not one of comma, semicolon, tab, pipe or a punctuation character"
        ),
        (
            "audit in.ndjson --created-after tomorrow --report r.html", 64,
            "error: --created-after: 'tomorrow' is not an RFC 3339 date, for example 2026-06-02T00:00:00Z"
        ),
        (
            "audit in.ndjson --created-after 2026-01-01T00:00:00Z", 64,
            "error: --created-after, --created-before: require --report FILE or --csv FOLDER"
        ),
        ("audit folder --include [", 2, "appreceipt: skipped: 1 file by --include or --exclude"),
        ("audit in.ndjson --output folder", 2, "error: folder: Is a directory"),
        (
            "audit in.ndjson --report in.csv", 2,
            "error: refusing to overwrite in.csv; choose another path or delete it"
        ),
        (
            "audit in.ndjson --report missing/r.html", 2,
            "error: missing/r.html: the folder missing does not exist"
        ),
        (
            "audit in.ndjson --ndjson in.csv", 2,
            "error: refusing to overwrite in.csv; choose another path or delete it"
        ),
        (
            "audit in.ndjson --ndjson missing/o.ndjson", 2,
            "error: missing/o.ndjson: the folder missing does not exist"
        ),
        ("audit in.ndjson --csv text.txt", 2, "error: text.txt: Not a directory"),
        (
            "audit in.ndjson --csv missing/tables", 2,
            "error: missing/tables: the folder missing does not exist"
        ),
        (
            "audit in.ndjson --subject-verdicts o.ndjson", 64,
            "error: --subject-verdicts: requires --catalog FILE"
        ),
        (
            "audit in.ndjson --catalog catalog.json --subject-verdicts in.csv", 2,
            "error: refusing to overwrite in.csv; choose another path or delete it"
        ),
        (
            "audit in.ndjson --catalog catalog.json --ndjson - --subject-verdicts -", 64,
            "error: --ndjson, --subject-verdicts: only one can be written to standard output"
        ),
        (
            "audit in.ndjson --evidence folder", 2,
            "error: folder: the folder is not empty; choose another path or empty it"
        ),
        ("audit in.ndjson --evidence text.txt", 2, "error: text.txt: Not a directory"),
        ("audit in.ndjson --evidence missing/e", 2, "error: missing/e: the folder missing does not exist"),
        (
            "audit in.ndjson --evidence e --output o.sqlite", 64,
            "error: --evidence: cannot be combined with other outputs; it writes them all into the folder"
        ),
        (
            "audit in.ndjson --prove 1", 64,
            "error: --prove: requires --database FILE and --output FOLDER, and no other output"
        ),
        ("audit in.ndjson --database o.sqlite", 64, "error: --database: requires --prove RECORD"),
        (
            "audit in.ndjson --database missing.sqlite --prove 1 --output e", 2,
            "error: missing.sqlite: No such file or directory"
        ),
        (
            "audit in.ndjson --report r.html --created-after 2026-02-01T00:00:00Z --created-before 2026-01-01T00:00:00Z",
            64, "error: --created-after: must be before --created-before"
        ),
        (
            "audit in.ndjson --receipt-field id --id-field id", 64,
            "error: --receipt-field: 'id' is also the id or subject field; name another one"
        ),
        (
            "audit in.ndjson --id-field ''", 64,
            "error: --id-field, --receipt-field, --subject-field: empty name"
        ),
        (
            "audit in.ndjson --as-of now", 64,
            "error: --as-of: 'now' is not an RFC 3339 date, for example 2026-06-02T00:00:00Z"
        ),
        ("audit ''", 64, "error: SOURCE: empty path"),
        ("audit - --evidence e", 2, "error: -: evidence cannot be made from standard input; name files"),
        // evidence
        ("evidence genuine.der", 64, "error: --output: required; name a new folder or a .tar file"),
        ("evidence", 64, "error: missing expected argument '<file> ...'"),
        (
            "evidence genuine.der --output folder", 2,
            "error: folder: the folder is not empty; choose another path or empty it"
        ),
        (
            "evidence genuine.der --output there.tar", 2,
            "error: refusing to overwrite there.tar; choose another path or delete it"
        ),
        ("evidence genuine.der --output text.txt", 2, "error: text.txt: Not a directory"),
        ("evidence genuine.der --output missing/e", 2, "error: missing/e: the folder missing does not exist"),
        (
            "evidence folder --output folder/e", 2,
            "error: --output: folder/e is inside the source folder folder"
        ),
        (
            "evidence genuine.der --output e --product p", 64,
            "error: missing --catalog FILE or --single-group"
        ),
        ("evidence missing.der --output e", 2, "error: missing.der: No such file or directory"),
        ("evidence --check folder", 2, "error: folder/genuine.der: not an evidence folder"),
        ("evidence --check missing", 2, "error: missing: No such file or directory"),
        (
            "evidence --check text.txt", 2,
            "error: text.txt, byte 0: not a tar archive written by appreceipt evidence"
        ),
        (
            "evidence --check folder --output e", 64,
            "error: --check: cannot be combined with --output or a verification policy"
        ),
        (
            "evidence --check folder --as-of 2026-01-01T00:00:00Z", 64,
            "error: --check: to compare the verdicts on offers, give both --catalog FILE and --as-of DATE"
        ),
        // rules
        ("rules x", 64, "error: unexpected argument 'x'"),
        // schema
        (
            "schema nosuch", 64,
            "error: <name>: 'nosuch' is not one of verify, eligibility, audit, ask, migrate, forget, rules, forge, verify-receipt, subject-verdicts, citations, manifest, findings, distrust"
        ),
        ("schema verify --all", 64, "error: --all: cannot be combined with a name"),
        // forge
        ("forge", 64, "error: missing specification or --count"),
        ("forge spec.json", 64, "error: --output: required with a specification"),
        ("forge --count 3 spec.json", 64, "error: --count: cannot be combined with a specification"),
        ("forge --count -1", 64, "error: missing value for '--count <count>'"),
        ("forge missing.json --output o", 2, "error: missing.json: No such file or directory"),
        ("forge text.txt --output o", 2, "error: text.txt: not valid JSON"),
        ("forge none.json --output o", 2, "error: none.json: receipts: missing"),
        (
            "forge spec.json --output o", 2,
            "error: spec.json: receipts[0].hostile: unknown hostile variant 'nosuch'; appreceipt forge --list-variants lists them"
        ),
        ("forge --count many", 64, "error: --count: 'many' is not a whole number"),
        (
            "forge --count 3 --output missing/o.ndjson", 2,
            "error: missing/o.ndjson: the folder missing does not exist"
        ),
        ("forge --count 3 --seed x", 64, "error: --seed: 'x' is not a whole number"),
    ]

    @Test("each input has its message", arguments: rows)
    func line(arguments: String, status: Int32, line: String) throws {
        let words = arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        let answer = try tool.run(files: words)
        #expect(answer.status == status)
        #expect((answer.errorLines.first ?? answer.lines.first).map(String.init) == line)
    }
}
