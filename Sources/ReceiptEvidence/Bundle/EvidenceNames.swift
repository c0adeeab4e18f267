/// Unique folder names for bundles, derived from their sources and safe for every shell and file system.
package struct EvidenceNames {
    /// The names in use, in lower case: by default macOS ignores case in file names.
    private var taken: Set<String> = []
    /// The last number tried for each stem. Without it, every repeated name would try all numbers again.
    private var numbers: [String: Int] = [:]

    package init() {}

    private static let longest = 80

    /// Returns a new folder name.
    /// - Parameter source: A path or an untrusted ID, including the place of the object.
    package mutating func name(for source: String) -> String {
        var name = ""
        for scalar in source.unicodeScalars.suffix(4 * Self.longest) {
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == ".")
            if isPlain {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-" {
                name.append("-")
            }
        }
        // A name must not be hidden, look like an option, or be the parent folder.
        name = String(name.suffix(Self.longest).drop { $0 == "-" || $0 == "." })
        while name.hasSuffix("-") || name.hasSuffix(".") { name.removeLast() }
        if name.isEmpty { name = "evidence" }
        let stem = name
        var number = numbers[stem.lowercased(), default: 1]
        if number > 1 { name = "\(stem)-\(number)" }
        while !taken.insert(name.lowercased()).inserted {
            number += 1
            name = "\(stem)-\(number)"
        }
        numbers[stem.lowercased()] = number
        return name
    }
}
