/* Verifies many inputs in one call, and answers records of an export as `appreceipt audit` does. All rules of appreceipt.h
 * apply.
 */
#ifndef APPRECEIPT_BATCH_H
#define APPRECEIPT_BATCH_H

#include "appreceipt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Verifies many inputs, each as appreceipt_verify does. If threads take a lock after each call, as in an interpreter, one call
 * for many inputs makes them wait for one another less often.
 *
 * @param handle        from appreceipt_open.
 * @param inputs        the start of each input. Each input is copied before it is verified.
 * @param lengths       the length of each in bytes. Two or more inputs may have at most 1 MiB in total.
 * @param count         the number of inputs, at most 4096.
 * @param answer        receives the answers of appreceipt_verify in the order of inputs, each followed by "\n". Without
 *                      inputs, it is a text of length 0.
 * @param answer_length receives the length of the answer in bytes.
 * @return APPRECEIPT_OK if everything is genuine. APPRECEIPT_UNAVAILABLE if something was not verified: the caller may retry
 *         all of them. Else another code.
 */
int appreceipt_verify_many(
    appreceipt *handle, const void *const *inputs, const size_t *lengths, size_t count, char **answer,
    size_t *answer_length);

/** Answers a record of an export as `appreceipt audit --ndjson` does: with at least one line of JSON, one for each signed
 * object, each followed by "\n". Receipts are unwrapped from the encodings that exports add.
 *
 * @param handle        from appreceipt_open. If its settings have a catalog, the answer includes the offers of each purchase,
 *                      at the settings' instant or the present time.
 * @param record        {"id": …, "receipt": "…", "subject": …}, a line of NDJSON that is not blank, without its line end.
 * @param length        its length in bytes.
 * @param number        the number of the record, from 1 to SIZE_MAX / 2 - 32 MiB. It is the record's name if it has no other.
 * @param answer        receives the lines.
 * @param answer_length receives their length in bytes.
 * @return APPRECEIPT_OK if everything is genuine, or if the record states that it has no receipt. Else another code.
 */
int appreceipt_answer_record(
    appreceipt *handle, const char *record, size_t length, size_t number, char **answer, size_t *answer_length);

/** Answers consecutive records, each as appreceipt_answer_record does.
 *
 * @param handle        from appreceipt_open.
 * @param records       lines of NDJSON, each followed by "\n", which is optional after the last. Blank lines are skipped.
 * @param length        their length in bytes, at most 1 MiB. A longer input must be a single record. If that has more than
 *                      32 MiB, pass its first 32 MiB: the answer is that it is too long.
 * @param number        the number of the first line, from 1 to SIZE_MAX / 2 - 32 MiB. Receives the number of the line after the
 *                      last, unless there is no answer or the code is APPRECEIPT_BAD_REQUEST.
 * @param answer        receives the lines. If all records are blank, it is a text of length 0.
 * @param answer_length receives their length in bytes.
 * @return APPRECEIPT_OK if everything is genuine, except for records that state that they have no receipt.
 *         APPRECEIPT_UNAVAILABLE if something was not verified: the caller may retry all of them, with the number of the first
 *         line. Else another code.
 */
int appreceipt_answer_records(
    appreceipt *handle, const char *records, size_t length, size_t *number, char **answer, size_t *answer_length);

/** Determines the offers for one customer from snapshots of records, as `appreceipt audit --subject-verdicts` does. The answer
 * is a line of JSON for each of the catalog's products, or one line with the reason why there is no verdict. Each line is
 * followed by "\n".
 *
 * With the setting "records": {"evidence": true}, appreceipt_answer_record adds a line after each line: a snapshot as a JSON
 * object, or null if nothing is genuine. The request contains the snapshots of one customer unchanged. They are in descending
 * order of created_at, those with the same date in the order of their numbers, and those without a date last. They are not
 * verified again: the caller vouches for them.
 *
 * Renewal information names no app. If the settings require an app, its line is a refusal, and its snapshot has the member
 * "refused": "wrong_bundle_id". It counts as evidence if the request's other evidence has its original transaction, and
 * otherwise as refused evidence. A caller who knows that it belongs to the customer's app may remove the member.
 *
 * If the catalog is not scoped to apps, the answer covers all of its products, including those of other apps. An audit of
 * several apps covers only the products that occur in the evidence of the customer's app. To get the same products from both,
 * scope the catalog: {"apps": …}.
 *
 * A request is {
 *     "customer": 1,                the customer's number
 *     "receipts": 2,                the number of presented records, if duplicates are left out of "evidence"
 *     "subject": "…",               this and the next three: the values that all of the evidence shares, if known. Evidence that
 *     "environment": "…",           names no app, environment or trust anchor kind cannot be combined with other evidence
 *     "bundle_id": "…",
 *     "realm": "…",
 *     "linked_by": ["…"],           for several snapshots without a subject, the links between them: "app_account_token",
 *                                   "app_transaction_id", "original_transaction_id"
 *     "evidence_refused": false,    whether a line with the customer's subject is refused and has no snapshot, which adds the
 *                                   caveat evidence-refused to every offer. Without a subject, an audit cannot know which
 *                                   customer a refused record belongs to
 *     "evidence": [                 the last member. After snapshots with more than 100,000 purchases in total, the others may be
 *                                   left out: there is no verdict
 *         {"number": 1,             the number of the answer with the snapshot
 *          "kept": {…}}, …]}        the snapshot
 *
 * @param handle        from appreceipt_open, with a catalog. The answer is for the settings' instant, or the present time.
 * @param request       a JSON object in UTF-8.
 * @param length        its length in bytes, at most 256 MiB.
 * @param answer        receives the lines.
 * @param answer_length receives their length in bytes.
 * @return APPRECEIPT_OK if there are lines, else another code.
 */
int appreceipt_answer_customer(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

#ifdef __cplusplus
}
#endif

#endif
