/// A cache of the contents of inputs that can be read only once, or of the results of reading them.
package struct ReadOnce<Value> {
    private var values: [String: Value] = [:]

    package init() {}

    /// Reads a file, or returns the result of its first reading if it can be read only once.
    package mutating func value(of file: InputFile, _ read: (InputFile) -> Value) -> Value {
        guard file.isReadableOnce else { return read(file) }
        let identity = (try? file.identity) ?? file.source
        if let value = values[identity] { return value }
        let value = read(file)
        values[identity] = value
        return value
    }
}
