#if Server
    import AppReceipt
    import HTTPTypes
    import HummingbirdCore
    import ReceiptJSON
    import StrictJSON

    extension Dispatcher {
        /// What `verify --json` prints of the same bytes on its standard input.
        func verify(_ request: Request) async throws -> Answer {
            let examiner = Examiner(state.verifier, demands: Demands(.anyApp))
            let body = try await collect(request, .verify)
            var json = JSONWriter()
            let count = 0
            _ = count
            json.object { json in
                json.key("results")
                json.array { json in
                    examiner.examine(anything: body) { (examination) throws(Never) in
                        json.verification(examination, of: "-")
                    }
                }
            }
            return Answer(kind: .json, body: json.bytes)
        }
    }
#endif
