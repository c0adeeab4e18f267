#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import ReceiptExamination
    import ReceiptJSON
    import StrictJSON

    extension Dispatcher {
        /// Answers with the output of `verify --json` for the same bytes on standard input.
        func verify() async throws -> HTTPAnswer {
            let (policy, isJSON) = (try policy(), isJSON)
            let (body, reservation) = try await collect(.verify)
            let metrics = state.metrics
            return try await perform(body.count) { [self] in
                let examiner = Examiner(try files(for: .verify).verifier, policy: policy)
                var json = JSONWriter()
                let input = isJSON ? Self.enclosed(body) ?? body : body
                json.object { json in
                    json.array("results") { json in
                        examiner.examine(signedObjects: input) { (examination) throws(Never) in
                            if case .failure(let refusal) = examination.result { metrics.count(refusal.code) }
                            json.verification(examination, of: "-")
                        }
                    }
                }
                return HTTPAnswer(.json, json.buffer, reservation)
            }
        }

        /// Whether the media type of the request's content is `application/json` (RFC 9110, 8.3.1).
        var isJSON: Bool {
            let type = request.headers[.contentType]?.utf8.prefix(128).prefix { !",; \t".utf8.contains($0) }
            return type.map { Substring($0).lowercased() } == "application/json"
        }

        /// Returns the text in `{"receipt": "…"}`, nil for any other body.
        private static func enclosed(_ body: [UInt8]) -> [UInt8]? {
            var text: [UInt8]?
            do throws(JSONError) {
                var reader = JSONReader(body.span, maximumMembers: 1 << 16)
                var members = 0
                try reader.object { (reader, name) throws(JSONError) in
                    members += 1
                    if members == 1, name == "receipt", try reader.peek() == .string {
                        text = try reader.text(atMost: .max)
                    } else {
                        text = nil
                        try reader.skip()
                    }
                }
                try reader.end()
            } catch {
                return nil
            }
            return text
        }
    }
#endif
