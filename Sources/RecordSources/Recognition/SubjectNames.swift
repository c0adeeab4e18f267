import StrictJSON

/// The names that exports give the field with the customer account.
enum SubjectNames {
    /// The names in lower case without punctuation, the most specific first.
    private static let all = [
        "subject", "userid", "accountid", "customerid", "appuserid", "appaccounttoken", "useruuid",
        "accountuuid", "customeruuid", "userguid", "memberid", "subscriberid", "playerid", "profileid",
        "useraccountid", "customeraccountid", "user", "account", "customer",
    ]

    /// Returns the name of the subject's field among the names of an export's fields, or nil if there is none.
    /// `subject` takes precedence over other spellings, and a name that several fields have is not used.
    static func find(in names: [String]) -> String? {
        if names.contains(where: { $0.isExactly("subject") }) { return "subject" }
        let names = names.filter { $0.utf8.count <= 64 }
        let counts = Dictionary(names.map { (Array($0.utf8), 1) }, uniquingKeysWith: +)
        var found: (rank: Int, name: String)?
        for name in names where counts[Array(name.utf8)] == 1 {
            let letters = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard let rank = all.firstIndex(of: letters), rank < found?.rank ?? .max else { continue }
            found = (rank, name)
        }
        return found?.name
    }
}
