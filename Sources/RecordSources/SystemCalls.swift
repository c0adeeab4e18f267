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

/// Repeats a system call until a descriptor is ready. A process that shares an open file can make it non-blocking, as Node.js does.
private func waiting(_ descriptor: Int32, for event: Int32, _ call: () -> Int) -> Int {
    while true {
        let result = retrying(call)
        guard result < 0, errno == EAGAIN else { return result }
        var awaited = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        _ = unsafe poll(&awaited, 1, -1)
    }
}

package func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    waiting(descriptor, for: POLLIN) { unsafe read(descriptor, buffer, count) }
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
        let written = waiting(descriptor, for: POLLOUT) {
            unsafe write(descriptor, part.baseAddress, part.count)
        }
        if written < 0 { return errno }
        unsafe rest = rest.dropFirst(written)
    }
    return nil
}
