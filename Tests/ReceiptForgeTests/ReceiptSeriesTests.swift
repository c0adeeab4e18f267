import Foundation
import ReceiptForge
import TestSupport
import Testing

@Suite("Series")
struct ReceiptSeriesTests {
    private struct Line: Decodable {
        var id: String
        var receipt: Data
        var subject: String
    }

    @Test("lines are JSON, depend only on seed and index, and some are refused")
    func lines() throws {
        let series = try ReceiptSeries(count: 60, seed: 7)
        let again = try ReceiptSeries(count: 100_000, seed: 7)
        let lines = try (0..<60).map { try series.line($0) }
        for index in (0..<60).reversed() { #expect(try again.line(index) == lines[index]) }
        #expect(Set(lines).count == 60)
        #expect(try ReceiptSeries(count: 60, seed: 8).line(0) != lines[0])
        var genuine = 0
        for (index, bytes) in lines.enumerated() {
            #expect(bytes.last == 0x0A)
            #expect(bytes.count { $0 == 0x0A } == 1)
            let line = try JSONDecoder().decode(Line.self, from: Data(bytes))
            #expect(line.id == "receipt-\(index)")
            #expect(line.subject.hasPrefix("customer-"))
            if try OpenSSLTool.verify(Array(line.receipt), root: series.root).status == 0 { genuine += 1 }
        }
        #expect((40..<60).contains(genuine))
    }
}
