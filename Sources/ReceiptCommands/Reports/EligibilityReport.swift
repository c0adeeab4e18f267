import AppReceipt
import OfferEligibility

/// The verdicts on one customer for people, in 80 columns and without color. Each group has a timeline, and
/// each product has three verdicts with reasons.
struct EligibilityReport {
    let text: String

    /// Creates the report.
    /// - Parameters:
    ///   - sources: The names of the evidence.
    ///   - reservations: The reasons why it proves less than evidence from the App Store's production environment.
    init(_ verdicts: [ProductVerdict], of sources: [String], reservations: [String] = []) {
        var lines: [String] = []
        if let first = verdicts.first {
            let word = sources.count == 1 ? "created" : "the newest of"
            let evidence = first.evidenceDate.map { ", \(word) \($0)" } ?? ""
            lines += wrapped("\(Self.shortened(sources))\(evidence), as of \(first.asOf.timestamp)")
            for reservation in reservations { lines += wrapped("(\(reservation.shown))", indent: 2) }
        }
        for group in Self.byGroup(verdicts) {
            guard let first = group.first else { continue }
            lines.append("")
            lines += wrapped(Self.headline(first))
            lines += Timeline(first).lines.map { "  " + $0 }
            for verdict in group {
                lines.append("")
                lines += wrapped(verdict.productID.shown, indent: 2)
                lines += Self.lines("introductory offer", verdict.introductoryOffer)
                lines += Self.lines("promotional offer", verdict.promotionalOffer)
                lines += Self.lines("win-back offer", verdict.winBackOffer)
            }
        }
        text = lines.joined(separator: "\n") + "\n\n"
    }

    /// Returns the groups in the order of their first products.
    private static func byGroup(_ verdicts: [ProductVerdict]) -> [[ProductVerdict]] {
        var groups: [[ProductVerdict]] = []
        var places: [[UInt8]: Int] = [:]
        for verdict in verdicts {
            let isUnknown = verdict.introductoryOffer.rule == .unknownProduct
            let key = Array((isUnknown ? "unknown" : "group " + (verdict.subscriptionGroup ?? "")).utf8)
            if let place = places[key] {
                groups[place].append(verdict)
            } else {
                places[key] = groups.count
                groups.append([verdict])
            }
        }
        return groups
    }

    private static func headline(_ verdict: ProductVerdict) -> String {
        if verdict.introductoryOffer.rule == .unknownProduct { return "Products without a group" }
        let group = verdict.subscriptionGroup.map { "Group \($0.shown)" } ?? "The only group"
        let state = verdict.subscription
        var text = "\(group): \(state.kind.rawValue.replacing("_", with: " "))"
        if let until = state.until {
            text += " until \(until)"
        } else if let since = state.since {
            text += " since \(since)"
        }
        if let product = state.productID { text += " (\(product.shown))" }
        return text
    }

    private static func lines(_ name: String, _ offer: OfferVerdict) -> [String] {
        let outcome =
            switch offer.outcome {
            case .eligible: "eligible"
            case .ineligible: "NOT eligible"
            case .undetermined: "undetermined"
            }
        let certainty = offer.certainty.map { ", " + $0.rawValue.replacing("_", with: " ") } ?? ""
        var lines = ["    " + name.padded(to: 20) + outcome.padded(to: 14) + offer.rule.name + certainty]
        lines += wrapped(offer.explanation.shortened(to: 2000), indent: 8)
        var notes: [String] = []
        if !offer.transactions.isEmpty { notes.append("based on " + shortened(offer.transactions)) }
        let others = offer.findings.filter { $0 != offer.rule }
        if !others.isEmpty { notes.append("also applies: " + others.map(\.name).joined(separator: ", ")) }
        if !offer.caveats.isEmpty {
            notes.append("caveat: " + offer.caveats.map(\.rawValue).joined(separator: ", "))
        }
        if offer.configured == false { notes.append("no such offer is configured for this product") }
        for note in notes { lines += wrapped(note, indent: 8) }
        return lines
    }

    private static func shortened(_ names: [String]) -> String {
        let named = names.prefix(3).map(\.shown).joined(separator: ", ")
        return names.count > 3 ? "\(named) and \(names.count - 3) more" : named
    }
}

/// Returns lines of at most 80 columns, with control characters escaped. Breaks longer words, unless they are
/// addresses to copy.
package func wrapped(_ text: String, indent: Int = 0, breakingWords: Bool = true) -> [String] {
    let width = 80 - indent
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var (line, taken) = ("", 0)
    for word in text.printable.unicodeScalars.split(separator: " ") {
        // Each scalar is read once, and once more when it is written. A scalar beyond ASCII may take two
        // columns.
        for (number, part) in parts(of: word, width: breakingWords ? width : .max).enumerated() {
            if !line.isEmpty {
                if number == 0 && taken + 1 + part.columns <= width {
                    line += " \(part.text)"
                    taken += 1 + part.columns
                    continue
                }
                lines.append(margin + line)
            }
            (line, taken) = (String(part.text), part.columns)
        }
    }
    return lines + [margin + line]
}

/// Returns the parts of a word, each of at most `width` columns. Combining marks take no column, so a part
/// also has at most `width` marks: an untrusted text may contain any number.
private func parts(of word: Substring.UnicodeScalarView, width: Int) -> [(text: Substring, columns: Int)] {
    var parts: [(Substring, Int)] = []
    var (start, columns, marks) = (word.startIndex, 0, 0)
    for index in word.indices {
        let taken = word[index].columns
        if taken == 0 { marks += 1 }
        if columns + taken > width || marks > width {
            parts.append((Substring(word[start..<index]), columns))
            (start, columns, marks) = (index, 0, 0)
        }
        columns += taken
    }
    return parts + [(Substring(word[start...]), columns)]
}
