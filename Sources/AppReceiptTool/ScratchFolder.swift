import Foundation

/// A folder for what a command needs while it runs.
struct ScratchFolder {
    private let url = FileManager.default.temporaryDirectory.appending(
        path: "appreceipt-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    func file(_ name: String) -> String { url.appending(path: name).path }

    /// There is nowhere to report a failure to.
    func remove() { try? FileManager.default.removeItem(at: url) }
}
