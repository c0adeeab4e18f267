/* Verifies App Store receipts, StoreKit JWS and transaction receipts offline. Verdicts do not depend on files, the network
 * or the machine's configuration.
 *
 * Answers are JSON, in the format of `appreceipt verify --json` and `appreceipt eligibility --json`. `appreceipt schema`
 * prints the schemas.
 *
 * Any thread may call any function, and several threads may use one handle at the same time. Calls may come before and
 * after a fork(), in the parent and in the child, but not from a signal handler. In the child of a fork, the thread that
 * called fork() and the other threads wait for each other's calls. Calls need at most 256 KiB of stack.
 *
 * No input crashes the process while there is memory. For an input of more than 64 KiB, a call first checks that 16 times its
 * length is available, and otherwise fails with APPRECEIPT_UNAVAILABLE. Swift ends the process if memory runs out for a shorter
 * input. It also ends the process if memory runs out for answers to up to sixteen records that need more than the checked
 * memory.
 *
 * An answer is UTF-8 text without NUL bytes. A NUL follows it, which is not part of its length. The caller owns the answer and
 * frees it with appreceipt_free. If there is no answer, the pointer is NULL and the length 0. Later versions may add functions,
 * codes and members of answers, and remove none.
 *
 * appreceipt_batch.h has the functions for many inputs, and for records of an export.
 */
#ifndef APPRECEIPT_H
#define APPRECEIPT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A verifier and its settings. */
typedef struct appreceipt appreceipt;

/** The result of a call. */
enum appreceipt_code {
    /** Answered: everything is genuine and conforms to the settings. */
    APPRECEIPT_OK = 0,
    /** Answered: something was refused. The answer names it and the reason. */
    APPRECEIPT_REFUSED = 1,
    /** Invalid settings, request or arguments. The answer is {"error": {"code": "…", "message": "…"}}. */
    APPRECEIPT_BAD_REQUEST = 2,
    /** Out of memory, or OpenSSL failed: something was not verified. The caller may retry. There may be no answer. */
    APPRECEIPT_UNAVAILABLE = 3
};

/** Returns the version of this library, for example "1.2.3" (Semantic Versioning 2.0.0). The text stays valid; do not free it. */
const char *appreceipt_version(void);

/** Creates a verifier. Reuse it, because it caches the certificate chains that it has verified.
 *
 * Settings are {
 *     "bundle_ids": "…" | ["…", …],     the bundle IDs of the accepted apps; "any" accepts every app
 *     "environment": "…" | ["…", …],    of "production", "sandbox", "xcode"; "any" accepts every environment. App Review uses
 *                                       production builds in the sandbox: ["production", "sandbox"]
 *     "roots": ["…", …],                replace Apple's roots: PEM, or DER in base64
 *     "storekit_test_roots": ["…", …],  in addition to the other roots: certificates that Xcode exports
 *     "app_apple_id": 1 | [1, …],       the accepted values of appAppleId. Refuses objects with another value, and objects
 *                                       that lack one but should have it. "any", the default, accepts every value
 *     "device_id": "…",                 hexadecimal digits: for receipts identifierForVendor or the MAC address, for JWS
 *                                       AppStore.deviceVerificationID
 *     "cross_check": false,             whether OpenSSL's own PKCS #7 verification must agree
 *     "sha1_signatures": "…",           Which SHA-1 signatures to accept. until-apple-stopped (the default): those of
 *                                       certificates that expire by 2025-01-24, and all under your own root. until-2025:
 *                                       those of certificates that expire by that date, under every root. Or all, or
 *                                       none.
 *     "crl": ["…", …],                  check certificates with these certificate revocation lists: PEM, or DER in base64. A
 *                                       list that cannot be used (delta, indirect, unknown critical extension) is
 *                                       APPRECEIPT_BAD_REQUEST
 *     "distrust": {"certificates": […]}, refuse objects of these certificates, see `appreceipt schema distrust`
 *     "revocation": "check",            check, the default with crl or distrust, refuses revoked certificates. require also
 *                                       refuses those that no list covers. off checks nothing
 *     "limits": {
 *         "signature_checks": 8,        The maximum number of signature checks per certificate chain, one for each
 *                                       2,048 bits of an RSA key. Default 8, from 1 to 1000000.
 *         "input_bytes": 16777216,      The maximum size of a receipt in bytes of DER; as text, 1.5 times that.
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
 *     "catalog": {…},                   a StoreKit configuration, {"groups": {"group": ["product", …]}}, or for several
 *                                       apps {"apps": {"bundle id": {…}}}, which applies products to their own app only
 *     "records": {"as_of": "…",         the instant of the answers about the catalog's offers (RFC 3339)
 *                 "evidence": false,    whether each line is followed by a line with the snapshot that
 *                                       appreceipt_answer_customer needs
 *                 "source": 1},         the number of the records' source in `appreceipt audit`, from 1. After its lines, an
 *                                       answer then has an empty line, and the hash of each line's leaf in that audit's
 *                                       Merkle tree: one line each, in hexadecimal
 *     "policies": {"refunds": "block" | "ignore", "stale_evidence": "accept" | "undetermined",
 *                  "partial_evidence": "accept" | "undetermined", "promotional_scope": "group" | "app"},
 *     "verify_receipt": {"environment": "production" | "sandbox", "shared_secret": "…",
 *                        "latest": "omitted" | "as-of-receipt"}}
 * bundle_ids and environment are required, and every other setting is optional. Missing required settings, misspelled
 * settings, invalid values and empty lists are errors, so that no mistake removes a check. An empty distrust list is not an
 * error: it is the file of a user who distrusts no certificate yet.
 *
 * The library works only in the program's own link namespace. If dlmopen loaded it into another one, the code is
 * APPRECEIPT_BAD_REQUEST.
 *
 * @param settings      a JSON object in UTF-8.
 * @param length        its length in bytes.
 * @param handle        receives the verifier, which the caller closes with appreceipt_close; NULL unless the code is
 *                      APPRECEIPT_OK.
 * @param answer        receives the error in the settings, else NULL.
 * @param answer_length receives the length of the answer in bytes.
 * @return APPRECEIPT_OK, APPRECEIPT_BAD_REQUEST or APPRECEIPT_UNAVAILABLE.
 */
int appreceipt_open(
    const char *settings, size_t length, appreceipt **handle, char **answer, size_t *answer_length);

/** Closes a verifier. No call with it may be running or follow.
 *
 * @param handle may be NULL.
 */
void appreceipt_close(appreceipt *handle);

/** Verifies every signed object of an input: {"results": […]}, with an object for each. `verify --json` prints the same for
 * these bytes on its standard input.
 *
 * @param handle        from appreceipt_open.
 * @param input         a receipt (DER, base64 or PEM), a compact JWS, a transaction receipt, or a response of the App Store
 *                      Server API with JWS. It is copied before it is verified.
 * @param length        its length in bytes.
 * @param answer        receives the answer.
 * @param answer_length receives the length of the answer in bytes.
 * @return APPRECEIPT_OK if everything is genuine, else another code.
 */
int appreceipt_verify(
    appreceipt *handle, const void *input, size_t length, char **answer, size_t *answer_length);

/** Determines the offers for one customer from all of the evidence: {"verdicts": […]}, with an object for each product as
 * `eligibility --merge --json` prints it.
 *
 * A request is {
 *     "evidence": ["…", …],                inputs of appreceipt_verify, as text
 *     "renewal_info": ["…", …],            signed renewal information
 *     "unsigned_renewal_info": [{…}, …],   saved verifyReceipt answers or their pending_renewal_info, as JSON or its text. The
 *                                          caller vouches for them; answers that rest on them have the certainty
 *                                          as_of_renewal_info
 *     "products": ["…", …],                each up to 1,024 bytes; default: every product of the catalog
 *     "as_of": "…",                        RFC 3339; default: the present time
 *     "catalog": {…},                      default: the settings' catalog
 *     "single_group": false,               replaces a catalog: all subscriptions are one group
 *     "refused_evidence": "error" | "caveat"}
 * Only evidence is required. Without a catalog, products are required too, and the groups are those that signed transactions
 * name, unless single_group is true. Each array has at most 1,000 members, unlike on the command line. If the request's catalog
 * has more products, products are required, too.
 *
 * With "refused_evidence": "error", the default, refused evidence prevents a verdict: the answer is
 * {"error": {…}, "refusals": […]}. With "caveat", refused evidence is left out and adds the caveat evidence-refused to every
 * offer, as on the command line: the answer is {"verdicts": […], "refusals": […]}. There is no verdict if no genuine evidence
 * is left.
 *
 * @param handle        from appreceipt_open.
 * @param request       a JSON object in UTF-8.
 * @param length        its length in bytes.
 * @param answer        receives the answer.
 * @param answer_length receives the length of the answer in bytes.
 * @return APPRECEIPT_OK if there are verdicts and nothing was refused. APPRECEIPT_REFUSED if some of the evidence is refused or
 *         belongs to another customer. Else another code.
 */
int appreceipt_eligibility(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

/** Answers a request to Apple's deprecated verifyReceipt from the receipt's own signed bytes: {"status": 0, …}.
 *
 * @param handle        from appreceipt_open.
 * @param request       the body of a POST to verifyReceipt. It may contain "latest": ["…", {…}, …], signed transactions for
 *                      latest_receipt_info: compact JWS, notifications, responses of the App Store Server API. All must be of
 *                      the receipt's app and environment. The caller vouches that they belong to its customer.
 * @param length        its length in bytes.
 * @param answer        receives the answer, the body of an HTTP 200.
 * @param answer_length receives the length of the answer in bytes.
 * @return APPRECEIPT_OK if status is 0. APPRECEIPT_REFUSED if it is not. Else another code.
 */
int appreceipt_verify_receipt_answer(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length);

/** Frees an answer.
 *
 * @param answer may be NULL.
 */
void appreceipt_free(char *answer);

#ifdef __cplusplus
}
#endif

#endif
