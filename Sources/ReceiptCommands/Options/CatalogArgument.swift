import ArgumentParser

/// An argument of `--catalog`: FILE, or APP=FILE. The text before the first `=` is the app, unless it
/// contains a `/`.
struct CatalogArgument {
    let app: String?
    let path: String

    /// Parses an argument.
    /// - Throws: `ValidationError` if the app or the path is empty.
    init(_ argument: String) throws {
        let bytes = argument.utf8
        guard let end = bytes.firstIndex(of: UInt8(ascii: "=")),
            !bytes[..<end].contains(UInt8(ascii: "/"))
        else {
            (app, path) = (nil, argument)
            if argument.isEmpty { throw ValidationError("--catalog: empty path") }
            return
        }
        (app, path) = (String(argument[..<end]), String(argument[bytes.index(after: end)...]))
        if app == "" || path.isEmpty {
            throw ValidationError(
                "--catalog: '\(argument)' is not APP=FILE; prefix a path that contains = with ./"
            )
        }
    }

    /// Parses all arguments.
    /// - Throws: `ValidationError` if they contradict each other.
    static func list(_ arguments: [String]) throws -> [CatalogArgument] {
        let list = try arguments.map(CatalogArgument.init)
        if list.count > 1, list.contains(where: { $0.app == nil }) {
            throw ValidationError("--catalog: several catalogs need one app each, --catalog APP=FILE")
        }
        var apps: Set<[UInt8]> = []
        for case let app? in list.map(\.app) where !apps.insert(Array(app.utf8)).inserted {
            throw ValidationError("--catalog: app \(app) is given twice")
        }
        return list
    }
}
