/// The error of a system call.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32

    package var description: String { systemMessage(number) }
}
