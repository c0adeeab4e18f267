#if Server
    import ReceiptJSON

    /// The texts of JSON that are the server's own.
    enum JSON {
        static let ok = Array(#"{"status": "ok"}"#.utf8)

        static func error(
            _ code: String, _ message: String, refusals: [(member: String, index: Int, Refusal)] = []
        ) -> [UInt8] {
            JSONWriter.text { json in
                json.object { json in
                    json.key("error")
                    json.object { json in
                        json.key("code")
                        json.string(code)
                        json.key("message")
                        json.string(message)
                    }
                }
            }
        }
    }
#endif
