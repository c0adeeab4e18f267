#if Server
    import AppReceipt
    import NIOCore
    import ReceiptJSON

    /// The texts of JSON that are the server's own.
    enum JSON {
        static let ok = Array(#"{"status":"ok"}"#.utf8)

        /// A refusal of one member of a request's array.
        struct RefusedMember: Sendable {
            /// The array, and the place in it.
            let (isRenewal, index): (Bool, Int)
            /// Where in the member, if not the whole.
            let place: String
            let refusal: Refusal

            /// - Parameter source: as ``source(_:_:)`` has it, and the place behind it.
            init(_ source: String, _ refusal: Refusal) {
                isRenewal = source.hasPrefix(Self.renewals)
                let parts = source.split(maxSplits: 2, omittingEmptySubsequences: false) {
                    $0 == "[" || $0 == "]"
                }
                index = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
                place = parts.count > 2 ? String(parts[2]) : ""
                self.refusal = refusal
            }

            static let (evidence, renewals) = ("evidence", "renewal_info")

            static func source(_ array: String, _ index: Int) -> String { "\(array)[\(index)]" }
        }

        static func error(_ code: String, _ message: String, refusals: [RefusedMember] = []) -> [UInt8] {
            JSONWriter.text { json in
                json.object { json in
                    json.key("error")
                    json.object { json in
                        json.key("code")
                        json.string(code)
                        json.key("message")
                        json.string(message)
                    }
                    guard !refusals.isEmpty else { return }
                    json.key("refusals")
                    json.array(refusals) { json, refused in
                        json.object { json in
                            json.key(refused.isRenewal ? "renewal_info" : "evidence")
                            json.number(refused.index)
                            if !refused.place.isEmpty {
                                json.key("path")
                                json.string(String(refused.place.dropFirst()))
                            }
                            json.refusal(refused.refusal)
                        }
                    }
                }
            }
        }
    }

    extension JSONWriter {
        /// What was written, copied once.
        var buffer: ByteBuffer { unsafe withBytes { unsafe ByteBuffer(bytes: $0) } }
    }
#endif
