#if Server
    import ReceiptJSON

    /// The description of all routes. What commands print too has its schema there once: it is taken over, and is called by
    /// its place in this document.
    enum OpenAPIDocument {
        static let text = PackageResources.openapi_yaml + Array(schemas.utf8)

        /// JSON is YAML, a little further in (YAML 1.2.2, 7.4).
        private static var schemas: String {
            let contract = [ContractSchema.verify, .eligibility, .rules, .audit].map {
                ($0.rawValue, $0.text)
            }
            let schemas = contract + [("verify-receipt", VerifyReceiptAnswer.schema)]
            return schemas.map { name, schema in
                let lines = schema.split(separator: "\n").filter { line in
                    !line.contains("\"$schema\":") && !line.contains("\"$id\":")
                }
                var text = lines.map { "      \($0)\n" }.joined()
                for (other, _) in schemas {
                    text = text.replacing(
                        "\"urn:appreceipt:schema:\(other)#/", with: "\"#/components/schemas/\(other)/")
                }
                return "    \(name):\n"
                    + text.replacing("\"#/$defs/", with: "\"#/components/schemas/\(name)/$defs/")
            }
            .joined()
        }
    }
#endif
