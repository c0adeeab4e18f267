#if Server
    import EmbeddedFiles

    /// The server's page for people, and its OpenAPI description.
    enum ServerPages {
        static let index = bytes(of: "index.html")
        static let style = bytes(of: "page.css")
        static let script = bytes(of: "page.js")
        static let openAPI = bytes(of: "openapi.yaml")

        private static func bytes(of file: String) -> [UInt8] {
            unsafe Array(String(cString: embedded_page(file)).utf8)
        }
    }
#endif
