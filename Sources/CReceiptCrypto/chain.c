// Valid chains, and the signatures of their signers.

#include "internal.h"

#include <stdlib.h>

/// Creates a chain that owns the signer's key.
static receipt_crypto_chain *chain_new(receipt_crypto_path *path) {
    receipt_crypto_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) return NULL;
    chain->context = path->context;
    chain->anchor = path->anchor_index;
    chain->count = (size_t)path->count;
    chain->signer_key = path->signer_key;
    path->signer_key = NULL;
    return chain;
}

/// Narrows a range of times to those with the same result for the path. The result depends only on whether the time is
/// before, during or after the validity of each certificate.
static void narrow(int64_t *first, int64_t *last, const receipt_crypto_path *path, int64_t seconds) {
    for (int i = 0; i < path->count; i++) {
        int64_t not_before = path->certificates[i].not_before, not_after = path->certificates[i].not_after;
        if (seconds >= not_before && not_before > *first) *first = not_before;
        if (seconds < not_before && not_before <= *last) *last = not_before - 1;
        if (seconds <= not_after && not_after < *last) *last = not_after;
        if (seconds > not_after && not_after >= *first) *first = not_after + 1;
    }
}

/// Runs all checks of one path and fills `error` if one fails.
static receipt_crypto_status check_path(
    receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *candidate, int64_t seconds,
    receipt_crypto_path *path, receipt_crypto_error *error) {
    receipt_crypto_status status = receipt_crypto_find_path(search, anchor, candidate, path);
    if (status != RECEIPT_CRYPTO_OK) {
        int x509_error = 0;
        if (status == RECEIPT_CRYPTO_BAD_SIGNATURE) {
            status = RECEIPT_CRYPTO_UNTRUSTED;
            x509_error = X509_V_ERR_CERT_SIGNATURE_FAILURE;
        } else if (status == RECEIPT_CRYPTO_UNTRUSTED) {
            x509_error = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY;
        }
        return receipt_crypto_fail(error, status, x509_error, path->depth, path->unreadable);
    }
    status = receipt_crypto_check_path(path, seconds, error);
    return status == RECEIPT_CRYPTO_OK ? receipt_crypto_check_anchor_rules(path, error) : status;
}

receipt_crypto_chain *receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *candidates, size_t candidate_count, int64_t seconds, size_t checks,
    size_t *intermediate, receipt_crypto_error *error) {
    ERR_set_mark();
    receipt_crypto_search search = {
        anchors, signer, RECEIPT_CRYPTO_RECEIPTS, checks + receipt_crypto_ordinary_checks(anchors)};
    receipt_crypto_chain *chain = NULL;
    int64_t first = INT64_MIN, last = INT64_MAX;
    int progress = -1;
    bool is_over = false;
    *error = (receipt_crypto_error){.status = RECEIPT_CRYPTO_UNTRUSTED, .candidate = candidate_count};
    // Tries each anchor without an intermediate, then with each candidate, until a path is valid. Several may match,
    // because anchors and intermediates are renewed with the same name and key. Anchors that require markers come
    // first, because the others are allowed for few receipts.
    size_t attempts = anchors->count * (candidate_count + 1);
    for (size_t i = 0; i < 2 * attempts && !is_over; i++) {
        size_t anchor = i % anchors->count, candidate = i % attempts / anchors->count;
        if (anchors->list[anchor].requires_markers != (i < attempts)) continue;
        receipt_crypto_path path = {0};
        receipt_crypto_error failure = {0};
        receipt_crypto_status status = check_path(
            &search, anchor, candidate > 0 ? &candidates[candidate - 1] : NULL, seconds, &path, &failure);
        if (path.progress == 3) narrow(&first, &last, &path, seconds);
        if (status == RECEIPT_CRYPTO_OK) {
            *intermediate = candidate > 0 ? candidate - 1 : candidate_count;
            chain = chain_new(&path);
            if (chain == NULL) status = receipt_crypto_fail(&failure, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
        }
        // Reports the failure with the most progress. A failure because of the limit of signature checks replaces
        // earlier ones in any case. A failure of OpenSSL takes precedence over all others, because the chain was then
        // not verified.
        bool says_more = status == RECEIPT_CRYPTO_TOO_MANY_CHECKS || path.progress > progress;
        if (status == RECEIPT_CRYPTO_UNAVAILABLE || (says_more && error->status != RECEIPT_CRYPTO_UNAVAILABLE)) {
            progress = path.progress;
            *error = failure;
            error->candidate = candidate > 0 ? candidate - 1 : candidate_count;
            error->anchor = anchor;
        }
        is_over = chain != NULL;
        receipt_crypto_key_free(path.signer_key);
    }
    bool is_checked = error->status != RECEIPT_CRYPTO_UNAVAILABLE;
    if (chain != NULL) {
        chain->first = is_checked ? first : INT64_MAX;
        chain->last = is_checked ? last : INT64_MIN;
    }
    error->first = is_checked ? first : INT64_MAX;
    error->last = is_checked ? last : INT64_MIN;
    ERR_pop_to_mark();
    return chain;
}

receipt_crypto_chain *receipt_crypto_chain_of(
    const receipt_crypto_anchors *anchors, size_t anchor, receipt_crypto_purpose purpose,
    const receipt_crypto_certificate_parts *signer, const receipt_crypto_certificate_parts *intermediate,
    int64_t seconds, receipt_crypto_error *error) {
    ERR_set_mark();
    receipt_crypto_search search = {anchors, signer, purpose, RECEIPT_CRYPTO_NAMED_CHECKS};
    receipt_crypto_path path = {0};
    receipt_crypto_chain *chain = NULL;
    int64_t first = INT64_MIN, last = INT64_MAX;
    *error = (receipt_crypto_error){0};
    receipt_crypto_status status = check_path(&search, anchor, intermediate, seconds, &path, error);
    if (path.progress == 3) narrow(&first, &last, &path, seconds);
    if (status == RECEIPT_CRYPTO_OK && (chain = chain_new(&path)) == NULL)
        status = receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
    receipt_crypto_key_free(path.signer_key);
    if (chain != NULL) {
        chain->first = first;
        chain->last = last;
    }
    bool is_checked = status != RECEIPT_CRYPTO_UNAVAILABLE;
    error->anchor = anchor;
    error->first = is_checked ? first : INT64_MAX;
    error->last = is_checked ? last : INT64_MIN;
    ERR_pop_to_mark();
    return chain;
}

void receipt_crypto_chain_free(receipt_crypto_chain *chain) {
    if (chain == NULL) return;
    receipt_crypto_key_free(chain->signer_key);
    free(chain);
}

size_t receipt_crypto_chain_anchor(const receipt_crypto_chain *chain) { return chain->anchor; }

size_t receipt_crypto_chain_count(const receipt_crypto_chain *chain) { return chain->count; }

void receipt_crypto_chain_times(const receipt_crypto_chain *chain, int64_t *first, int64_t *last) {
    *first = chain->first;
    *last = chain->last;
}

bool receipt_crypto_chain_is_elliptic(const receipt_crypto_chain *chain) {
    return !receipt_crypto_key_is_rsa(chain->signer_key);
}

receipt_crypto_status receipt_crypto_chain_verify(
    const receipt_crypto_chain *chain, receipt_crypto_digest_algorithm algorithm, bool is_ecdsa,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    if (is_ecdsa != receipt_crypto_chain_is_elliptic(chain)) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    ERR_set_mark();
    receipt_crypto_status status =
        receipt_crypto_verify_digest(chain->context, chain->signer_key, algorithm, digest, signature);
    ERR_pop_to_mark();
    return status;
}

receipt_crypto_status receipt_crypto_chain_verify_es256(
    const receipt_crypto_chain *chain, const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    ERR_set_mark();
    receipt_crypto_status status =
        receipt_crypto_verify_es256(chain->context, chain->signer_key, digest, signature);
    if (status == RECEIPT_CRYPTO_OK) receipt_crypto_key_accepted(chain->context, chain->signer_key);
    ERR_pop_to_mark();
    return status;
}
