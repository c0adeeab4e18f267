import GRDB
import GRDBSQLite
import Synchronization

/// Stops queries that take more work than the size of their database explains. An untrusted database may be
/// built to cause such queries.
final class StepLimit: Sendable {
    /// The remaining steps of SQLite's virtual machine for the connection.
    private let left: Atomic<Int>

    private static let interval = 10_000

    /// Creates a limit.
    /// - Parameter bytes: The size of the database. A replay takes fewer than four steps per byte.
    init(bytes: Int) { left = Atomic(20_000_000 + min(bytes, 1 << 50) * 40) }

    /// Installs the limit, which must live as long as the connection.
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
