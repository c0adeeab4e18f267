package import RecordSources
package import SystemLibrary

/// A file that the command writes, or standard output.
package struct OutputFile {
    /// The name in messages.
    private let name: String
    private let descriptor: Int32

    static let standardOutput = OutputFile(name: "standard output", descriptor: STDOUT_FILENO)

    private init(name: String, descriptor: Int32) { (self.name, self.descriptor) = (name, descriptor) }

    /// Creates a file, or opens standard output for `-`.
    /// - Parameters:
    ///   - name: The name in messages if it is not the path.
    ///   - flags: The flags that decide about an existing file.
    package init(creating path: String, name: String? = nil, _ flags: Int32, mode: mode_t) throws(AuditError)
    {
        guard path != "-" else {
            self = .standardOutput
            return
        }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | flags
        self.init(name: name ?? path, descriptor: unsafe open(path, flags, mode))
        if descriptor < 0 { throw failure(errno) }
    }

    package func write(_ bytes: [UInt8]) throws(AuditError) {
        if let error = writeAll(bytes, to: descriptor) { throw failure(error) }
    }

    package func close() throws(AuditError) {
        if descriptor != STDOUT_FILENO, SystemLibrary.close(descriptor) != 0 { throw failure(errno) }
    }

    private func failure(_ error: Int32) -> AuditError { AuditError(creationMessage(name, error)) }
}
