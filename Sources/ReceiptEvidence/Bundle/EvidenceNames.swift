/// Names for the folders of bundles, made of what came: safe for every shell and file system, and no two alike.
package struct EvidenceNames {
    /// Lower-case: Macs cannot tell names apart that differ in case.
    private var taken: Set<String> = []
    /// The number that was tried last, by what stands before it: else many of one name would each try all before.
    private var numbers: [String: Int] = [:]

    package init() {}

    private static let longest = 80

    /// - Parameter source: a path or an id of a stranger's, with the place in it.
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
        // Neither hidden, nor an option, nor the folder above.
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
