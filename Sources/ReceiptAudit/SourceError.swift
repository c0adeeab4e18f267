/// An error at which reading a source stops. The records before it were read.
struct SourceError: Error, CustomStringConvertible {
    let description: String
}
