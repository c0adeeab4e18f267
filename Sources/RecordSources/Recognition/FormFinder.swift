import AppReceipt
import ReceiptExamination
import StrictJSON

/// The recognition of a source's form: by its name if that is sufficient, otherwise by its first bytes. It
/// also finds the field of the receipt, by its name or in the first records.
struct FormFinder {
    private let path: String
    private let settings: SourceSettings
    private let limits: ReceiptLimits
    private let file: InputFile
    /// The opened stream, if it cannot be opened again.
    private(set) var kept: ByteStream?
    private(set) var notes: [String] = []
    /// The fields with receipts that will not be read, or nil if there are none.
    private(set) var unread: String?
    /// The detected field of the subjects, if the settings name none and it does not have the default name.
    private(set) var subject: String?
    private let makeDigest: (() -> StreamDigest)?

    init(
        _ path: String, _ settings: SourceSettings, limits: ReceiptLimits,
        makeDigest: (() -> StreamDigest)? = nil
    ) {
        (self.path, self.settings, self.limits, self.makeDigest) = (path, settings, limits, makeDigest)
        file = InputFile(path: path)
    }

    /// A format, or what the contents show. The formats have the names of ``SourceFormat``.
    private enum Kind: String { case files, tar, csv, ndjson, json, text, sql, sqlite }

    private var names: ColumnNames { settings.columns }

    /// Whether the reader notices receipts in other fields: no field is named, and the beginning shows no others.
    private var isNoticing: Bool { names.receipt == nil && unread == nil }

    mutating func form() throws -> SourceForm {
        try file.requireExistence()
        if try file.isFolder {
            let archive = (try? InputFile(path: "\(path)/toc.dat").start(5)) ?? []
            guard !archive.starts(with: "PGDMP".utf8) else { throw Self.archiveError(path) }
            return .files
        }
        let start = try AuditError.naming(path) { try file.start(18) }
        if start.starts(with: "PAR1".utf8) || path.lowercased().hasSuffix(".parquet") {
            throw AuditError(
                "\(path): Parquet is not supported here; use python -m appreceipt.records FILE | "
                    + "appreceipt audit -, or python -m appreceipt.spark INPUT OUTPUT")
        }
        if start.starts(with: "PGDMP".utf8) {
            throw Self.archiveError(path)
        }
        let named = kind(start)
        let kind = try named ?? contentKind()
        if kind == .files { return .files }
        if kind == .sqlite { return try sqliteForm(start) }
        let isReadOnce = file.size == nil
        let stream = try ByteStream(path: path, digest: isReadOnce ? makeDigest?() : nil)
        if isReadOnce { kept = stream }
        try stream.inflateIfCompressed()
        if kind == .tar {
            let first = try stream.peek(8) { $0.count == 8 }
            guard !first.elementsEqual("toc.dat\0".utf8) else { throw Self.archiveError(path) }
            return .tar
        }
        try stream.skipByteOrderMark()
        if kind == .sql { return .sql(settings) }
        guard kind == .csv else { return try textForm(stream, kind) }
        do {
            return .csv(try columns(of: stream))
        } catch let error as AuditError where named == nil && names.receipt == nil {
            notes.append("\(error); read as one receipt")
            return .files
        }
    }

    /// Returns the kind by the options, the name or the first bytes, or nil if the contents must be examined.
    private func kind(_ start: [UInt8]) -> Kind? {
        if let kind = Kind(rawValue: settings.format.rawValue) { return kind }
        if start.starts(with: SQLiteTables.start) { return .sqlite }
        let name = path.lowercased()
        let stem = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
        if [".ndjson", ".jsonl"].contains(where: stem.hasSuffix) { return .ndjson }
        if [".csv", ".tsv", ".tab"].contains(where: stem.hasSuffix) { return .csv }
        if stem.hasSuffix(".sql") { return .sql }
        if stem.hasSuffix(".tar") || name.hasSuffix(".tgz") { return .tar }
        if path == "-" || stem.hasSuffix(".json") { return .text }
        // No receipt begins with these characters.
        if start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[") { return .text }
        return start.isEmpty ? .files : nil
    }

    /// Returns the kind by the first bytes of a file, after decompression.
    private func contentKind() throws -> Kind {
        let stream = try ByteStream(path: path)
        try stream.inflateIfCompressed()
        let block = try stream.peek(TarHeader.size) { $0.count == TarHeader.size }
        if TarHeader(block) != nil { return .tar }
        try stream.skipByteOrderMark()
        let text = try stream.peek(1 << 16) { $0.count == 1 << 16 }
        if SQLDump.isDump(text) { return .sql }
        if Self.isXMLOfMySQL(text) {
            throw AuditError("\(path): XML of MySQL is not supported; use mysqldump without --xml")
        }
        return switch InputResemblance(text.span) {
        case .json, .verifyReceiptAnswer: .text
        case .table: .csv
        default: .files
        }
    }

    /// Returns whether a text begins like the output of `mysqldump --xml` or `mysql --xml`.
    private static func isXMLOfMySQL(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(256), as: UTF8.self)
        return start.hasPrefix("<?xml") && (start.contains("<mysqldump") || start.contains("<resultset"))
    }

    private static func archiveError(_ path: String) -> AuditError {
        AuditError("\(path): an archive of pg_dump; use pg_restore --file=- \(path) | appreceipt audit -")
    }

    private func sqliteForm(_ start: [UInt8]) throws -> SourceForm {
        guard start.starts(with: SQLiteTables.start), start.count == 18, let size = file.size else {
            throw AuditError("\(path): not an SQLite database, or not a file; unpack it first")
        }
        // SQLite reads zeros for the missing end of the last page.
        let pageSize = Int(start[16]) << 8 | Int(start[17])
        guard pageSize > 0, size % (pageSize == 1 ? 1 << 16 : pageSize) == 0 else {
            throw AuditError("\(path): truncated: \(size) bytes are not a number of whole pages")
        }
        try SQLiteTables.requireComplete(path)
        return .sqlite(settings)
    }

    // MARK: - JSON

    /// Returns the form of lines of JSON, or of JSON that spans lines.
    private mutating func textForm(_ stream: ByteStream, _ kind: Kind) throws -> SourceForm {
        var isLines = kind == .ndjson
        if kind == .text {
            let (line, text) = try FirstLine.peek(at: stream, isJSON: true)
            if SQLDump.isDump(text) { return .sql(settings) }
            isLines = line.first != UInt8(ascii: "[") && !line.isOpen
        }
        if let pattern = try treePattern(of: stream, kind) {
            return .tree(
                pattern,
                pattern.names(
                    names, subject: subject, kept: settings.kept, isNoticing: names.receipt == nil))
        }
        let (receipt, subject) = try fields(of: stream, isLines ? .ndjson : .json)
        let fields = FieldNames(
            names, receipt: receipt, subject: subject, kept: settings.kept, isNoticing: isNoticing)
        return isLines ? .ndjson(fields) : .json(fields)
    }

    /// Returns the place of the records in JSON that is keyed by id, or nil for other JSON.
    private mutating func treePattern(of stream: ByteStream, _ kind: Kind) throws -> TreePattern? {
        if let receipt = names.receipt {
            guard let pattern = TreePattern(receipt) else { return nil }
            let member = try TreeSearch.subject(in: pattern, of: stream, limits: limits)
            if let note = note(subject: member) {
                notes.append("\(stream.name): \(note) (override with --subject-field)")
            }
            return pattern
        }
        guard kind != .ndjson, let found = try TreeSearch.result(of: stream, limits: limits) else {
            return nil
        }
        var parts = ["records keyed by id: \(found.pattern.text.cut)"]
        if !found.others.isEmpty {
            parts.append("receipts in \(Self.shown(found.others)) ignored")
            unread = "\(stream.name): receipts in \(Self.shown(found.others))"
        }
        if let note = note(subject: found.subject) { parts.append(note) }
        notes.append(
            "\(stream.name): \(parts.joined(separator: "; ")) (override with --receipt-field, --subject-field)"
        )
        return found.pattern
    }

    /// Notes the member of the subject in JSON that is keyed by id, unless the settings name it.
    private mutating func note(subject found: String?) -> String? {
        guard names.subject == nil, let found, found != ColumnNames.subject else { return nil }
        subject = found
        return "subjects read from the member \(found.cut)"
    }

    /// Returns the fields of the receipt and of the subject. Each is nil if the settings name it or it is not
    /// found. The receipt is also nil if it has the default name.
    private mutating func fields(
        of stream: ByteStream, _ format: TextSource.Format
    ) throws -> (receipt: String?, subject: String?) {
        let usual = FieldNames(names)
        let limits = limits
        var search = FieldSearch(limits: limits)
        var isUsual = names.receipt != nil
        try stream.look(upTo: FieldSearch.mostBytes) {
            let source = TextSource(stream, source: path, format: format, limit: FieldSearch.mostBytes)
            while !search.isOver, let batch = try source.next() {
                for (record, place) in zip(batch.records, batch.places) where !search.isOver {
                    guard case .line(let range, _) = record else { continue }
                    search.add(line: batch.bytes.span.extracting(range))
                    if !isUsual {
                        let fields = try? RecordFields(
                            line: range, of: batch.bytes.span, usual, place: place, limits: limits)
                        isUsual = fields?.receipt != nil
                    }
                    if stream.isAwaited, isUsual || search.isSettled { return }
                }
            }
        }
        let subject = names.subject == nil ? search.subject : nil
        let found = isUsual ? names.receipt ?? ColumnNames.receipt : search.result
        if search.records > 0 {
            note(
                stream, found, search, subject: subject,
                has: { name in search.names.contains { $0.isExactly(name) } }, of: "field")
        }
        return (isUsual ? nil : found, subject)
    }

    /// Notes the decisions made without settings, if there are any.
    /// - Parameter receipt: The field of the receipt, or nil if none was found.
    private mutating func note(
        _ stream: ByteStream, _ receipt: String?, _ search: FieldSearch, subject: String?,
        has: (String) -> Bool, of kind: String
    ) {
        let isUsual = receipt?.isExactly(names.receipt ?? ColumnNames.receipt) == true
        var parts: [String] = []
        if let receipt {
            if !isUsual { parts.append("receipts read from the \(kind) \(receipt.cut)") }
            let others = names.receipt == nil ? search.others(than: receipt) : []
            if !others.isEmpty {
                parts.append("receipts in \(Self.shown(others)) ignored")
                unread = "\(stream.name): receipts in \(Self.shown(others))"
            }
        } else if search.answers > 0 {
            parts.append(
                "signed objects read from App Store Server API members, such as signedTransactionInfo")
        } else {
            notes.append(
                "\(stream.name): no field receipt, and no field contains receipts in most of the first records; "
                    + "use --receipt-field")
        }
        if !isUsual, receipt != nil, !has(names.id ?? ColumnNames.id) {
            parts.append("no id, records are numbered")
        }
        if let subject, subject != ColumnNames.subject {
            parts.append("subjects read from the \(kind) \(subject.cut)")
            self.subject = subject
        } else if !isUsual, receipt != nil, subject == nil, names.subject.map(has) != true {
            parts.append("no subject")
        }
        guard !parts.isEmpty else { return }
        notes.append(
            "\(stream.name): \(parts.joined(separator: "; ")) "
                + "(override with --receipt-field, --id-field, --subject-field)")
    }

    // MARK: - CSV

    private mutating func columns(of stream: ByteStream) throws -> CSVColumns {
        let separator = try stream.skipSeparatorLine()
        let delimiter = try settings.delimiter ?? separator ?? delimiter(of: stream)
        let (limits, isSought) = (limits, names.receipt == nil)
        var search = FieldSearch(limits: limits)
        var header: [String]?
        var hasHeader = true
        var isUsual = false
        try stream.look(upTo: FieldSearch.mostBytes) {
            let source = TextSource(
                stream, source: path, format: .rows(delimiter: delimiter), limit: FieldSearch.mostBytes)
            while !search.isOver, let batch = try source.next() {
                for record in batch.records where !search.isOver {
                    if header == nil, case .refused(_, let refusal) = record {
                        throw AuditError("\(stream.name): \(refusal.message)")
                    }
                    guard case .row(let range) = record else { continue }
                    let row = CSVRow(
                        batch.bytes, range, delimiter: delimiter, keeping: CSVColumns.mostColumns)
                    if header == nil {
                        (header, hasHeader) = try columnNames(row, of: stream)
                        if hasHeader, !isSought { return }
                        if hasHeader {
                            isUsual = header?.contains { $0.isExactly(ColumnNames.receipt) } == true
                            continue
                        }
                    }
                    if let row, let header, row.count == header.count { search.add(row: row, header) }
                    if stream.isAwaited, isUsual || search.isSettled { return }
                }
            }
        }
        guard let header else { throw AuditError("\(stream.name): no header line with column names") }
        let choice = Choice(header: header, name: stream.name)
        let usual = try isSought && hasHeader ? choice.place(ColumnNames.receipt) : nil
        let subject = names.subject == nil && hasHeader ? SubjectNames.find(in: header) : nil
        let receipt: Int
        if let named = names.receipt {
            receipt = try choice.required(named, "--receipt-field")
        } else if let usual {
            receipt = usual
        } else if let found = search.result, let place = try choice.place(found) {
            guard !saysNone(found), found.utf8.count < 128 else {
                throw AuditError(
                    "\(stream.name), line 1: column \(place + 1), named '\(found.cut)', contains receipts: missing header "
                        + "line? Add column names, or use --receipt-field"
                )
            }
            receipt = place
        } else {
            throw AuditError(
                "\(stream.name), line 1: no column receipt, and no column contains receipts in most of the first "
                    + "records; use --receipt-field, found \(choice.shown)")
        }
        note(
            stream, header[receipt], search, subject: subject,
            has: { name in header.contains { $0.isExactly(name) } }, of: "column")
        let others = header.indices.filter {
            names.receipt == nil && $0 != receipt && APIAnswer.names.contains(header[$0].ifASCII)
        }
        let noticed = header.indices.filter { isNoticing && $0 != receipt && !others.contains($0) }
        return CSVColumns(
            delimiter: delimiter, hasHeader: hasHeader,
            id: try names.id.map { try choice.required($0, "--id-field") } ?? choice.place(ColumnNames.id),
            receipt: receipt,
            subject: try names.subject.map { try choice.required($0, "--subject-field") }
                ?? subject.flatMap(choice.place),
            count: header.count, others: others.map { ($0, header[$0]) },
            noticed: noticed.map { ($0, header[$0]) },
            kept: try kept(choice, except: [receipt] + others))
    }

    /// Returns the columns that are kept, and those that select rows.
    /// - Parameter signed: The columns with signed objects.
    private func kept(_ choice: Choice, except signed: [Int]) throws(AuditError) -> CSVColumns.Kept {
        var kept = CSVColumns.Kept()
        kept.fields = settings.kept
        if kept.fields.isAll {
            kept.columns = choice.header.indices.filter { !signed.contains($0) }.prefix(KeptFields.mostFields)
                .map { ($0, Array(choice.header[$0].utf8)) }
        } else {
            for name in settings.keptColumns {
                kept.columns.append((try choice.required(name, "--keep"), Array(name.utf8)))
            }
        }
        for name in Set(settings.conditions.map(\.column)).sorted() {
            kept.conditions.append((try choice.required(name, "--where"), Array(name.utf8)))
        }
        return kept
    }

    /// Returns a tab for a file with such an extension, otherwise the most frequent delimiter in the first
    /// line.
    private mutating func delimiter(of stream: ByteStream) throws -> UInt8 {
        let name = path.lowercased()
        if [".tsv", ".tab", ".tsv.gz", ".tab.gz"].contains(where: name.hasSuffix) { return 0x09 }
        return try FirstLine.peek(at: stream, isJSON: false).line.delimiter
    }

    /// Returns the names in the first row. If that is already a record, the columns are named by their
    /// numbers.
    private func columnNames(
        _ row: CSVRow?, of stream: ByteStream
    ) throws -> (names: [String], hasHeader: Bool) {
        guard let row else { throw AuditError("\(stream.name), line 1: not CSV") }
        guard row.count <= CSVColumns.mostColumns else {
            throw AuditError(
                "\(stream.name), line 1: \(row.count) columns, more than the limit of \(CSVColumns.mostColumns)"
            )
        }
        if FieldSearch.holdsReceipt(row, limits: limits) { return ((1...row.count).map { "\($0)" }, false) }
        return (row.fields.map { String(decoding: $0, as: UTF8.self) }, true)
    }

    /// Returns whether the name of a column is a word for a missing value.
    private func saysNone(_ name: String) -> Bool {
        let others = ["n/a", "#n/a", "na", "nan", "nil", "none", "(null)", "undefined", "-"]
        return Array(name.utf8).span.saysAbsent || others.contains(name.ifASCII.lowercased())
    }

    static func shown(_ names: [String]) -> String {
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return names.prefix(20).map(\.cut).joined(separator: ", ") + more
    }

    /// The columns to choose from.
    private struct Choice {
        let header: [String]
        let name: String

        var shown: String { FormFinder.shown(header) }

        func place(_ column: String) throws(AuditError) -> Int? {
            // Compares bytes, because Swift treats canonically equivalent strings as equal.
            let places = header.indices.filter { header[$0].utf8.elementsEqual(column.utf8) }
            if places.count > 1 {
                throw AuditError("\(name), line 1: duplicate column \(column.cut)")
            }
            return places.first
        }

        func required(_ column: String, _ option: String) throws(AuditError) -> Int {
            guard let place = try place(column) else {
                throw AuditError(
                    "\(name), line 1: no column \(column.cut) (\(option)), found \(shown)")
            }
            return place
        }
    }
}
