import Foundation
import RecordSources
import SystemLibrary

/// A temporary file that is unlinked at once. No other process can see it, and it disappears even if the
/// process is killed.
final class ScratchFile {
    private let descriptor: Int32
    private(set) var size = 0

    init() throws(AuditError) {
        var template = Array((NSTemporaryDirectory() + "/appreceipt-XXXXXX").utf8CString)
        descriptor = unsafe mkstemp(&template)
        if descriptor >= 0 { _ = unsafe unlink(template) }
        guard descriptor >= 0 else { throw Self.error() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func append(_ bytes: RawSpan) throws(AuditError) {
        var done = 0
        while done < bytes.byteCount {
            let written = unsafe bytes.withUnsafeBytes { bytes in
                retrying {
                    unsafe pwrite(
                        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                        off_t(size + done))
                }
            }
            guard written > 0 else { throw Self.error() }
            done += written
        }
        size += done
    }

    func read(_ count: Int, at position: Int) throws(AuditError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let found = unsafe bytes.withUnsafeMutableBytes { bytes in
                retrying {
                    unsafe pread(
                        descriptor, bytes.baseAddress?.advanced(by: done), count - done,
                        off_t(position + done))
                }
            }
            guard found > 0 else { throw Self.error() }
            done += found
        }
        return bytes
    }

    private static func error() -> AuditError {
        AuditError("temporary file (TMPDIR): \(systemMessage(errno))")
    }
}
