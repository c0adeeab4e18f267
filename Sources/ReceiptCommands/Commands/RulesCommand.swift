import ArgumentParser
import OfferEligibility
import ReceiptJSON

package struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract:
            "List the eligibility rules in their order, with their sources.",
        discussion: """
            Example: appreceipt rules --json

            The first rule that applies to an offer decides. All rules that apply are listed as findings.
            """)

    @Flag(help: SharedHelp.json)
    var json = false

    package init() {}

    func run() throws {
        if json {
            for rule in OfferRule.all { try StandardOutput.writeLine { $0.rule(rule) } }
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
