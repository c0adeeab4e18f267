import TestSupport
import Testing

extension Workplace {
    /// Returns the rows of a CSV file by RFC 4180: quoted fields with doubled quotes, and CRLF after every
    /// row.
    func csv(_ name: String) throws -> [[String]] {
        var text = String(decoding: try read(name), as: UTF8.self).unicodeScalars[...]
        #expect(text.popFirst() == "\u{FEFF}")
        var rows: [[String]] = []
        var row: [String] = []
        while !text.isEmpty {
            var field = String.UnicodeScalarView()
            if text.first == "\"" {
                text.removeFirst()
                while let scalar = text.popFirst() {
                    if scalar == "\"" {
                        guard text.first == "\"" else { break }
                        text.removeFirst()
                    }
                    field.append(scalar)
                }
            } else {
                while let scalar = text.first, scalar != ",", scalar != "\r" {
                    #expect(("0"..."9").contains(scalar) || scalar == "-")
                    field.append(text.removeFirst())
                }
            }
            row.append(String(field))
            let end = text.removeFirst()
            if end == "," { continue }
            #expect(end == "\r")
            #expect(text.popFirst() == "\n")
            rows.append(row)
            row = []
        }
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        return rows
    }
}
