import ArgumentParser

/// Names of commands, as they were typed: the argument parser takes what it does not know for the arguments of none.
enum CommandName {
    /// - Throws: a `ValidationError` that suggests the nearest name, where the first argument, or that of `help`, is none.
    static func validate(_ arguments: some Collection<String>) throws {
        let names =
            AppReceiptCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        for name in arguments.prefix(2) {
            guard !name.hasPrefix("-"), !names.contains(name) else {
                if name == "help" { continue }
                return
            }
            let nearest = names.map { ($0, distance(name, $0)) }.min { $0.1 < $1.1 }
            let suggestion = nearest.flatMap { $0.1 <= 2 ? "did you mean '\($0.0)'?" : nil }
            throw ValidationError(
                "unknown command '\(name)'; \(suggestion ?? "to verify a file, run appreceipt verify FILE")")
        }
    }

    /// How many characters must be put in, taken out or exchanged to make one name of the other; capped by the shorter
    /// names, so that an argument of any length costs little.
    static func distance(_ typed: String, _ name: String) -> Int {
        let (typed, name) = (Array(typed.utf8.prefix(32)), Array(name.utf8))
        var row = Array(0...name.count)
        for (index, character) in typed.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in name.indices {
                let replaced = diagonal + (character == name[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, min(diagonal, row[column]) + 1)
            }
        }
        return row[name.count]
    }
}
