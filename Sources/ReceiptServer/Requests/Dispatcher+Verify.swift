#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import NIOCore
    import ReceiptJSON
    import StrictJSON

    extension Dispatcher {
        /// What `verify --json` prints of the same bytes on its standard input.
        func verify(_ request: Request) async throws -> Answer {
            let query = try Query(request.head.path, allowing: ["bundle_id", "environment"])
            let examiner = Examiner(state.verifier, demands: try demands(query))
            let isJSON = request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true
            let (body, reservation) = try await collect(request, .verify)
            let metrics = state.metrics
            let json = try await perform(body.count) {
                var json = JSONWriter()
                let input = isJSON ? Self.enclosed(body) ?? body : body
                json.object { json in
                    json.key("results")
                    json.array { json in
                        examiner.examine(anything: input) { (examination) throws(Never) in
                            if case .failure(let refusal) = examination.result { metrics.count(refusal.code) }
                            json.verification(examination, of: "-")
                        }
                    }
                }
                return json.buffer
            }
            let held = reservation ?? state.budget.reservation()
            guard held.hold(json.readableBytes) else { throw Failure.busy }
            return Answer(.json, json, held)
        }

        /// What the settings demand, and the request on top of it.
        private func demands(_ query: Query) throws(Failure) -> Demands {
            let named = query["environment"] ?? EnvironmentDemand.any.rawValue
            guard let environment = EnvironmentDemand(rawValue: named)?.environment else {
                let names = EnvironmentDemand.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("environment: is one of \(names)")
            }
            guard let app = query["bundle_id"] else {
                return ServerState.demands(state.settings.bundleIDs, environment)
            }
            // Byte for byte: text is compared by meaning.
            let isServed = state.settings.bundleIDs.contains { $0.utf8.elementsEqual(app.utf8) }
            guard state.settings.bundleIDs.isEmpty || isServed else {
                throw .badRequest("bundle_id: of no app that is served here")
            }
            return Demands(.app(app, environment))
        }

        /// The text in `{"receipt": "…"}`; nil of anything else.
        private static func enclosed(_ body: [UInt8]) -> [UInt8]? {
            var text: [UInt8]?
            do throws(JSONError) {
                var reader = JSONReader(body.span)
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
