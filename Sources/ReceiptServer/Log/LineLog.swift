#if Server
    import AppReceipt
    import Logging
    import RecordSources
    import StrictJSON
    import SystemLibrary

    /// A log handler that writes each event as one line on standard error. It escapes text, so that a message or value can
    /// neither end the line nor imitate other values.
    struct LineLog: LogHandler {
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        private let format: LogFormat
        private let clock = ServerClock()

        init(_ format: LogFormat, _ level: Logger.Level) { (self.format, logLevel) = (format, level) }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var values = metadata
            if let more = metadataProvider?.get() { values.merge(more) { $1 } }
            if let own = event.metadata { values.merge(own) { $1 } }
            if let error = event.error { values["error"] = "\(error)" }
            let sorted = values.sorted { $0.key < $1.key }
            let line = format == .json ? json(event, sorted) : text(event, sorted)
            Self.put(line)
        }

        /// The current time, with milliseconds also if they are zero, because programs parse lines by one format.
        private var time: String {
            let time = clock.now.rfc3339
            return time.contains(".") ? time : time.dropLast() + ".000Z"
        }

        private func json(_ event: LogEvent, _ values: [Logger.Metadata.Element]) -> [UInt8] {
            JSONWriter.text { json in
                json.object { json in
                    json.string("time", time)
                    json.string("level", event.level.rawValue)
                    json.string("message", "\(event.message)")
                    for (name, value) in values where !["time", "level", "message"].contains(name) {
                        json.key(text: name)
                        if case .stringConvertible(let number as Int) = value {
                            json.number(number)
                        } else {
                            json.string("\(value)")
                        }
                    }
                }
            } + [0x0A]
        }

        private func text(_ event: LogEvent, _ values: [Logger.Metadata.Element]) -> [UInt8] {
            var line = "\(time) \(event.level) "
            Self.append("\(event.message)", quoting: false, to: &line)
            for (name, value) in values {
                line += " "
                Self.append(name, quoting: true, to: &line)
                line += "="
                Self.append("\(value)", quoting: true, to: &line)
            }
            return Array("\(line)\n".utf8)
        }

        /// Appends a text with its control characters, format characters and line separators escaped.
        /// - Parameter quoting: Whether spaces, quotation marks and equals signs are escaped as well.
        private static func append(_ text: String, quoting: Bool, to line: inout String) {
            for scalar in text.unicodeScalars {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    line += scalar.escaped(asASCII: true)
                default:
                    if scalar == "\\" || (quoting && (scalar == " " || scalar == "\"" || scalar == "=")) {
                        line += "\\"
                    }
                    line.unicodeScalars.append(scalar)
                }
            }
        }

        /// Writes a line, with one system call where possible, so that lines of several threads do not mix. Ignores
        /// failures, because there is nowhere to report them.
        private static func put(_ line: [UInt8]) {
            _ = unsafe line.withUnsafeBytes { unsafe systemWriteAll(STDERR_FILENO, $0) }
        }
    }
#endif
