import StrictJSON

/// The fields of a record besides its ID, receipt and subject that an audit keeps, and the values that select
/// records.
package struct KeptFields: Hashable, Sendable {
    /// The paths of the fields to keep.
    package var names: [[UInt8]] = []
    /// Whether to keep every field other than those with signed objects.
    package var isAll = false
    /// The accepted values by field. A record is selected if each of these fields has one of its values.
    package var conditions: [[UInt8]: Set<[UInt8]>] = [:]

    package init() {}

    /// The maximum size of a kept value in bytes. Longer ones are shortened.
    package static let longestValue = 1024
    /// The maximum number of kept fields of a record.
    package static let mostFields = 256
    /// The maximum depth at which all fields are kept.
    static let mostLevels = 8

    package var isEmpty: Bool { names.isEmpty && !isAll && conditions.isEmpty }

    /// Returns whether the value of the field with this path is needed.
    func take(_ path: [UInt8]) -> Bool {
        isAll || names.contains(path) || conditions[path] != nil
    }

    /// Returns whether a record with these values is selected. A missing value equals empty text.
    package func select(_ values: [[UInt8]: [UInt8]]) -> Bool {
        conditions.allSatisfy { $1.contains(values[$0] ?? []) }
    }

    /// Returns the values to keep as a JSON object of texts, or nil if there are none.
    /// - Parameter values: The values in the order of the record.
    package func kept(_ values: [(name: [UInt8], value: [UInt8])]) -> [UInt8]? {
        var json = JSONWriter()
        var written: Set<[UInt8]> = []
        json.object { json in
            for (name, value) in values where isAll || names.contains(name) {
                // Two members may have the same path if a name contains a period.
                let name = String(decoding: name, as: UTF8.self)
                guard written.count < Self.mostFields, written.insert(Array(name.utf8)).inserted else {
                    continue
                }
                json.key(text: name)
                json.string(Self.shortened(value))
            }
        }
        return written.isEmpty ? nil : json.bytes
    }

    private static func shortened(_ value: [UInt8]) -> String {
        guard value.count > longestValue else { return String(decoding: value, as: UTF8.self) }
        return "\(String(decoding: value.prefix(longestValue), as: UTF8.self))… (\(value.count) bytes)"
    }
}
