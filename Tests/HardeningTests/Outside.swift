import Foundation

/// External test vectors in `../shared/corpus/outside` next to the package, or in OUTSIDE_VECTORS. Tests are
/// skipped without them.
enum Outside {
    static let folder: URL? = {
        let beside = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared/corpus/outside")
        let named = ProcessInfo.processInfo.environment["OUTSIDE_VECTORS"].map { URL(filePath: $0) }
        return [named, beside].compactMap { $0 }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "limbo.json").path)
        }
    }()

    static func decode<Vectors: Decodable>(_ type: Vectors.Type, _ name: String) throws -> Vectors {
        let folder = folder ?? Fixtures.folder
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: folder.appending(path: "\(name).json")))
    }

    /// A difference between the package's rules and those of external vectors, with the cases that it
    /// affects.
    struct Deviation: Sendable {
        let reason: String
        /// Whether the package accepts these cases and the vectors refuse them.
        let accepts: Bool
        let ids: Set<String>

        init(_ reason: String, accepts: Bool = false, _ ids: Set<String>) {
            self.reason = reason
            self.accepts = accepts
            self.ids = ids
        }
    }
}

extension [UInt8] {
    init(hexadecimal: String) {
        let digits = Array<Character>(hexadecimal)
        self = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
    }
}
