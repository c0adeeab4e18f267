import SQLite

/// The numbers of genuine records by signer and kind, counted while they are written. Otherwise SQLite would
/// read all rows at the end, on one core.
struct GenuineCounts {
    /// Records with equal properties. Each certificate has only a few groups.
    struct Group {
        let signer: Int64?
        let realm: String?
        let kind: String?
        let hasSubject: Bool
        /// Whether the records are tests in Xcode.
        let isXcode: Bool
        fileprivate(set) var records = 0

        /// Whether the records were signed by one of the certificates that sign JWS.
        var isJWS: Bool { kind.map(Self.jws.contains) ?? false }

        private static let jws: Set = [
            "transaction", "renewal-info", "app-transaction", "notification", "realtime-request",
        ]
    }

    private(set) var groups: [Group] = []
    /// The indices of the groups, by the hash of their properties.
    private var places: [UInt64: Int] = [:]
    /// The group of the last record. Most records have the same group as the record before them.
    private var last: (hash: UInt64, place: Int)?

    private static let realm = RowTable.receipts.cell("realm")
    private static let kind = RowTable.receipts.cell("kind")

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

    /// The largest number of records that one authority signed. Each trust anchor kind has one authority for
    /// receipts and one for JWS.
    var mostOfOneAuthority: Int {
        Dictionary(grouping: groups) { [$0.realm, $0.isJWS ? "JWS" : nil] }
            .map { $0.value.reduce(0) { $0 + $1.records } }.max() ?? 0
    }

    /// Creates the table `temp.signed` with the number of records that each certificate signed, by trust
    /// anchor kind and by JWS or not.
    func insert(into database: Connection) throws {
        try database.execute(
            """
            DROP TABLE IF EXISTS temp.signed;
            CREATE TEMP TABLE signed (signer_id INTEGER, realm TEXT, is_jws INTEGER, receipts INTEGER)
            """)
        let insertion = try database.prepare("INSERT INTO temp.signed VALUES (?, ?, ?, ?)")
        for group in groups {
            try insertion.bind(group.signer, group.realm, group.isJWS, group.records).execute()
        }
    }
}
