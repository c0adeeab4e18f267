import OfferEligibility
import ReceiptJSON
import SQLite
import StrictJSON

/// The verdicts for each customer and product, one line each.
final class CustomerLines: CustomerOutput {
    private let sink: LineSink
    private let record: Statement
    private var lines = JSONWriter()

    /// The size in bytes from which the buffer is written.
    private static let size = 1 << 16

    /// Evaluates the customers of a finished run again from its rows, and writes the lines.
    static func write(_ question: EligibilityQuestion, of database: Connection, to sink: LineSink) throws {
        try write(to: sink, of: database) { try Customers.evaluate(question, in: database, to: $0) }
    }

    /// Writes lines to a sink.
    /// - Parameter body: The closure that adds the customers.
    static func write(
        to sink: LineSink, of database: Connection, _ body: (CustomerLines) throws -> Void
    ) throws {
        let output = try CustomerLines(database, sink)
        try body(output)
        try sink.write(output.lines)
    }

    private init(_ database: Connection, _ sink: LineSink) throws {
        self.sink = sink
        record = try database.prepare("SELECT record FROM receipts WHERE id = ?")
    }

    func add(receipt _: Int64, of _: Int64) {}

    func add(
        _ customer: Customer, number: Int64, answer: (history: PurchaseHistory, verdicts: [ProductVerdict])?
    ) throws {
        let origin = CustomerOrigin(
            number: number, subject: customer.text(\.subject), environment: customer.text(\.environment),
            bundleID: customer.text(\.bundleID), realm: customer.text(\.realm),
            receipts: customer.snapshot.count,
            linkedBy: customer.linkedBy)
        try lines.customer(origin, customer.snapshot, answer?.verdicts, name: name) { lines in
            guard lines.count >= Self.size else { return }
            try sink.write(lines)
            lines.removeAll()
        }
    }

    private func name(of receipt: Int64) throws -> String? {
        try record.bind(receipt)
        defer { record.reset() }
        return try record.step() ? record.text(0) : nil
    }
}
