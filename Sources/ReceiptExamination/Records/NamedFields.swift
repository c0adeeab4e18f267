/// The fields with configured names (ID, receipt and subject) that a record contains.
public struct NamedFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The field that identifies a record.
    public static let id = NamedFields(rawValue: 1)
    /// The field that contains the receipt or another signed object.
    public static let receipt = NamedFields(rawValue: 2)
    /// The field with the subject.
    public static let subject = NamedFields(rawValue: 4)
}
