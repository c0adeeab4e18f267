// A chain that was found good, and the signatures of its signer.

#include "internal.h"

#include <stdlib.h>

struct receipt_crypto_chain {
    const receipt_crypto_context *context;
    receipt_crypto_certificate *certificates[3];
    size_t count;
    size_t anchor;
    receipt_crypto_key *signer_key;
};

/// Takes over the signer's key.
static receipt_crypto_chain *chain_new(receipt_crypto_path *path) {
    receipt_crypto_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) return NULL;
    chain->context = path->context;
    chain->anchor = path->anchor_index;
    chain->signer_key = path->signer_key;
    path->signer_key = NULL;
    for (int i = 0; i < path->count; i++) {
        chain->certificates[i] = receipt_crypto_certificate_copy(path->certificates[i].der);
        if (chain->certificates[i] == NULL) {
            receipt_crypto_chain_free(chain);
            return NULL;
        }
        chain->count++;
    }
    return chain;
}

/// Narrows a time window to the validity of the path's certificates: nothing but the question whether the time lies
/// in it depends on the time. Outside, the window is empty.
static void narrow(int64_t *first, int64_t *last, const receipt_crypto_path *path, int64_t seconds) {
    for (int i = 0; i < path->count; i++) {
        int64_t not_before = path->certificates[i].not_before, not_after = path->certificates[i].not_after;
        bool is_valid = not_before <= seconds && seconds <= not_after;
        if (!is_valid || not_before > *first) *first = is_valid ? not_before : INT64_MAX;
        if (!is_valid || not_after < *last) *last = is_valid ? not_after : INT64_MIN;
    }
}

receipt_crypto_chain *receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *candidates, size_t candidate_count, int64_t seconds,
    size_t *intermediate, receipt_crypto_error *error) {
    ERR_set_mark();
    receipt_crypto_chain *chain = NULL;
    // The failure that came furthest says most; one of the machine says that nothing was judged.
    receipt_crypto_path furthest = {.progress = -1};
    receipt_crypto_status furthest_status = RECEIPT_CRYPTO_UNTRUSTED;
    int64_t first = INT64_MIN, last = INT64_MAX;
    *error = (receipt_crypto_error){0};
    // To each anchor, first without an intermediate, then over each of the candidates, until a path is good in
    // every respect: anchors and intermediates are renewed under the same name, and with the same key.
    size_t attempts = anchors->count * (candidate_count + 1);
    for (size_t i = 0; i < attempts && chain == NULL; i++) {
        size_t candidate = i / anchors->count;
        receipt_crypto_path path = {0};
        receipt_crypto_error failure = {0};
        receipt_crypto_status status = receipt_crypto_find_path(
            anchors, i % anchors->count, signer, candidate > 0 ? &candidates[candidate - 1] : NULL, &path);
        if (status == RECEIPT_CRYPTO_OK) narrow(&first, &last, &path, seconds);
        if (status == RECEIPT_CRYPTO_OK) status = receipt_crypto_check_path(&path, seconds, &failure);
        if (status == RECEIPT_CRYPTO_OK) status = receipt_crypto_check_demands(&path, &failure);
        if (status == RECEIPT_CRYPTO_OK) {
            *intermediate = candidate > 0 ? candidate - 1 : candidate_count;
            chain = chain_new(&path);
            if (chain == NULL) status = receipt_crypto_fail(&failure, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, (receipt_crypto_slice){NULL, 0}, NULL);
        }
        receipt_crypto_key_free(path.signer_key);
        bool says_more = furthest_status != RECEIPT_CRYPTO_UNAVAILABLE
            && (status == RECEIPT_CRYPTO_UNAVAILABLE || path.progress > furthest.progress);
        if (chain == NULL && says_more) {
            receipt_crypto_certificate_free(error->certificate);
            *error = failure;
            furthest = path;
            furthest_status = status;
        } else {
            receipt_crypto_certificate_free(failure.certificate);
        }
    }
    if (chain != NULL) {
        receipt_crypto_certificate_free(error->certificate);
        error->certificate = NULL;
    } else if (error->status == RECEIPT_CRYPTO_OK) {
        receipt_crypto_refuse_certificate(
            error, furthest_status, furthest.at_fault_depth,
            furthest.at_fault != NULL ? furthest.at_fault : signer, furthest.unreadable);
    }
    bool is_judged = error->status != RECEIPT_CRYPTO_UNAVAILABLE;
    error->first = is_judged ? first : INT64_MAX;
    error->last = is_judged ? last : INT64_MIN;
    ERR_pop_to_mark();
    return chain;
}

void receipt_crypto_chain_free(receipt_crypto_chain *chain) {
    if (chain == NULL) return;
    receipt_crypto_key_free(chain->signer_key);
    for (size_t i = 0; i < chain->count; i++) receipt_crypto_certificate_free(chain->certificates[i]);
    free(chain);
}

size_t receipt_crypto_chain_anchor(const receipt_crypto_chain *chain) { return chain->anchor; }

size_t receipt_crypto_chain_count(const receipt_crypto_chain *chain) { return chain->count; }

const receipt_crypto_certificate *receipt_crypto_chain_certificate(
    const receipt_crypto_chain *chain, size_t index) {
    return chain->certificates[index];
}

receipt_crypto_status receipt_crypto_chain_verify(
    const receipt_crypto_chain *chain, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    ERR_set_mark();
    receipt_crypto_status status =
        receipt_crypto_verify_digest(chain->context, chain->signer_key, algorithm, digest, signature);
    ERR_pop_to_mark();
    return status;
}
