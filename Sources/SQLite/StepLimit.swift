import CSQLite

/// A limit on the steps of SQLite's virtual machine for a connection.
final class StepLimit {
    private(set) var left: Int

    private static let interval = 1000

    init(steps: Int) { left = steps }

    /// Installs the limit, which must live until ``remove(from:)``.
    func install(on connection: OpaquePointer?) {
        unsafe sqlite3_progress_handler(
            connection, Int32(Self.interval),
            { context in
                guard let context = unsafe context else { return 1 }
                return unsafe Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue().isReached()
                    ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    static func remove(from connection: OpaquePointer?) {
        unsafe sqlite3_progress_handler(connection, 0, nil, nil)
    }

    private func isReached() -> Bool {
        left -= Self.interval
        return left < 0
    }
}
