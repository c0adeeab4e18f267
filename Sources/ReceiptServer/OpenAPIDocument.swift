#if Server
    import JSONSchemas

    /// The OpenAPI description of all routes. It includes the schemas of the JSON that commands print, too. References
    /// among those schemas become references within this document.
    enum OpenAPIDocument {
        static let text = ServerPages.openAPI + Array(schemas.utf8)

        /// The schemas in JSON, which is also YAML, indented to their place in the document (YAML 1.2.2, 7.4).
        private static var schemas: String {
            let schemas = [ContractSchema.verify, .eligibility, .rules, .audit, .verifyReceipt].map {
                ($0.rawValue, $0.text)
            }
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
