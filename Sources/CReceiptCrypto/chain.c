// A chain that was found good, and the signatures of its signer.

#include "internal.h"

#include <stdlib.h>

struct receipt_crypto_chain {
    const receipt_crypto_context *context;
    receipt_crypto_certificate *certificates;
    size_t count;
    size_t anchor;
    EVP_PKEY *signer_key;
    receipt_crypto_pool verifiers;
};

receipt_crypto_chain *receipt_crypto_chain_of_path(const receipt_crypto_path *path) {
    X509 *certificates[] = {path->signer, path->intermediate, path->anchor->certificate};
    receipt_crypto_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) return NULL;
    chain->context = path->context;
    chain->anchor = path->anchor_index;
    chain->certificates = calloc(3, sizeof *chain->certificates);
    chain->signer_key = X509_get_pubkey(path->signer);
    if (chain->certificates == NULL || chain->signer_key == NULL) {
        receipt_crypto_chain_free(chain);
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        if (certificates[i] == NULL || (i == 2 && receipt_crypto_path_count(path) == 1)) continue;
        X509_up_ref(certificates[i]);
        chain->certificates[chain->count++].x509 = certificates[i];
    }
    return chain;
}

void receipt_crypto_narrow(int64_t *first, int64_t *last, const receipt_crypto_path *path, int64_t seconds) {
    const X509 *certificates[] = {path->signer, path->intermediate, path->anchor->certificate};
    for (int i = 0; i < 3; i++) {
        int64_t not_before, not_after;
        if (certificates[i] == NULL) continue;
        bool is_valid = receipt_crypto_seconds(X509_get0_notBefore(certificates[i]), &not_before)
            && receipt_crypto_seconds(X509_get0_notAfter(certificates[i]), &not_after)
            && not_before <= seconds && seconds <= not_after;
        if (!is_valid || not_before > *first) *first = is_valid ? not_before : INT64_MAX;
        if (!is_valid || not_after < *last) *last = is_valid ? not_after : INT64_MIN;
    }
}

receipt_crypto_chain *receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *candidates, size_t candidate_count, int64_t seconds,
    size_t *intermediate, receipt_crypto_error *error) {
    ERR_clear_error();
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
        if (status == RECEIPT_CRYPTO_OK) receipt_crypto_narrow(&first, &last, &path, seconds);
        if (status == RECEIPT_CRYPTO_OK) status = receipt_crypto_check_path(&path, seconds, &failure);
        if (status == RECEIPT_CRYPTO_OK) status = receipt_crypto_check_demands(&path, &failure);
        if (status == RECEIPT_CRYPTO_OK) {
            *intermediate = candidate > 0 ? candidate - 1 : candidate_count;
            chain = receipt_crypto_chain_of_path(&path);
            if (chain == NULL) status = receipt_crypto_fail(&failure, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
        }
        X509_free(path.intermediate);
        X509_free(path.signer);
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
            error, anchors->context, furthest_status, furthest.at_fault_depth,
            furthest.at_fault != NULL ? furthest.at_fault : signer);
    }
    bool is_judged = error->status != RECEIPT_CRYPTO_UNAVAILABLE;
    error->first = is_judged ? first : INT64_MAX;
    error->last = is_judged ? last : INT64_MIN;
    ERR_clear_error();
    return chain;
}

void receipt_crypto_chain_free(receipt_crypto_chain *chain) {
    if (chain == NULL) return;
    void *verifier;
    while ((verifier = receipt_crypto_borrow(&chain->verifiers)) != NULL) EVP_PKEY_CTX_free(verifier);
    EVP_PKEY_free(chain->signer_key);
    for (size_t i = 0; i < chain->count; i++) X509_free(chain->certificates[i].x509);
    free(chain->certificates);
    free(chain);
}

size_t receipt_crypto_chain_anchor(const receipt_crypto_chain *chain) { return chain->anchor; }

size_t receipt_crypto_chain_count(const receipt_crypto_chain *chain) { return chain->count; }

const receipt_crypto_certificate *receipt_crypto_chain_certificate(
    const receipt_crypto_chain *chain, size_t index) {
    return &chain->certificates[index];
}

receipt_crypto_status receipt_crypto_chain_verify(
    const receipt_crypto_chain *chain, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    ERR_clear_error();
    receipt_crypto_pool *verifiers = &((receipt_crypto_chain *)chain)->verifiers;
    EVP_PKEY_CTX *verifier = receipt_crypto_borrow(verifiers);
    if (verifier == NULL) verifier = receipt_crypto_verifier_new(chain->context, chain->signer_key);
    if (verifier == NULL) {
        ERR_clear_error();
        return RECEIPT_CRYPTO_UNAVAILABLE;
    }
    receipt_crypto_status status = receipt_crypto_verify_digest(verifier, algorithm, digest, signature);
    EVP_PKEY_CTX_free(receipt_crypto_give_back(verifiers, verifier));
    return status;
}
