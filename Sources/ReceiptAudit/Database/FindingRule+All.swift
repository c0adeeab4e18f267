extension FindingRule {
    static let all = AuditQueries.findings.map { query in
        FindingRule(
            kind: query.name, candidates: candidates[query.name], title: query.title, reason: query.details,
            evidence: query.sql)
    }

    private static let candidates: [String: FindingCandidates.Kind] = [
        "shared-receipt": .content, "shared-purchase": .original, "several-introductory-offers": .subject,
        "told-differently": .transaction, "revoked-elsewhere": .transaction,
        "created-before-purchase": .receipt, "created-after-as-of": .late,
    ]
}
