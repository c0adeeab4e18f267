package import OfferEligibility
import RecordSources
import StrictJSON

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
