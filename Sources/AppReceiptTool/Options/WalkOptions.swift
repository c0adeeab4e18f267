import ArgumentParser
import ReceiptAudit

/// The options that select files of a folder.
struct WalkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Of a folder, read only files that this fits: * and ? as in a shell, ** across folders; a pattern without \
            a slash is held against the name alone. May be given several times.
            """, valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp(
            "Of a folder, leave out files and folders that this fits. May be given several times.",
            valueName: "glob"))
    var exclude: [String] = []

    var filter: PathFilter { PathFilter(include: include, exclude: exclude) }

    func validate() throws {
        if (include + exclude).contains("") { throw ValidationError("A glob is empty: it fits no file.") }
    }
}
