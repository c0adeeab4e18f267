import ReceiptEvidence
import Testing

@Suite("Evidence archives")
struct TarArchiveTests {
    private static let files = [
        EvidenceFile("a/facts", "form none\n"), EvidenceFile("a/inclusion/leaf", ""),
        // A path longer than the header's name field.
        EvidenceFile(
            "\(String(repeating: "b", count: 84))/notification.json", [UInt8](repeating: 7, count: 513)),
    ]

    private static var archive: [UInt8] {
        files.flatMap { TarArchive.entry($0.path, $0.bytes) } + TarArchive.end
    }

    @Test("a written archive can be read")
    func roundTrip() throws {
        #expect(try TarArchive.files(in: Self.archive) == Self.files)
    }

    @Test("a changed or missing header byte is refused")
    func strict() {
        let archive = Self.archive
        for place in archive.indices where place % 7 == 0 {
            var changed = archive
            changed[place] ^= 0x10
            // The archive has no checksum for file contents. The manifest covers them.
            guard let files = try? TarArchive.files(in: changed) else { continue }
            #expect(files.map(\.path) == Self.files.map(\.path), "byte \(place)")
            #expect(files != Self.files, "byte \(place)")
        }
        for count in stride(from: 0, to: archive.count, by: 100) {
            #expect(throws: TarArchive.Fault.self) {
                try TarArchive.files(in: Array(archive.prefix(count)))
            }
        }
        #expect(throws: TarArchive.Fault.self) { try TarArchive.files(in: archive + [0]) }
    }
}
