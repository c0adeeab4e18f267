import GRDB
import GRDBSQLite
import Synchronization

/// Ends queries that go on for longer than the size of their database explains: a stranger's may be made to.
final class StepLimit: Sendable {
    /// Steps of SQLite's machine that are left for the connection.
    private let left: Atomic<Int>

    private static let interval = 10_000

    /// - Parameter bytes: of the database. A replay takes fewer than four steps a byte.
    init(bytes: Int) { left = Atomic(20_000_000 + min(bytes, 1 << 50) * 40) }

    /// The limit must live as long as the connection.
    func install(on database: Database) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_progress_handler(
            database.sqliteConnection, Int32(Self.interval),
            { context in
                guard let context = unsafe context else { return 1 }
                return unsafe Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue().isReached ? 1 : 0
            }, context)
    }

    private var isReached: Bool {
        left.subtract(Self.interval, ordering: .relaxed).newValue < 0
    }
}
