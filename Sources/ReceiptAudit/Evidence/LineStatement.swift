import StrictJSON

/// The statement in a line of an audit, as its leaf has it, and what the database repeats of it.
struct LineStatement {
    /// The line without the members from `signature` on, up to `eligibility`.
    let statement: [UInt8]
    private(set) var status = ""
    private(set) var sha256: String?

    /// - Returns: nil for a line that is no object with a status.
    init?(_ line: [UInt8]) {
        var (status, sha256) = (String?.none, String?.none)
        // Of the members, with the comma in front of them.
        var (signature, eligibility) = (Int?.none, Int?.none)
        var reader = JSONReader(line.span)
        do throws(JSONError) {
            try reader.object { (reader, name) throws(JSONError) in
                switch name {
                case "status": status = try reader.string()
                case "sha256": sha256 = try reader.null() ? nil : reader.string()
                case "signature": signature = try reader.slice().lowerBound - #","signature":"#.utf8.count
                case "eligibility":
                    eligibility = try reader.slice().lowerBound - #","eligibility":"#.utf8.count
                default: try reader.skip()
                }
            }
            try reader.end()
        } catch {
            return nil
        }
        guard let status, signature ?? 0 <= eligibility ?? line.count - 1, signature ?? 0 >= 0 else {
            return nil
        }
        (self.status, self.sha256) = (status, sha256)
        statement = signature.map { Array(line[..<$0] + line[(eligibility ?? line.count - 1)...]) } ?? line
    }
}
