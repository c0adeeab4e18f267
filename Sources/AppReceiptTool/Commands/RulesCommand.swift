import ArgumentParser
import OfferEligibility
import ReceiptAudit
import ReceiptJSON

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract:
            "Lists the rules of eligibility, in the order in which they are asked, and where they come from.",
        discussion: """
            Example: appreceipt rules --json

            The first rule of an offer's table that applies decides; every one that applies is a finding.
            """)

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() throws {
        if json {
            var writer = JSONWriter()
            for rule in OfferRule.all {
                writer.rule(rule)
                writer.endLine()
            }
            try StandardOutput.write(writer.bytes)
        } else {
            try StandardOutput.write(Array(text.utf8))
        }
    }

    private var text: String {
        var lines: [String] = []
        for offer in OfferKind.allCases {
            lines.append("\(offer.rawValue.replacing("_", with: "-")) offer")
            for rule in OfferRule.all where rule.offer == offer {
                lines.append("  " + rule.id.name)
                lines += wrapped(rule.summary, indent: 6)
                lines += wrapped("Source: " + rule.citation, indent: 6, breakingWords: false)
            }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }
}
