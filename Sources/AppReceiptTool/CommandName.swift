import ArgumentParser
import ReceiptCommands

/// A check of command names. The argument parser treats an unknown name as an argument.
enum CommandName {
    /// Checks that the first argument, or that of `help`, is a command.
    /// - Throws: A `ValidationError`, which names the most similar command if one is similar.
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

    /// Returns the edit distance between two names. Only the beginning of an argument counts, so that a long
    /// argument costs little.
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
