import ArgumentParser
import ReceiptJSON

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schemas of what the other commands print.",
        discussion: """
            Example: appreceipt schema verify > verify.schema.json

            Each is one document of JSON Schema 2020-12 with all that it refers to. Without a name, the names are \
            listed.
            """)

    @Argument(help: ArgumentHelp("The command whose lines are described.", valueName: "name"))
    var name: ContractSchema?

    @Flag(help: "Print one schema that describes every line.")
    var all = false

    func validate() throws {
        if all && name != nil { throw ValidationError("Give a name or --all.") }
    }

    func run() throws {
        try StandardOutput.write(Array((all ? ContractSchema.wholeDocument : name?.document ?? list).utf8))
    }

    private var list: String {
        ContractSchema.allCases.map { "\($0.rawValue.padded(to: 18))\($0.summary)\n" }.joined()
    }
}
