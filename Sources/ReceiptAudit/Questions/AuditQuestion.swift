/// A question that auditors ask of a database: its definition and its SQL.
///
/// The command `ask`, the report and the metadata for Datasette use the same questions, so their figures agree.
package struct AuditQuestion: Sendable {
    /// A value that the SQL of a question has as a named parameter. Empty text means the default.
    package enum Parameter: String, Sendable, CaseIterable {
        case realm, environment, app, on, from, to
    }

    /// A column of the rows.
    package struct Column: Sendable {
        package let name: String
        package let meaning: String
    }

    /// The name on the command line.
    package let name: String
    /// The question in words.
    package let title: String
    /// The sentence that defines what the number counts.
    package let definition: String
    /// The plural noun for what the number counts.
    package let unit: String
    package let parameters: Set<Parameter>
    /// The columns of the rows, in order.
    package internal(set) var columns: [Column]
    /// The kind of the findings that the question is based on, or nil. If the check was skipped, so was the question.
    let kind: String?
    /// The query for the counted things: a row for each. It may use the table `asked`.
    let selection: String
    /// The aggregate over `selected` that is the number.
    let number: String
    /// The columns of `selected` that divide the number into parts, such as apps.
    let parts: [String]
    /// The query for the rows, over the table `selected`.
    var rows: String
    /// The query for the accounts concerned, over the table `selected`: subject and original_transaction_id.
    let accounts: String

    /// Creates a question with the words and the SQL of its name in ``AuditQueries``: the selection, the rows and,
    /// unless they are those of purchases, the accounts.
    init(
        _ name: String, unit: String, parameters: Set<Parameter> = [.realm, .environment, .app],
        columns: KeyValuePairs<String, String>, kind: String? = nil, number: String = "count(*)",
        parts: [String] = ["environment", "bundle_id"]
    ) {
        let query = AuditQueries.question(name)
        let statements = query.sql.replacing("{scoped}", with: Self.scoped)
            .split(separator: ";\n", omittingEmptySubsequences: false).map(String.init)
        (self.name, title, definition, self.unit) = (name, query.title, query.details, unit)
        self.parameters = parameters
        self.columns = columns.map { Column(name: $0, meaning: $1) }
        (self.kind, self.number, self.parts) = (kind, number, parts)
        (selection, rows) = (statements[0], statements[1])
        accounts = statements.count > 2 ? statements[2] : Self.ofPurchases
    }

    /// The SQL that selects rows with the trust anchor kind, the environment and the app asked for.
    private static let scoped = """
        WHERE chosen_realm IN (realm, 'any') AND chosen_environment IN (environment, 'any') AND chosen_app IN (bundle_id, '')
        """

    /// Returns the question with a name, or nil if there is none.
    package static func named(_ name: String) -> AuditQuestion? { all.first { $0.name == name } }

    /// Whether purchases of unknown owners do not count.
    package var leavesOutUnknownOwners: Bool {
        ![Self.customers, .sharedReceipts, .unverified].map(\.name).contains(name)
    }

    // MARK: - SQL

    /// The accounts of the purchases in `selected`: every subject that presented one, or the original transaction
    /// of a purchase without a subject.
    static let ofPurchases = """
        SELECT DISTINCT a.subject, a.original_transaction_id FROM selected s JOIN purchase_accounts a
            ON a.purchase = s.purchase AND a.realm = s.realm AND a.environment IS s.environment AND a.bundle_id IS s.bundle_id
        ORDER BY a.subject, a.original_transaction_id
        """

    /// The common table expression with the values that the question is asked for: one row.
    private var asked: String {
        func date(_ name: String, _ otherwise: String) -> String {
            "coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', nullif(:\(name), '')), \(otherwise)) AS \"\(name)\""
        }
        let asOf = "strftime('%Y-%m-%dT%H:%M:%SZ', as_of / 1000, 'unixepoch')"
        let values = Parameter.allCases.filter(parameters.contains).map { parameter in
            switch parameter {
            case .realm: "coalesce(nullif(:realm, ''), (SELECT realm FROM default_realm)) AS chosen_realm"
            case .environment: "coalesce(nullif(:environment, ''), 'Production') AS chosen_environment"
            case .app: ":app AS chosen_app"
            case .on: date("on", asOf)
            case .from: date("from", "''")
            case .to: date("to", "'~'")
            }
        }
        return "asked AS (SELECT \((["1 AS one"] + values).joined(separator: ", ")) FROM runs)"
    }

    /// The statement that fills the temporary table `selected`.
    var selecting: String { "CREATE TEMP TABLE selected AS WITH \(asked) \(selection)" }

    /// The rows as one statement, for programs that query the database themselves.
    package var statement: String { "WITH \(asked),\nselected AS (\n\(selection))\n\(rows)" }
}
