import SystemLibrary

// The functions read and write under names that do not conflict with methods. Callers need not import the C
// library.

/// Repeats a system call that a signal interrupted.
package func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}

package func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    retrying { unsafe read(descriptor, buffer, count) }
}

/// Reads at most `count` bytes, or none at the end.
package func systemRead(_ descriptor: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
    var failure: Int32?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let received = unsafe systemRead(descriptor, buffer.baseAddress, count)
        if received < 0 { failure = errno }
        filled = max(received, 0)
    }
    if let failure { throw SystemError(number: failure) }
    return bytes
}

/// Writes all bytes. Returns the error number if that fails.
package func systemWriteAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32? {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
        let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
        let written = retrying { unsafe write(descriptor, part.baseAddress, part.count) }
        if written < 0 { return errno }
        unsafe rest = rest.dropFirst(written)
    }
    return nil
}
