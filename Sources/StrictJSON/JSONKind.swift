/// The type of a JSON value.
public enum JSONKind: String, Hashable, Sendable {
    /// The types of RFC 8259, 3. `bool` is true or false.
    case object, array, string, number, bool, null
}
