#if Server
    import AppReceipt
    import ReceiptExamination

    /// A setting. Its name is that of the command-line option and of the member in the configuration file. The
    /// environment variable has the name in capitals, with underscores in place of hyphens, after `APPRECEIPT_`.
    struct ServerOption: Sendable {
        enum Kind: Sendable {
            case text
            case number(ClosedRange<Int>)
            case flag
            case list
            case choice([String])
        }

        let name: String
        let kind: Kind

        init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

        /// All settings, in the order of ``SettingsReader/summary``.
        static let all =
            [
                ServerOption("host", .text),
                ServerOption("port", .number(0...65_535)),
                ServerOption("health-port", .number(1...65_535)),
                ServerOption("unix-socket", .text),
                ServerOption("environment", .choice(["production", "sandbox"])),
                ServerOption("bundle-id", .list),
                ServerOption("app-apple-id", .list),
                ServerOption("catalog", .list),
                ServerOption("single-group", .flag),
                ServerOption("root", .text),
                ServerOption("storekit-test-root", .list),
                ServerOption("crl", .list),
                ServerOption("distrust", .text),
                ServerOption("distrust-key", .text),
                ServerOption("revocation", .choice(RevocationPolicy.allCases.map(\.rawValue))),
                ServerOption("refunds", .choice(["block", "ignore"])),
                ServerOption("stale-evidence", .choice(["accept", "undetermined"])),
                ServerOption("partial-evidence", .choice(["accept", "undetermined"])),
                ServerOption("promotional-scope", .choice(["group", "app"])),
                ServerOption("latest", .choice(["as-of-receipt"])),
                ServerOption("shared-secret-file", .text),
                ServerOption("tokens", .text),
                ServerOption("tls-certificate", .text),
                ServerOption("tls-key", .text),
                ServerOption("insecure", .flag),
                ServerOption("max-concurrent", .number(1...1_000_000)),
                ServerOption("max-connections", .number(1...1_000_000)),
                ServerOption("header-timeout", .number(1...3600)),
                ServerOption("idle-timeout", .number(1...86_400)),
                ServerOption("drain-time", .number(0...3600)),
                ServerOption("shutdown-timeout", .number(1...3600)),
                ServerOption(
                    "log-level",
                    .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"])),
                ServerOption("log-format", .choice(LogFormat.allCases.map(\.rawValue))),
                ServerOption("access-log", .flag),
                ServerOption("trusted-proxy", .list),
                ServerOption(SHA1Signatures.setting, .choice(SHA1Signatures.allCases.map(\.rawValue))),
            ] + LimitSetting.all.map { ServerOption($0.name, .number($0.range)) }

        static func named(_ name: String) -> ServerOption? { all.first { $0.name == name } }

        static let prefix = "APPRECEIPT_"

        /// Returns the values in an environment variable. Commas separate the elements of a list, and white space around
        /// them is dropped.
        func texts(inVariable text: String) -> [String] {
            guard case .list = kind else { return [text] }
            return text.split(separator: ",", omittingEmptySubsequences: false).map { element in
                String(
                    element.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            }
        }

        var variable: String { Self.prefix + name.uppercased().replacing("-", with: "_") }

        /// Returns the problem with the first invalid value, or nil if all are valid. An empty list is invalid: it would
        /// count as no list and remove the restriction.
        /// - Parameter texts: The values from the command line or the environment; a single one except for a list.
        func fault(in texts: [String]) -> String? {
            texts.isEmpty ? "must not be empty" : texts.lazy.compactMap { fault(in: $0) }.first
        }

        private func fault(in text: String) -> String? {
            switch kind {
            case .text: text.isEmpty ? "must not be empty" : nil
            case .list: text.allSatisfy(\.isWhitespace) ? "empty value" : nil
            case .flag: text == "true" || text == "false" ? nil : "'\(text)' \(problem)"
            case .choice(let choices): choices.contains(text) ? nil : "'\(text)' \(problem)"
            case .number(let range): Int(text).map(range.contains) == true ? nil : "'\(text)' \(problem)"
            }
        }

        /// The allowed values, for a message that begins with the setting's name.
        var expectation: String { "must be \(values)" }

        private var problem: String { "is not \(values)" }

        private var values: String {
            switch kind {
            case .text: "a string"
            case .list: "a string or an array of strings"
            case .flag: "true or false"
            case .choice(let choices): "one of \(choices.joined(separator: ", "))"
            case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
        }
    }
#endif
