package import ArgumentParser

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
