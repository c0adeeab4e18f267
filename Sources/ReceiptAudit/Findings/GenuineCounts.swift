import GRDB

/// How many genuine records there are of each signer and kind, counted while they are written: what is asked of all of
/// them would have SQLite go over all rows, on one core, when everything else is done.
struct GenuineCounts {
    /// Records that are alike in what is asked; of a certificate there are a few at most.
    struct Group {
        let signer: Int64?
        let realm: String?
        let kind: String?
        let hasSubject: Bool
        /// Whether it is of a test in Xcode.
        let isXcode: Bool
        fileprivate(set) var records = 0

        /// Whether it was signed by one of the certificates that sign JWS.
        var isJWS: Bool { kind.map(Self.jws.contains) ?? false }

        private static let jws: Set = [
            "transaction", "renewal-info", "app-transaction", "notification", "realtime-request",
        ]
    }

    private(set) var groups: [Group] = []
    /// By hashes of what they are alike in.
    private var places: [UInt64: Int] = [:]
    /// Most records are of the group of the one before.
    private var last: (hash: UInt64, place: Int)?

    private static let realm = ReceiptRows.cell("realm")
    private static let kind = ReceiptRows.cell("kind")

    mutating func add(_ row: some ComparedRow, signer: Int64?, hasSubject: Bool, isXcode: Bool) {
        var hasher = KeyedHash()
        hasher.combine(signer ?? .min)
        row.hash(Self.realm, into: &hasher)
        row.hash(Self.kind, into: &hasher)
        hasher.combine((hasSubject ? 1 : 0) + (isXcode ? 2 : 0) as UInt64)
        let hash = hasher.value
        if last?.hash != hash {
            let place = places[hash, default: groups.count]
            if place == groups.count {
                places[hash] = place
                groups.append(
                    Group(
                        signer: signer, realm: row.text(Self.realm), kind: row.text(Self.kind),
                        hasSubject: hasSubject, isXcode: isXcode))
            }
            last = (hash, place)
        }
        if let last { groups[last.place].records += 1 }
    }

    func count(where isCounted: (Group) -> Bool) -> Int {
        groups.reduce(0) { $0 + (isCounted($1) ? $1.records : 0) }
    }

    /// Of what one authority signed: of each realm one signs receipts, and one JWS.
    var mostOfOneAuthority: Int {
        Dictionary(grouping: groups) { [$0.realm, $0.isJWS ? "JWS" : nil] }
            .map { $0.value.reduce(0) { $0 + $1.records } }.max() ?? 0
    }

    /// Makes the table `temp.signed`: how many records of a realm each certificate signed, as JWS and otherwise.
    func insert(into database: Database) throws {
        try database.execute(
            sql: """
                DROP TABLE IF EXISTS temp.signed;
                CREATE TEMP TABLE signed (signer_id INTEGER, realm TEXT, is_jws INTEGER, receipts INTEGER)
                """)
        let insertion = try database.makeStatement(sql: "INSERT INTO temp.signed VALUES (?, ?, ?, ?)")
        for group in groups {
            try insertion.execute(arguments: [group.signer, group.realm, group.isJWS, group.records])
        }
    }
}
