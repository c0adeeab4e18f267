import ReceiptAudit
import ReceiptCommands

/// The answer to a question as text for people.
enum AnswerText {
    private static let shownRows = 20
    private static let shownAccounts = 10
    private static let shownParts = 10
    private static let widest = 40

    /// The list of all questions with their definitions.
    static var questions: String {
        AuditQuestion.all.map { question in
            let options = AuditQuestion.Parameter.allCases.filter {
                question.parameters.contains($0) && [.on, .from, .to].contains($0)
            }.map { " [--\($0.rawValue) DATE]" }.joined()
            let columns = question.name == "revenue" ? " [--by COLUMNS]" : ""
            let lines = [question.name + options + columns, "  \(question.title)"]
            return (lines + wrapped(question.definition, indent: 2)).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    /// Returns the number, its definition, the first rows and the accounts.
    /// - Parameter accounts: Whether to list all accounts instead of the rows.
    static func text(_ answer: QuestionAnswer, accounts: Bool) throws -> String {
        let question = answer.question
        var lines = ["\(answer.number) \(question.unit)"] + wrapped(question.definition, indent: 2)
        if answer.parts.count > 1 {
            lines.append("")
            for part in answer.parts.prefix(shownParts) {
                let labels = part.labels.map { $0?.shown ?? "not named" }.joined(separator: "  ")
                lines.append("  \("\(part.number)".leftPadded(to: 10))  \(labels)")
            }
            let left = answer.parts.count - shownParts
            if left > 0 { lines.append("  \("".padded(to: 10))  and \(left) more") }
        }
        for omission in answer.omissions {
            lines.append("not checked: \(omission.title.shown), because \(omission.reason.shown)")
        }
        let (rows, count) = try answer.start(accounts ? .accounts : .rows, limit: accounts ? .max : shownRows)
        if !rows.isEmpty { lines += [""] + table(answer.columns(accounts ? .accounts : .rows), rows) }
        if count > rows.count { lines.append("\(count - rows.count) more rows: --csv prints all") }
        if !accounts {
            let names = try answer.start(.accounts, limit: shownAccounts).rows.map { row in
                row[0].isEmpty ? "original transaction \(row[1].shown)" : row[0].shown
            }
            let more = answer.accounts > names.count ? " … (--accounts lists all)" : ""
            let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ") + more
            lines += ["", "\(answer.accounts) accounts concerned\(list)"]
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns the lines of a table without the columns that are empty in all rows.
    private static func table(_ columns: [String], _ rows: [[String]]) -> [String] {
        func cells(_ row: [String]) -> [String] { row.map { $0.printable.shortened(to: widest) } }
        return TextTable(cells(columns), rows.map(cells)).lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
