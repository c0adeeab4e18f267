/* Verifies what Apple signs: App Store receipts, StoreKit's JWS, transaction receipts. Offline: no file, no
 * network, no setting of the machine takes part.
 *
 * Bytes in, JSON out: the objects that `appreceipt verify --json` and `eligibility --json` print, whose schemas
 * `appreceipt schema` prints. Any function may be called from any thread, also with one handle from many threads at once,
 * and on either side of a fork(); not from a signal's handler. In the child of a fork, the thread that forked waits for the
 * calls of others and they for its own. 64 KiB of stack are enough. Nothing that is handed in ends the process; where
 * memory is too short for sixteen times an input of more than 64 KiB, that is said, and for less, or for an answer to one
 * record that takes more, Swift ends the process.
 *
 * An answer is UTF-8, with a NUL behind it that its length does not count and none inside. It is the caller's, and goes
 * back by appreceipt_free. Where there is none it is NULL, its length 0. Functions, codes and members of answers are only
 * ever added.
 */
#ifndef APPRECEIPT_H
#define APPRECEIPT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A verifier with its settings. */
typedef struct appreceipt appreceipt;

/** What a call came to. */
enum appreceipt_code {
    /** Answered, and everything in it is genuine and as demanded. */
    APPRECEIPT_OK = 0,
    /** Answered, and something in it was refused: the answer says what, and why. */
    APPRECEIPT_REFUSED = 1,
    /** Settings, request or arguments are not understood: the answer is {"error": {"code": "…", "message": "…"}}. */
    APPRECEIPT_BAD_REQUEST = 2,
    /** No memory, or OpenSSL failed: something was not judged, and may be tried again. There may be no answer. */
    APPRECEIPT_UNAVAILABLE = 3
};

/** The version of this library, for example "1.2.3" (Semantic Versioning 2.0.0). It lives as long as the process. */
const char *appreceipt_version(void);

/** Makes a verifier. Make one and keep it: it remembers the chains of certificates that it found good.
 *
 * Settings are {
 *     "bundle_ids": "…" | ["…", …],     the apps whose evidence is accepted; "any" accepts every app's
 *     "environment": "…" | ["…", …],    of "production", "sandbox", "xcode"; "any" accepts every environment. App Review uses
 *                                       production builds in the sandbox: ["production", "sandbox"]
 *     "roots": ["…", …],                in place of Apple's: PEM, or DER in base64
 *     "storekit_test_roots": ["…", …],  beside the others: certificates that Xcode exports
 *     "app_apple_id": 1 | [1, …],       refuses what names another appAppleId, and what should name it and does not;
 *                                       "any", the default, expects none
 *     "device_id": "…",                 hexadecimal digits: identifierForVendor or the MAC address, which receipts name; for
 *                                       JWS AppStore.deviceVerificationID
 *     "cross_check": false,             whether OpenSSL's own PKCS #7 verification must agree
 *     "sha1_signatures": "…",           Accept these SHA-1 signatures: until-apple-stopped (the default) those of
 *                                       certificates that end by 2025-01-24, and all under your own root; until-2025
 *                                       applies that date to every root; all; none.
 *     "limits": {
 *         "signature_checks": 8,        The maximum number of signature checks per certificate chain, one for each
 *                                       2,048 bits of an RSA key. Default 8, from 1 to 1000000.
 *         "input_bytes": 16777216,      The maximum size of a receipt in bytes of DER; as text, half as many again.
 *                                       Default 16777216, from 1 to 16777216.
 *         "nesting": 32,                The maximum nesting depth of ASN.1 elements in a receipt. Default 32, from 1
 *                                       to 1000.
 *         "certificates": 16,           The maximum number of certificates in a receipt. Default 16, from 1 to 1000.
 *         "certificate_bytes": 8192,    The maximum size of a certificate in bytes. Default 8192, from 1 to 1048576.
 *         "purchases": 100000,          The maximum number of purchases in a receipt. Default 100000, from 1 to
 *                                       10000000.
 *         "signed_text_bytes": 1048576, The maximum size of a JWS or transaction receipt in bytes. Default 1048576,
 *                                       from 1 to 16777216.
 *         "signed_objects": 100000      The maximum number of signed objects in an App Store Server API response.
 *                                       Default 100000, from 1 to 10000000.
 *     },
 *     "catalog": {…},                   a StoreKit configuration, {"groups": {"group": ["product", …]}}, or of several
 *                                       apps {"apps": {"bundle id": {…}}}: a product is asked of its app alone
 *     "records": {"as_of": "…",         the instant at which records are asked for the catalog's offers (RFC 3339)
 *                 "evidence": false,    whether behind each of their lines there is one of what appreceipt_answer_customer needs
 *                 "source": 1},         the number of their source among those of `appreceipt audit`, from 1 on: behind all lines
 *                                       of an answer and an empty one there are, for each, the digits of its leaf's hash in that
 *                                       audit's tree
 *     "policies": {"refunds": "block" | "ignore", "stale_evidence": "accept" | "undetermined",
 *                  "partial_evidence": "accept" | "undetermined", "promotional_scope": "group" | "app"},
 *     "verify_receipt": {"environment": "production" | "sandbox", "shared_secret": "…",
 *                        "latest": "omitted" | "as-of-receipt"}}
 * Apps and environments are required, and every other setting may be left out. Settings that are missing, misspelt or not
 * understood, and empty lists, are errors, so that none removes a check.
 *
 * The library works in the program's own namespace alone: where dlmopen loaded it into another one, the code is
 * APPRECEIPT_BAD_REQUEST.
 *
 * @param settings      a JSON object in UTF-8.
 * @param length        bytes of it.
 * @param handle        becomes the verifier, which goes back by appreceipt_close; NULL unless the code is APPRECEIPT_OK.
 * @param answer        becomes what is wrong with the settings, else NULL.
 * @param answer_length becomes the bytes of it.
 * @return APPRECEIPT_OK, APPRECEIPT_BAD_REQUEST or APPRECEIPT_UNAVAILABLE.
 */
int appreceipt_open(
    const char *settings, size_t length, appreceipt **handle, char **answer, size_t *answer_length);

/** Gives a verifier back, when no call with it is under way or to come.
 *
 * @param handle may be NULL.
 */
void appreceipt_close(appreceipt *handle);

/** Verifies every signed object of an input: {"results": […]}, with an object for each as `verify --json` prints it of
 * the same bytes on its standard input.
 *
 * @param handle        of appreceipt_open.
 * @param input         a receipt (DER, base64 or PEM), a compact JWS, an answer of the App Store Server API that holds
 *                      some, or a transaction receipt. It is copied before anything is judged.
 * @param length        bytes of it.
 * @param answer        becomes the answer.
 * @param answer_length becomes the bytes of it.
 * @return APPRECEIPT_OK where everything is genuine, else another code.
 */
int appreceipt_verify(
    appreceipt *handle, const void *input, size_t length, char **answer, size_t *answer_length);

/** Verifies many inputs, each as appreceipt_verify does. Where threads take turns with a lock between their calls, as those of
 * an interpreter do, one call for many inputs lets them run beside one another.
 *
 * @param handle        of appreceipt_open.
 * @param inputs        where each input begins. Each is copied before anything of it is judged.
 * @param lengths       bytes of each: of several inputs 1 MiB together.
 * @param count         inputs, at most 4096.
 * @param answer        becomes what appreceipt_verify answers to each, in their order, each with "\n" behind it: of none, a text
 *                      of length 0.
 * @param answer_length becomes the bytes of it.
 * @return APPRECEIPT_OK where everything is genuine; APPRECEIPT_UNAVAILABLE where something was not judged, and then all may be
 *         tried again; else another code.
 */
int appreceipt_verify_many(
    appreceipt *handle, const void *const *inputs, const size_t *lengths, size_t count, char **answer,
    size_t *answer_length);

/** Says what offers one customer may get, from several pieces of evidence: {"verdicts": […]}, with an object for each
 * product as `eligibility --merge --json` prints it.
 *
 * A request is {
 *     "evidence": ["…", …],                what appreceipt_verify takes, as text
 *     "renewal_info": ["…", …],            signed renewal information
 *     "unsigned_renewal_info": [{…}, …],   saved verifyReceipt answers or their pending_renewal_info, as JSON or its text. The
 *                                          caller vouches for them; answers that rest on them have the certainty
 *                                          as_of_renewal_info
 *     "products": ["…", …],                without it every product of the catalog
 *     "as_of": "…",                        RFC 3339; without it the present time
 *     "catalog": {…},                      without it the settings' catalog
 *     "single_group": false,               in place of a catalog: all subscriptions are one group
 *     "refused_evidence": "error" | "caveat"}
 * Everything but evidence may be left out; without a catalog, products are required, and where single_group is not said, groups
 * are those that signed transactions name. Where evidence is refused, "error", the default, gives no verdict: the answer is
 * {"error": {…}, "refusals": […]}. "caveat" leaves it out and adds the caveat evidence-refused to every offer, as the command
 * line does: the answer is {"verdicts": […], "refusals": […]}, unless nothing genuine is left.
 *
 * @param handle        of appreceipt_open.
 * @param request       a JSON object in UTF-8.
 * @param length        bytes of it.
 * @param answer        becomes the answer.
 * @param answer_length becomes the bytes of it.
 * @return APPRECEIPT_OK where there are verdicts and nothing was refused; APPRECEIPT_REFUSED where some of the evidence is
 *         refused or not of one customer; else another code.
 */
int appreceipt_eligibility(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

/** Answers a request to Apple's deprecated verifyReceipt from the receipt's own signed bytes: {"status": 0, …}.
 *
 * @param handle        of appreceipt_open.
 * @param request       the body that is posted to verifyReceipt. It may hold "latest": ["…", {…}, …], signed transactions
 *                      for latest_receipt_info: compact JWS, notifications, answers of the App Store Server API. All must be
 *                      of the receipt's app and environment; the caller vouches that they are of its customer.
 * @param length        bytes of it.
 * @param answer        becomes the answer, the body of an HTTP 200.
 * @param answer_length becomes the bytes of it.
 * @return APPRECEIPT_OK where status is 0, APPRECEIPT_REFUSED where it is not, else another code.
 */
int appreceipt_verify_receipt_answer(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

/** Answers a record of an export as `appreceipt audit --ndjson` does: with a line of JSON for each signed object in it, and
 * one at least, each with "\n" behind it. A receipt is unwrapped from what exports wrap it in.
 *
 * @param handle        of appreceipt_open. Where its settings have a catalog, each purchase is asked for its offers, at the
 *                      settings' instant, or at present.
 * @param record        {"id": …, "receipt": "…", "subject": …}, a line of NDJSON that is not blank, without its end.
 * @param length        bytes of it.
 * @param number        of the record, from 1 to SIZE_MAX / 2 - 32 MiB: its name where it has none.
 * @param answer        becomes the lines.
 * @param answer_length becomes the bytes of them.
 * @return APPRECEIPT_OK where everything is genuine or the record says that it holds nothing, else another code.
 */
int appreceipt_answer_record(
    appreceipt *handle, const char *record, size_t length, size_t number, char **answer, size_t *answer_length);

/** Answers records that follow one another, each as appreceipt_answer_record does.
 *
 * @param handle        of appreceipt_open.
 * @param records       lines of NDJSON, each with "\n" behind it, which the last may lack. What is blank is no record.
 * @param length        bytes of them, at most 1 MiB. What has more is one record; 32 MiB are enough to see that it is too long.
 * @param number        of the first line, from 1 to SIZE_MAX / 2 - 32 MiB. Becomes that of the line behind the last, unless there is no answer or the
 *                      code is APPRECEIPT_BAD_REQUEST.
 * @param answer        becomes the lines that answer them: where all are blank, a text of length 0.
 * @param answer_length becomes the bytes of them.
 * @return APPRECEIPT_OK where everything is genuine or says that it holds nothing; APPRECEIPT_UNAVAILABLE where something was
 *         not judged, and then all may be tried again, under the first line's number; else another code.
 */
int appreceipt_answer_records(
    appreceipt *handle, const char *records, size_t length, size_t *number, char **answer, size_t *answer_length);

/** Answers what offers one customer may get, as `appreceipt audit --subject-verdicts` does, from what is kept of records: with a
 * line of JSON for each of the catalog's products, or one that says why there is no verdict, each with "\n" behind it.
 *
 * Where the settings say "records": {"evidence": true}, appreceipt_answer_record writes a line behind each: an object
 * of what is kept, or null where nothing is genuine. The request has those of one customer as they are, newest first by
 * created_at, of one date by number; what has no date comes last. Nothing is verified again: whoever asks vouches for them.
 *
 * Renewal information names no app. Where the settings name bundle_ids or app_apple_id, its line refuses it, and what is kept of it
 * has "refused": "wrong_bundle_id". It counts if its original transaction is among the request's evidence, else as refused. The
 * caller who knows that it is of the customer's app leaves that member out.
 *
 * Every product of a catalog that is not scoped to apps is asked about, since one customer does not show what the evidence of
 * other apps does. An audit of several apps asks an app's customers only about the products that its evidence shows. Scope the
 * catalog ({"apps": …}) where there are several apps: then both ask the same.
 *
 * @param handle        of appreceipt_open, with a catalog. The settings' instant is asked about, or the present.
 * @param request       {"customer": 1, "receipts": 2, "subject": "…", "environment": "…", "bundle_id": "…", "realm": "…",
 *                      "linked_by": ["…"], "evidence_refused": false, "evidence": [{"number": 1, "kept": {…}}, …]}: the
 *                      customer's number; how often evidence was presented, where some that was presented before is left out;
 *                      whose it all is, as far as that is known: what names no app, environment or realm goes with nothing else;
 *                      for several pieces of evidence without a subject, what links them ("app_account_token",
 *                      "app_transaction_id", "original_transaction_id"); whether a line with the customer's subject is refused
 *                      and nothing is kept of it, which adds the caveat evidence-refused to every offer (without a subject, an
 *                      audit cannot know whose a refused record is); and at the end the evidence, with the number of its answer.
 *                      Behind what has more than 100,000 purchases together, nothing else is needed: there is no verdict.
 * @param length        bytes of it, at most 256 MiB.
 * @param answer        becomes the lines.
 * @param answer_length becomes the bytes of them.
 * @return APPRECEIPT_OK where there are lines, else another code.
 */
int appreceipt_answer_customer(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

/** Gives an answer back.
 *
 * @param answer may be NULL.
 */
void appreceipt_free(char *answer);

#ifdef __cplusplus
}
#endif

#endif
