import StrictJSON

/// The members of a JSON object inside a payload. A member is nil if it is absent or has another type than
/// requested. Verification checks that the value is an object, but not the types of its members.
struct NestedMembers: Sendable {
    private let payload: [UInt8]
    private let members: SignedMembers

    /// Reads the members of an object. Returns nil if the object cannot be read.
    /// - Parameter range: the range of the object in the payload.
    init?(_ payload: [UInt8], in range: Range<Int>) {
        guard let members = try? SignedMembers(parsing: payload.span, in: range, path: "") else { return nil }
        (self.payload, self.members) = (payload, members)
    }

    func text(_ name: String) -> String? { members.text(name) }

    func integer(_ name: String) -> Int64? { members.integer(name) }

    func date(_ name: String) -> Timestamp? { members.date(name) }

    /// Returns the strings of an array, or nil if an element is not a string.
    func texts(_ name: String) -> [String]? {
        guard let member = members[name], case .array = member.value else { return nil }
        return try? SignedMembers.texts(of: payload.span, in: member.range, path: "")
    }

    func object(_ name: String) -> NestedMembers? {
        guard let member = members[name], case .object = member.value else { return nil }
        return NestedMembers(payload, in: member.range)
    }

    /// Returns the objects of an array. Returns nil if an element is not an object, because leaving it out
    /// would make the array incomplete.
    func objects(_ name: String) -> [NestedMembers]? {
        guard let member = members[name], case .array = member.value else { return nil }
        let start = member.range.lowerBound
        var reader = JSONReader(payload.span.extracting(member.range))
        let objects = try? reader.list { (reader, _) throws(JSONError) in
            let range = try reader.slice()
            return NestedMembers(payload, in: start + range.lowerBound..<start + range.upperBound)
        }
        guard let objects, objects.allSatisfy({ $0 != nil }) else { return nil }
        return objects.compactMap(\.self)
    }
}
