#if Server
    import Configuration
    import StrictJSON

    /// The settings of a server as they were given: on the command line, else in the environment, else in the configuration
    /// file. A name that is none, or a value that does not read, is an error: a misspelt setting must not open a door.
    public struct SettingsReader: Sendable {
        private let reader: ConfigReader

        /// - Parameters:
        ///   - commandLine: by the options' names; several values are of a list.
        ///   - environment: all of it.
        ///   - read: reads a file.
        /// - Throws: ``SettingsError``, and what `read` throws.
        public init(
            commandLine: [String: [String]], environment: [String: String],
            read: (String) throws -> [UInt8]
        ) throws {
            var given = commandLine
            let file =
                given.removeValue(forKey: "config")?.last ?? environment[ServerOption.prefix + "CONFIG"]
            var providers: [any ConfigProvider] = [try Self.provider(commandLine: given)]
            providers.append(try Self.provider(environment: environment))
            if let file { providers.append(try Self.provider(file: file, try read(file))) }
            reader = ConfigReader(providers: providers)
        }

        private static func provider(commandLine: [String: [String]]) throws(SettingsError)
            -> InMemoryProvider
        {
            var values: [String: [String]] = [:]
            for (name, texts) in commandLine {
                guard let option = ServerOption.named(name) else {
                    throw SettingsError("--\(name): unknown setting", isUsage: true)
                }
                if let fault = option.fault(in: texts) {
                    throw SettingsError("--\(name): \(fault)", isUsage: true)
                }
                values[name] = texts
            }
            return provider(values, name: "command line")
        }

        /// - Parameter values: without fault.
        private static func provider(_ values: [String: [String]], name: String) -> InMemoryProvider {
            var contents: [AbsoluteConfigKey: ConfigValue] = [:]
            for (name, texts) in values {
                guard let option = ServerOption.named(name), let text = texts.last else { continue }
                let content: ConfigContent =
                    switch option.kind {
                    case .list: .stringArray(texts)
                    case .flag: .bool(text == "true")
                    case .number: .int(Int(text) ?? 0)
                    case .text, .choice: .string(text)
                    }
                contents[AbsoluteConfigKey([name])] = ConfigValue(content, isSecret: false)
            }
            return InMemoryProvider(name: name, values: contents)
        }

        private static func provider(environment: [String: String]) throws(SettingsError)
            -> some ConfigProvider
        {
            let own = environment.filter {
                $0.key.hasPrefix(ServerOption.prefix) && !ServiceLink.isOne($0.key, $0.value)
            }
            for (variable, text) in own where variable != ServerOption.prefix + "CONFIG" {
                guard let option = ServerOption.all.first(where: { $0.variable == variable }) else {
                    throw SettingsError("\(variable): unknown setting", isUsage: true)
                }
                if let fault = option.fault(in: option.texts(inVariable: text)) {
                    throw SettingsError("\(variable): \(fault)", isUsage: true)
                }
            }
            return EnvironmentVariablesProvider(environmentVariables: own).prefixKeys(with: ["appreceipt"])
        }

        /// A JSON object: its members are called as the options are.
        private static func provider(file: String, _ text: [UInt8]) throws(SettingsError) -> InMemoryProvider
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
            return provider(values, name: file)
        }

        /// Reads the texts of a value.
        /// - Returns: nil where it is of another type than the option's.
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

        /// A path, a name or one of several words; nil where none was given.
        public func text(_ name: String) -> String? { reader.string(forKey: ConfigKey([name])) }

        /// Several; empty where none was given.
        public func list(_ name: String) -> [String] { reader.stringArray(forKey: ConfigKey([name])) ?? [] }

        /// A whole number; nil where none was given.
        public func number(_ name: String) -> Int? { reader.int(forKey: ConfigKey([name])) }

        /// Whether it was said.
        public func flag(_ name: String) -> Bool { reader.bool(forKey: ConfigKey([name])) ?? false }

        /// All that was given, in one line. Secrets stand in files, of which it names the paths.
        public var summary: String {
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
