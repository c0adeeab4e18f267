import RecordSources
import SystemLibrary

/// The path of an output, which may name standard output or a device.
package enum OutputPath {
    /// Returns whether the path names standard output: `-`, or the system's names for it.
    package static func isStandardOutput(_ path: String) -> Bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
    }

    /// Returns whether the output is written in place: standard output, a device such as `/dev/null`, or a pipe.
    /// There is then no file to create or to protect.
    package static func isWrittenInPlace(_ path: String) -> Bool {
        if isStandardOutput(path) { return true }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.kind == S_IFCHR || status.kind == S_IFIFO
    }

    /// Returns whether the path names the device that discards everything.
    package static func isNull(_ path: String) -> Bool {
        var (status, null) = (stat(), stat())
        guard unsafe stat(path, &status) == 0, unsafe stat("/dev/null", &null) == 0 else { return false }
        return status.kind == S_IFCHR && status.st_rdev == null.st_rdev
    }
}
