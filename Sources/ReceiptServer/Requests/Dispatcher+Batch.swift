#if Server
    import HTTPTypes
    import HummingbirdCore
    import NIOHTTP1

    extension Dispatcher {
        /// Answers a batch with the output of `audit --ndjson -` for the same lines, except for the limit on verdicts. Answers
        /// to received lines are sent before more input is read. If the client does not read them, the server reads nothing.
        func batch() throws(Failure) -> HTTPAnswer {
            let policy = try policy()
            return HTTPAnswer(.ndjson) { [self] writer in
                var lines = BatchLines(self, policy)
                do {
                    for try await part in request.body {
                        lines.add(part)
                        while let answers = try await lines.next() {
                            try await HTTPAnswer.write(answers, to: &writer)
                        }
                    }
                    lines.end()
                    while let answers = try await lines.next() {
                        try await HTTPAnswer.write(answers, to: &writer)
                    }
                } catch  where error is HTTPParserError || error is Failure {
                    // A started answer cannot become an error. The error ends the connection before the end of the answer.
                    throw BatchLines.BrokenBatch()
                }
                try await writer.finish(nil)
            }
        }
    }
#endif
