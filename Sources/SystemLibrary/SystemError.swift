/// The error of a system call.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32

    package var description: String { systemMessage(number) }

    package init(number: Int32) { self.number = number }
}

/// Returns the system's message for an error number.
package func systemMessage(_ error: Int32) -> String { unsafe String(cString: strerror(error)) }
