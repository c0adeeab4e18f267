-- receipts.csv: Every record.
SELECT r.id AS number, r.source, r.place, r.record, r.subject,
    CASE WHEN r.refusal_code = 'unreadable' THEN 'unreadable' WHEN r.other_app IS NOT NULL THEN 'other app'
        ELSE r.status END AS status, r.wrapping,
    CASE r.realm WHEN 'app_store' THEN 'Apple' WHEN 'custom' THEN 'not Apple: a root of your own'
        WHEN 'storekit_test' THEN 'not Apple: StoreKit Test' END AS vouched_for_by,
    r.refusal_code AS reason, r.refusal_message AS message, r.environment, r.bundle_id, r.application_version,
    strftime('%Y-%m-%dT%H:%M:%SZ', r.created_at / 1000, 'unixepoch') AS created,
    CASE r.status WHEN 'genuine' THEN (SELECT count(*) FROM transactions WHERE receipt_id = r.id) END AS purchases,
    (SELECT count(DISTINCT finding_id) FROM finding_evidence WHERE receipt_id = r.id) AS findings,
    c.subject AS signed_by, r.revocation, r.sha256, r.content_sha256, r.kind, r.path,
    (SELECT customer_id FROM customer_receipts WHERE receipt_id = r.id) AS customer, r.other_app, r.kept AS kept
FROM receipts r LEFT JOIN certificates c ON c.id = r.signer_id ORDER BY r.id

-- customers.csv: The customers. The receipts of each have the customer's number in their own column.
SELECT c.id AS number, c.subject, c.environment, c.bundle_id,
    CASE r.realm WHEN 'app_store' THEN 'Apple' WHEN 'custom' THEN 'not Apple: a root of your own'
        WHEN 'storekit_test' THEN 'not Apple: StoreKit Test' END AS vouched_for_by,
    c.receipts, c.purchases,
    strftime('%Y-%m-%dT%H:%M:%SZ', c.evidence_date / 1000, 'unixepoch') AS evidence_date,
    c.newest_receipt_id AS newest_receipt_number,
    r.record AS newest_record, c.linked_by, c.unjudged
FROM customers c JOIN main.receipts r ON r.id = c.newest_receipt_id ORDER BY c.id

-- subject_verdicts.csv: The final verdicts, over all receipts of a customer.
SELECT v.customer_id AS customer, c.subject, c.environment, c.bundle_id,
    CASE r.realm WHEN 'app_store' THEN 'Apple' WHEN 'custom' THEN 'not Apple: a root of your own'
        WHEN 'storekit_test' THEN 'not Apple: StoreKit Test' END AS vouched_for_by,
    v.product_id,
    v.subscription_group, v.introductory_outcome, v.introductory_rule, v.introductory_certainty,
    v.introductory_caveats, v.promotional_outcome, v.promotional_rule, v.promotional_certainty,
    v.promotional_caveats, v.win_back_outcome, v.win_back_rule, v.win_back_certainty, v.win_back_caveats, v.state,
    v.state_product_id,
    strftime('%Y-%m-%dT%H:%M:%SZ', v.state_since / 1000, 'unixepoch') AS state_since,
    strftime('%Y-%m-%dT%H:%M:%SZ', v.state_until / 1000, 'unixepoch') AS state_until,
    strftime('%Y-%m-%dT%H:%M:%SZ', c.evidence_date / 1000, 'unixepoch') AS evidence_date,
    '№ ' || replace(v.receipts, ',', ', № ') AS rests_on
FROM subject_verdicts v JOIN customers c ON c.id = v.customer_id
JOIN main.receipts r ON r.id = c.newest_receipt_id ORDER BY v.customer_id, v.product_id

-- verdicts.csv: The verdicts on each receipt alone, and next to them those on all receipts of its customer.
SELECT v.receipt_id AS receipt_number, r.record, r.subject, v.product_id, v.subscription_group,
    v.introductory_outcome, v.introductory_rule, v.introductory_certainty, v.introductory_caveats,
    v.promotional_outcome, v.promotional_rule, v.promotional_certainty,
    v.win_back_outcome, v.win_back_rule, v.win_back_certainty, v.state, v.state_product_id,
    strftime('%Y-%m-%dT%H:%M:%SZ', v.state_since / 1000, 'unixepoch') AS state_since,
    strftime('%Y-%m-%dT%H:%M:%SZ', v.state_until / 1000, 'unixepoch') AS state_until,
    a.customer_id AS customer, a.introductory_outcome AS customer_introductory_outcome,
    a.promotional_outcome AS customer_promotional_outcome, a.win_back_outcome AS customer_win_back_outcome
FROM verdicts v JOIN receipts r ON r.id = v.receipt_id
LEFT JOIN main.customer_receipts c ON c.receipt_id = v.receipt_id
LEFT JOIN main.subject_verdicts a ON a.customer_id = c.customer_id AND a.product_id = v.product_id
ORDER BY v.receipt_id, v.product_id

-- findings.csv: One row for each row that a finding rests on, followed by the skipped checks.
SELECT * FROM (
SELECT i.id AS incident, f.severity, f.kind, i.summary AS incident_summary, f.id AS finding, f.summary,
    e.receipt_id AS receipt_number, r.record, r.subject, t.product_id, t.transaction_id,
    strftime('%Y-%m-%dT%H:%M:%SZ', t.purchase_date / 1000, 'unixepoch') AS bought, c.subject AS certificate
FROM findings f JOIN incident_findings n ON n.finding_id = f.id JOIN incidents i ON i.id = n.incident_id
JOIN finding_evidence e ON e.finding_id = f.id LEFT JOIN main.receipts r ON r.id = e.receipt_id
LEFT JOIN main.transactions t ON t.receipt_id = e.receipt_id AND t.position = e.position
LEFT JOIN certificates c ON c.id = e.certificate_id
UNION ALL
SELECT NULL, 'not looked for', kind, title || ', because ' || reason, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL
FROM not_looked_for)
ORDER BY incident IS NULL, incident, finding, receipt_number, transaction_id
