import AppReceipt
import ReceiptExamination
import StrictJSON

/// The rows of a source's tables as records. It finds the tables with receipts, and their columns, from the
/// first rows of each table.
///
/// Only one table at a time is undecided. If a table without receipts in its first rows has one later, the
/// message of the source says so.
final class TableRows {
    private enum Decision {
        case reads(receipt: String?, isNoticing: Bool)
        /// No column holds receipts.
        case leaves
        /// The settings exclude the table.
        case excluded
    }

    /// A table whose first rows are examined.
    private struct Sample {
        let table: String
        let columns: [String]
        var search: FieldSearch
        var rows: [Row] = []
        var bytes = 0

        enum Row {
            case read(TableRow, columns: [String], line: [UInt8])
            case refused(String, holdsReceipt: Bool)
        }
    }

    private let source: String
    private let name: String
    private let settings: SourceSettings
    private let limits: ReceiptLimits
    /// The maximum size of a record in bytes.
    private let limit: Int
    private var database = ""
    private var decisions: [[UInt8]: Decision] = [:]
    /// The names of the members of the last row's record. Statements of one table may have different columns.
    private var last: (table: String, columns: [String], names: FieldNames)?
    private var sample: Sample?
    private var batches: [Batch] = []
    private var place = 1
    private(set) var notes: [String] = []
    private var noted: Set<[UInt8]> = []
    private var unread = UnreadReceipts()
    private var unreadColumns: [String] = []
    /// The rows of tables without receipts that cannot be read, and the reason for the first.
    private var unreadable: (count: Int, first: String) = (0, "")
    /// The columns of the subjects, if the settings name none.
    private var subjects: [String] = []
    private var seen: [String] = []

    /// The maximum number of tables. Databases have fewer.
    static let mostTables = 10_000

    init(source: String, name: String, _ settings: SourceSettings, limits: ReceiptLimits, limit: Int) {
        (self.source, self.name, self.settings) = (source, name, settings)
        (self.limits, self.limit) = (limits, limit)
    }

    // MARK: - Results

    /// Returns the next complete batch, or nil if more rows are needed.
    func batch(of size: Int) -> Batch? {
        guard let first = batches.first else { return nil }
        guard batches.count > 1 || first.bytes.count >= size || first.records.count >= 256 else { return nil }
        return batches.removeFirst()
    }

    /// Ends the source.
    /// - Parameter damage: The reason why it ends early, or nil.
    /// - Returns: The remaining batches.
    func end(_ damage: String?) -> [Batch] {
        decide()
        if let damage { refuse(damage) }
        var last = batches.popLast() ?? Batch(source: source)
        if last.records.isEmpty, damage == nil, place == 1 { notes.append(missing) }
        if unreadable.count > 0 {
            let rows = unreadable.count == 1 ? "1 row" : "\(unreadable.count) rows"
            notes.append(
                "\(name): \(rows) of tables without receipts cannot be read, the first of \(unreadable.first)"
            )
        }
        last.notes = notes
        last.unread = unreadColumns
        last.subjects = subjects
        if let message = unread.message(of: name, outside: "the tables and columns that were read") {
            last.unread.append(message)
        }
        return batches + [last]
    }

    /// The note for a source in which no table was read.
    private var missing: String {
        let shown = seen.isEmpty ? "no tables" : FormFinder.shown(seen)
        guard settings.tables.isEmpty else {
            return
                "\(name): no rows with receipts in the table \(FormFinder.shown(settings.tables)) (--table), found \(shown)"
        }
        return "\(name): no table has a column with receipts; use --table and --receipt-field, found \(shown)"
    }

    // MARK: - Rows

    /// Returns whether the rows of a table are needed.
    func wants(_ table: String) -> Bool {
        if seen.count < 100, !seen.contains(where: { $0.isExactly(table) }) { seen.append(table) }
        return settings.tables.isEmpty || settings.names(table)
    }

    /// Begins another database, whose tables may have the same names.
    func beginDatabase(_ name: String) {
        decide()
        (database, last) = (name, nil)
    }

    /// Returns the key of a table of this database.
    private func key(_ table: String) -> [UInt8] { Array(database.utf8) + [0] + Array(table.utf8) }

    func add(_ row: TableRow, of table: String, _ columns: [String]) {
        if let open = sample, !open.table.isExactly(table) { decide() }
        switch decisions[key(table)] {
        case .leaves?: watch(row, of: table, columns)
        case .reads(let receipt, let isNoticing)?:
            append(row.line(columns), names(of: table, columns, receipt: receipt, isNoticing: isNoticing))
        // Other statements of the table may have the column.
        case .excluded?, nil: examine(row, of: table, columns)
        }
    }

    /// Adds a row that cannot be read.
    func refuse(_ message: String) {
        if batches.isEmpty { batches.append(Batch(source: source)) }
        batches[batches.count - 1].add(.unreadable(message), at: place)
        place += 1
    }

    /// Adds a row that is too long or has another number of values than its table has columns. It decides nothing about the table.
    func refuse(_ message: String, of table: String, holdsReceipt: Bool) {
        if let open = sample, open.table.isExactly(table) {
            sample?.rows.append(.refused(message, holdsReceipt: holdsReceipt))
            return decideIfReady()
        }
        decide()
        switch decisions[key(table)] {
        case .leaves?: leave(message, of: table, holdsReceipt: holdsReceipt)
        case .excluded?: break
        case .reads?, nil: refuse(message)
        }
    }

    /// Notes a row that cannot be read of a table without receipts. With a receipt, it is a record.
    private func leave(_ message: String, of table: String, holdsReceipt: Bool) {
        guard !holdsReceipt else { return refuse(message) }
        if unreadable.count == 0 { unreadable.first = "\(table.cut): \(message)" }
        unreadable.count += 1
    }

    private func examine(_ row: TableRow, of table: String, _ columns: [String]) {
        if let receipt = settings.columns.receipt {
            let isThere = columns.contains { $0.utf8.elementsEqual(receipt.utf8) }
            set(isThere ? .reads(receipt: nil, isNoticing: false) : .excluded, table)
            guard isThere else { return }
            add(note: "\(name): table \(table.cut)")
            noteSubject(in: columns, of: table)
            return append(row.line(columns), names(of: table, columns, receipt: nil, isNoticing: false))
        }
        let line = row.line(columns)
        if sample == nil {
            sample = Sample(table: table, columns: columns, search: FieldSearch(limits: limits))
        }
        sample?.search.add(line: line.span)
        sample?.rows.append(.read(row, columns: columns, line: line))
        sample?.bytes += line.count
        decideIfReady()
    }

    private func decideIfReady() {
        guard let sample else { return }
        if sample.rows.count >= FieldSearch.mostRecords || sample.bytes >= FieldSearch.mostBytes { decide() }
    }

    private func foundSubject(in columns: [String]) -> String? {
        settings.columns.subject == nil ? SubjectNames.find(in: columns) : nil
    }

    private func noteSubject(in columns: [String], of table: String) {
        guard let subject = foundSubject(in: columns), subject != ColumnNames.subject else { return }
        subjects.append("\(name): \(table.cut).\(subject)")
    }

    /// Returns the names of the members of a table's records with these columns.
    private func names(
        of table: String, _ columns: [String], receipt: String?, isNoticing: Bool
    ) -> FieldNames {
        if let last, last.table.isExactly(table), last.columns == columns { return last.names }
        let names = FieldNames(
            settings.columns, receipt: receipt, subject: foundSubject(in: columns), kept: settings.kept,
            isNoticing: isNoticing)
        last = (table, columns, names)
        return names
    }

    private func set(_ decision: Decision, _ table: String) {
        last = nil
        guard decisions.count < Self.mostTables else { return }
        decisions[key(table)] = decision
    }

    /// Adds a note, once if it is the same for several databases.
    private func add(note: String) {
        if noted.insert(Array(note.utf8)).inserted { notes.append(note) }
    }

    /// Decides on the table whose rows were examined, and reads these rows.
    private func decide() {
        guard let open = sample else { return }
        sample = nil
        let (table, search) = (open.table, open.search)
        let usual = ColumnNames.receipt
        let found = open.columns.contains { $0.isExactly(usual) } ? usual : search.result
        guard found != nil || search.answers > 0 else {
            set(.leaves, table)
            return leave(open)
        }
        let isNoticing = found.map { search.others(than: $0).isEmpty } ?? true
        set(.reads(receipt: found, isNoticing: isNoticing), table)
        noteSubject(in: open.columns, of: table)
        note(table, found, search, open.columns)
        for row in open.rows {
            switch row {
            case .read(_, let columns, let line):
                append(line, names(of: table, columns, receipt: found, isNoticing: isNoticing))
            case .refused(let message, _): refuse(message)
            }
        }
    }

    /// Notes what the first rows of a table without receipts hold.
    private func leave(_ open: Sample) {
        var noticed: [String] = []
        for row in open.rows {
            switch row {
            case .read(let row, let columns, _): noticed += watch(row, of: open.table, columns)
            case .refused(let message, let holdsReceipt):
                leave(message, of: open.table, holdsReceipt: holdsReceipt)
            }
        }
        // The search also recognizes wrapped receipts.
        for column in open.search.others(than: "") where !noticed.contains(where: column.isExactly) {
            unread.add("\(open.table.cut).\(column.cut)")
        }
    }

    private func note(_ table: String, _ found: String?, _ search: FieldSearch, _ columns: [String]) {
        var parts = ["table \(table.cut)"]
        if let found {
            parts[0] += ": receipts read from the column \(found.cut)"
            let others = search.others(than: found)
            if !others.isEmpty {
                parts.append("receipts in \(FormFinder.shown(others)) ignored")
                unreadColumns.append("\(name): table \(table.cut): receipts in \(FormFinder.shown(others))")
            }
        } else {
            parts[0] += ": signed objects read from App Store Server API columns"
        }
        let id = settings.columns.id ?? ColumnNames.id
        if !columns.contains(where: { $0.isExactly(id) }) {
            parts.append("no id, records are numbered")
        }
        let subject = settings.columns.subject ?? SubjectNames.find(in: columns)
        if let subject, columns.contains(where: { $0.isExactly(subject) }) {
            if subject != ColumnNames.subject { parts.append("subjects read from the column \(subject.cut)") }
        } else {
            parts.append("no subject")
        }
        add(
            note: "\(name): \(parts.joined(separator: "; ")) "
                + "(override with --table, --receipt-field, --id-field, --subject-field)")
    }

    private func append(_ line: [UInt8], _ names: FieldNames) {
        guard line.count <= limit else { return refuse(RecordFields.tooLong) }
        // All records of a batch have the same names.
        let isOther = batches.last.map { batch in
            batch.names.map { !$0.isEqual(to: names) } == true || batch.bytes.count >= FieldSearch.mostBytes
        }
        if isOther ?? true { batches.append(Batch(source: source)) }
        let last = batches.count - 1
        batches[last].names = names
        let start = batches[last].bytes.count
        batches[last].bytes += line
        batches[last].add(.line(start..<batches[last].bytes.count), at: place)
        place += 1
    }

    /// Notes receipts in a table that is not read.
    /// - Returns: The columns that have one.
    @discardableResult
    private func watch(_ row: TableRow, of table: String, _ columns: [String]) -> [String] {
        let found = zip(row.cells, columns).filter { cell, _ in cell.holdsReceipt }.map(\.1)
        for column in found { unread.add("\(table.cut).\(column.cut)") }
        return found
    }
}
