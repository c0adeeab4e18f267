/// The argument parser's messages in the form of all others: `<option>: <problem>`, in lower case.
package enum UsageMessage {
    package static func text(_ message: String) -> String {
        let opening = "The value "
        guard message.hasPrefix(opening), let middle = message.firstRange(of: " is invalid for '") else {
            // FILE, a name of an argument, stays as it is.
            let start = message.prefix(1)
            let rest = message.dropFirst().dropLast(message.hasSuffix(".") ? 1 : 0)
            return (rest.first?.isUppercase == true ? String(start) : start.lowercased())
                + rest.replacing(". Did you mean", with: "; did you mean")
        }
        let value = message[..<middle.lowerBound].dropFirst(opening.count)
        let rest = message[middle.upperBound...]
        let option = rest.prefix { $0 != "'" && $0 != " " }
        let reason = rest.drop { $0 != "'" }.dropFirst()
        return "\(option): \(value) \(problem(reason))"
    }

    /// Puts the usage of a command's help in front of its discussion.
    package static func help(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: "), let usage = text.firstRange(of: "\n\nUSAGE: "),
            let abstract = text[..<usage.lowerBound].firstRange(of: "\n\n"),
            let lists = text[usage.upperBound...].firstRange(of: "\n\n")
        else { return text }
        let discussion = text[abstract.lowerBound..<usage.lowerBound]
        let start = text[..<abstract.lowerBound] + text[usage.lowerBound..<lists.lowerBound]
        return String(start + discussion + text[lists.lowerBound...])
    }

    /// - Parameter reason: `: ` and a reason, `. Please provide one of` and a list, or nothing for a number.
    private static func problem(_ reason: Substring) -> String {
        if reason.hasPrefix(": ") { return String(reason.dropFirst(2)) }
        let choices =
            reason.contains("\n")
            ? reason.split(separator: "\n").dropFirst().map { $0.drop { " -".contains($0) } }
            : reason.split(separator: "'", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        return choices.isEmpty ? "is not a whole number" : "is not one of \(choices.joined(separator: ", "))"
    }
}
