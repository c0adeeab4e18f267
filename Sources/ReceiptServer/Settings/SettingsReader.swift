#if Server
    import StrictJSON

    /// The settings of a server. The command line takes precedence over the environment, and the environment over the
    /// configuration file. An unknown name or an invalid value is an error, because a misspelled setting could remove a
    /// restriction.
    package struct SettingsReader: Sendable {
        /// The valid values by setting, a single one except for a list.
        private let values: [String: [String]]

        /// Reads and checks the settings.
        /// - Parameters:
        ///   - commandLine: The values by option name; a list may have several.
        ///   - environment: All environment variables.
        ///   - read: Reads a file.
        /// - Throws: ``SettingsError``, and the errors of `read`.
        package init(
            commandLine: [String: [String]], environment: [String: String],
            read: (String) throws -> [UInt8]
        ) throws {
            var given = commandLine
            let file =
                given.removeValue(forKey: "config")?.last ?? environment[ServerOption.prefix + "CONFIG"]
            try Self.check(commandLine: given)
            let variables = try Self.values(environment: environment)
            let saved = try file.map { try Self.values(file: $0, try read($0)) } ?? [:]
            values = saved.merging(variables) { $1 }.merging(given) { $1 }
        }

        private static func check(commandLine: [String: [String]]) throws(SettingsError) {
            for (name, texts) in commandLine {
                guard let option = ServerOption.named(name) else {
                    throw SettingsError("--\(name): unknown setting", isUsage: true)
                }
                if let fault = option.fault(in: texts) {
                    throw SettingsError("--\(name): \(fault)", isUsage: true)
                }
            }
        }

        private static func values(environment: [String: String]) throws(SettingsError) -> [String: [String]]
        {
            var values: [String: [String]] = [:]
            for (variable, text) in environment
            where variable.hasPrefix(ServerOption.prefix) && variable != ServerOption.prefix + "CONFIG"
                && !ServiceLink.isOne(variable, text)
            {
                guard let option = ServerOption.all.first(where: { $0.variable == variable }) else {
                    throw SettingsError("\(variable): unknown setting", isUsage: true)
                }
                let texts = option.texts(inVariable: text)
                if let fault = option.fault(in: texts) {
                    throw SettingsError("\(variable): \(fault)", isUsage: true)
                }
                values[option.name] = texts
            }
            return values
        }

        /// Returns the values in a JSON object whose members have the names of options.
        private static func values(file: String, _ text: [UInt8]) throws(SettingsError) -> [String: [String]]
        {
            var values: [String: [String]] = [:]
            var fault: String?
            do throws(JSONError) {
                var json = JSONReader(text.span, skipsByteOrderMark: true)
                try json.object { (json, name) throws(JSONError) in
                    guard let option = ServerOption.named(name) else {
                        fault = fault ?? "\(name): unknown setting"
                        return try json.skip()
                    }
                    guard let texts = try Self.texts(of: option, &json) else {
                        fault = fault ?? "\(name): \(option.expectation)"
                        return
                    }
                    if let wrong = option.fault(in: texts) { fault = fault ?? "\(name): \(wrong)" }
                    values[name] = texts
                }
                try json.end()
            } catch {
                throw SettingsError("\(file): not settings in JSON: \(error)")
            }
            if let fault { throw SettingsError("\(file): \(fault)", isUsage: true) }
            return values
        }

        /// Reads the values of a member.
        /// - Returns: The values, or nil if they have another type than the option's.
        private static func texts(of option: ServerOption, _ json: inout JSONReader) throws(JSONError)
            -> [String]?
        {
            switch (option.kind, try json.peek()) {
            case (.text, .string), (.choice, .string), (.list, .string): return [try json.string()]
            case (.flag, .bool): return [try json.bool() ? "true" : "false"]
            case (.number, .number): return [try json.number()]
            case (.list, .array):
                var texts: [String]? = []
                try json.array { (json, _) throws(JSONError) in
                    if try json.peek() == .string {
                        texts?.append(try json.string())
                    } else {
                        texts = nil
                        try json.skip()
                    }
                }
                return texts
            default:
                try json.skip()
                return nil
            }
        }

        // MARK: - Values

        /// Returns a path, a name or one of several words, nil if not set.
        package func text(_ name: String) -> String? { values[name]?.last }

        /// Returns a list, empty if not set.
        package func list(_ name: String) -> [String] { values[name] ?? [] }

        /// Returns a whole number, nil if not set.
        package func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

        /// Returns whether a flag is set.
        package func flag(_ name: String) -> Bool { text(name) == "true" }

        /// All settings in one line. Secrets are in files, so the line has only their paths.
        package var summary: String {
            ServerOption.all.compactMap { option in
                let value: String? =
                    switch option.kind {
                    case .text, .choice: text(option.name)
                    case .number: number(option.name).map { "\($0)" }
                    case .flag: flag(option.name) ? "true" : nil
                    case .list: list(option.name).isEmpty ? nil : list(option.name).joined(separator: ",")
                    }
                return value.map { "\(option.name)=\($0)" }
            }.joined(separator: " ")
        }
    }
#endif
