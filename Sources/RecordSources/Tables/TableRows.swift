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
        case reads(FieldNames)
        /// No column holds receipts.
        case leaves
        /// The settings exclude the table.
        case excluded
    }

    /// A table, and the columns of a row. Statements of one table may have different columns.
    private struct Key: Hashable {
        let table: [UInt8]
        let columns: [[UInt8]]

        init(_ table: String, _ columns: [String]) {
            (self.table, self.columns) = (Array(table.utf8), columns.map { Array($0.utf8) })
        }
    }

    /// A table whose first rows are examined.
    private struct Sample {
        let table: String
        let columns: [String]
        var search: FieldSearch
        var rows: [Row] = []
        var bytes = 0

        enum Row {
            case read(TableRow, line: [UInt8])
            case refused(String)
        }
    }

    private let source: String
    private let name: String
    private let settings: SourceSettings
    private let limits: ReceiptLimits
    /// The maximum size of a record in bytes.
    private let limit: Int
    private var decisions: [Key: Decision] = [:]
    /// The last decision on each table.
    private var tables: [[UInt8]: Decision] = [:]
    /// The number of decisions so far, also on tables of databases before.
    private var decided = 0
    /// The table, the columns and the decision of the last row.
    private var last: (table: String, columns: [String], decision: Decision)?
    private var sample: Sample?
    private var batches: [Batch] = []
    private var place = 1
    private(set) var notes: [String] = []
    private var unread = UnreadReceipts()
    private var unreadColumns: [String] = []
    /// The columns of the subjects, if the settings name none.
    private var subjects: [String] = []
    private var seen: [String] = []

    /// The maximum number of tables, and of different columns in statements. Databases have fewer.
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

    func add(_ row: TableRow, of table: String, _ columns: [String]) {
        if let open = sample, !open.table.isExactly(table) || open.columns != columns { decide() }
        switch decision(on: table, columns) {
        case .excluded?: break
        case .leaves?: watch(row, of: table, columns)
        case .reads(let names)?: append(row.line(columns), names)
        case nil:
            guard decided < Self.mostTables else { return refuse("more than \(Self.mostTables) tables") }
            examine(row, of: table, columns)
        }
    }

    private func decision(on table: String, _ columns: [String]) -> Decision? {
        if let last, last.table.isExactly(table), last.columns == columns { return last.decision }
        guard let decision = decisions[Key(table, columns)] else { return nil }
        last = (table, columns, decision)
        return decision
    }

    /// Begins another database, whose tables may have the same names.
    func beginDatabase() {
        decide()
        (decisions, tables, last) = ([:], [:], nil)
    }

    /// Adds a row that cannot be read.
    func refuse(_ message: String) {
        if batches.isEmpty { batches.append(Batch(source: source)) }
        batches[batches.count - 1].add(.unreadable(message), at: place)
        place += 1
    }

    /// Adds a row that is too long or has another number of values than its table has columns.
    func refuse(_ message: String, of table: String) {
        // Rows that cannot be read decide nothing.
        if let open = sample, open.table.isExactly(table) {
            sample?.rows.append(.refused(message))
            return decideIfReady()
        }
        decide()
        switch tables[Array(table.utf8)] {
        case .leaves?, .excluded?: break
        case .reads?, nil: refuse(message)
        }
    }

    private func examine(_ row: TableRow, of table: String, _ columns: [String]) {
        if let receipt = settings.columns.receipt {
            let isThere = columns.contains { $0.utf8.elementsEqual(receipt.utf8) }
            let names = fieldNames(columns, receipt: nil, of: table)
            set(isThere ? .reads(names) : .excluded, table, columns)
            guard isThere else { return }
            notes.append("\(name): table \(table.cut)")
            return append(row.line(columns), names)
        }
        let line = row.line(columns)
        if sample == nil {
            sample = Sample(table: table, columns: columns, search: FieldSearch(limits: limits))
        }
        sample?.search.add(line: line.span)
        sample?.rows.append(.read(row, line: line))
        sample?.bytes += line.count
        decideIfReady()
    }

    private func decideIfReady() {
        guard let sample else { return }
        if sample.rows.count >= FieldSearch.mostRecords || sample.bytes >= FieldSearch.mostBytes { decide() }
    }

    /// Returns the names of the members of a table's records.
    private func fieldNames(
        _ columns: [String], receipt: String?, of table: String, isNoticing: Bool = false
    ) -> FieldNames {
        let subject = settings.columns.subject == nil ? SubjectNames.find(in: columns) : nil
        if let subject, subject != ColumnNames.subject { subjects.append("\(name): \(table.cut).\(subject)") }
        return FieldNames(
            settings.columns, receipt: receipt, subject: subject, kept: settings.kept, isNoticing: isNoticing)
    }

    private func set(_ decision: Decision, _ table: String, _ columns: [String]) {
        decided += 1
        decisions[Key(table, columns)] = decision
        tables[Array(table.utf8)] = decision
    }

    /// Decides on the table whose rows were examined, and reads these rows.
    private func decide() {
        guard let open = sample else { return }
        sample = nil
        let (table, search) = (open.table, open.search)
        let usual = ColumnNames.receipt
        let found = open.columns.contains { $0.isExactly(usual) } ? usual : search.result
        guard found != nil || search.answers > 0 else {
            set(.leaves, table, open.columns)
            leave(open)
            return
        }
        let isNoticing = found.map { search.others(than: $0).isEmpty } ?? true
        let names = fieldNames(open.columns, receipt: found, of: table, isNoticing: isNoticing)
        set(.reads(names), table, open.columns)
        note(table, found, search, open.columns)
        for row in open.rows {
            switch row {
            case .read(_, let line): append(line, names)
            case .refused(let message): refuse(message)
            }
        }
    }

    /// Notes receipts in the first rows of a table that is not read, and those rows that cannot be read.
    private func leave(_ open: Sample) {
        var noticed: Set<Int> = []
        for row in open.rows {
            switch row {
            case .read(let row, _): noticed.formUnion(watch(row, of: open.table, open.columns))
            case .refused(let message): refuse(message)
            }
        }
        // The search also recognizes wrapped receipts.
        let others = open.search.others(than: "")
        for (place, column) in open.columns.enumerated()
        where !noticed.contains(place) && others.contains(where: { $0.isExactly(column) }) {
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
        notes.append(
            "\(name): \(parts.joined(separator: "; ")) "
                + "(override with --table, --receipt-field, --id-field, --subject-field)")
    }

    private func append(_ line: [UInt8], _ names: FieldNames) {
        guard line.count <= limit else { return refuse(RecordFields.tooLong) }
        // A batch has the names of one table.
        let isOther = batches.last.map { batch in
            batch.names.map { $0 !== names } == true || batch.bytes.count >= FieldSearch.mostBytes
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
    /// - Returns: The places of the columns that have one.
    @discardableResult
    private func watch(_ row: TableRow, of table: String, _ columns: [String]) -> [Int] {
        var places: [Int] = []
        for (place, (cell, column)) in zip(row.cells, columns).enumerated() {
            if case .bytes(let bytes) = cell, UnreadReceipts.holdsReceipt(bytes.span) {
                unread.add("\(table.cut).\(column.cut)")
                places.append(place)
            }
        }
        return places
    }
}
