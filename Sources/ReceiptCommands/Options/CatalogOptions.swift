package import ArgumentParser
package import OfferEligibility
import RecordSources
import StrictJSON

/// The option for catalogs, which list products by group and by app.
package struct CatalogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read the subscription groups from this StoreKit configuration file or JSON, {"groups": {"G": ["P"]}}. \
            APP=FILE is the catalog of the app with that bundle ID; repeat it for each app. One file can list all apps: \
            {"apps": {"APP": {"groups": {"G": ["P"]}}}}. Prefix a path that contains = with ./
            """, valueName: "[app=]file"))
    package var catalog: [String] = []

    package init() {}

    package var isGiven: Bool { !catalog.isEmpty }

    /// The catalog files, with the option's name.
    package var files: [(String, String?)] {
        catalog.map { ("--catalog", (try? CatalogArgument($0))?.path ?? $0) }
    }

    package func validate() throws { _ = try CatalogArgument.list(catalog) }
}

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

/// The catalog of `--catalog`.
package struct GivenCatalog {
    /// The file, or JSON with the catalogs of all apps, in the order of their bundle IDs.
    package let bytes: [UInt8]
    package let catalog: SubscriptionCatalog

    /// Reads the catalog. Returns nil without arguments.
    /// - Throws: ``AuditError`` if a file is not a catalog.
    package init?(_ arguments: [String]) throws {
        let arguments = try CatalogArgument.list(arguments)
        guard let first = arguments.first else { return nil }
        guard first.app != nil else {
            bytes = try readSideFile(first.path)
            catalog = try Self.parse(bytes, of: first.path)
            return
        }
        var scopes: [(app: String, bytes: [UInt8])] = []
        for argument in arguments {
            var file = try readSideFile(argument.path)
            if file.starts(with: [0xEF, 0xBB, 0xBF]) { file.removeFirst(3) }
            if try Self.parse(file, of: argument.path).apps != nil {
                throw AuditError("\(argument.path): already names its apps; use --catalog FILE without APP=")
            }
            scopes.append((argument.app ?? "", file))
        }
        scopes.sort { $0.app.utf8.lexicographicallyPrecedes($1.app.utf8) }
        var json = Array("{\"apps\": {".utf8)
        for (index, scope) in scopes.enumerated() {
            if index > 0 { json += ", ".utf8 }
            var writer = JSONWriter()
            json += writer.text(of: scope.app) + Array(": ".utf8) + scope.bytes
        }
        bytes = json + Array("}}".utf8)
        catalog = try Self.parse(bytes, of: "--catalog")
    }

    private static func parse(_ bytes: [UInt8], of path: String) throws(AuditError) -> SubscriptionCatalog {
        try naming("\(path): not a catalog") { try SubscriptionCatalog(parsing: bytes) }
    }
}
