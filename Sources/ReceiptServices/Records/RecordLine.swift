/// A line of NDJSON that contains one record.
package struct RecordLine: Sendable {
    /// The bytes that contain the line.
    package let bytes: [UInt8]
    /// The range of the line without its line feed, or nil if it is too long to be read.
    package let range: Range<Int>?
    /// The number of the line, from 1.
    package let number: Int

    package init(_ range: Range<Int>?, of bytes: [UInt8], number: Int) {
        (self.range, self.bytes, self.number) = (range, bytes, number)
    }

    /// Creates a line.
    /// - Parameter text: The line, or nil if it is too long to be read.
    package init(_ text: [UInt8]?, number: Int) {
        self.init(text?.indices, of: text ?? [], number: number)
    }
}
