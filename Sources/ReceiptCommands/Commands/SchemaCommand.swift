import ArgumentParser
import JSONSchemas

package struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schemas of the other commands' output.",
        discussion: """
            Example: appreceipt schema verify > verify.schema.json

            Each schema is one self-contained JSON Schema 2020-12 document. Without a name, prints the list of names.
            """)

    @Argument(help: ArgumentHelp("The command whose output the schema describes.", valueName: "name"))
    var name: ContractSchema?

    @Flag(help: "Print one schema for the output of all commands.")
    var all = false

    package init() {}

    func validate() throws {
        if all && name != nil { throw ValidationError("--all: cannot be combined with a name") }
    }

    func run() throws {
        try StandardOutput.write(Array((all ? ContractSchema.wholeDocument : name?.document ?? list).utf8))
    }

    private var list: String {
        ContractSchema.allCases.map { "\($0.rawValue.padded(to: 18))\($0.summary)\n" }.joined()
    }
}
