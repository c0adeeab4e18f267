import SQLite
import StrictJSON

/// An app in an environment.
struct AppKey: Hashable {
    let environment: String?
    let app: String?

    init(environment: String?, app: String?) { (self.environment, self.app) = (environment, app) }

    static func == (left: AppKey, right: AppKey) -> Bool {
        left.environment.isExactly(right.environment) && left.app.isExactly(right.app)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(environment.map { Array($0.utf8) })
        hasher.combine(app.map { Array($0.utf8) })
    }

    init(_ row: Row) throws { try self.init(environment: row["environment"], app: row["bundle_id"]) }

    var shownName: String { ReportText.shown(app ?? "app not named") }

    var shownEnvironment: String { environment ?? "environment not named" }
}
