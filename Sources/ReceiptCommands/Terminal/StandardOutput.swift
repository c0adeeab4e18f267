package import RecordSources
import StrictJSON
import SystemLibrary

package enum StandardOutput {
    /// Writes all bytes.
    /// - Throws: ``AuditError`` if they cannot be written, for example to a full disk. An incomplete answer must
    ///   not end with the status of a complete one.
    package static func write(_ bytes: [UInt8]) throws(AuditError) {
        try OutputFile.standardOutput.write(bytes)
    }

    /// Writes a line of JSON.
    static func writeLine(_ object: (inout JSONWriter) -> Void) throws(AuditError) {
        var writer = JSONWriter()
        object(&writer)
        writer.endLine()
        try write(writer.bytes)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// Writes all bytes. Returns the error number if that fails.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    unsafe bytes.withUnsafeBytes { unsafe systemWriteAll(descriptor, $0) }
}
