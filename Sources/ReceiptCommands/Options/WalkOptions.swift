package import ArgumentParser
package import RecordSources

/// The options that select files of a folder.
package struct WalkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read only files of a folder that match this pattern: * and ? as in a shell, ** across folders. A pattern \
            without a slash is compared with the name alone. May be repeated.
            """, valueName: "glob"))
    package var include: [String] = []

    @Option(
        help: ArgumentHelp(
            "Skip files and folders of a folder that match this pattern. May be repeated.",
            valueName: "glob"))
    package var exclude: [String] = []

    package init() {}

    package var filter: PathFilter { PathFilter(include: include, exclude: exclude) }

    package func validate() throws {
        if (include + exclude).contains("") { throw ValidationError("--include, --exclude: empty pattern") }
    }
}
