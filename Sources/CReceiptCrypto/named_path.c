// A path whose every certificate is named, anchor included: there is nothing to search.

#include "internal.h"

receipt_crypto_chain *receipt_crypto_chain_of(
    const receipt_crypto_anchors *anchors, size_t anchor, receipt_crypto_purpose purpose,
    const receipt_crypto_certificate_parts *signer, const receipt_crypto_certificate_parts *intermediate,
    int64_t seconds, receipt_crypto_error *error) {
    ERR_clear_error();
    *error = (receipt_crypto_error){0};
    receipt_crypto_chain *chain = NULL;
    receipt_crypto_path path = {.purpose = purpose};
    int64_t first = INT64_MIN, last = INT64_MAX;
    receipt_crypto_status status = receipt_crypto_find_path(anchors, anchor, signer, intermediate, &path);
    if (status != RECEIPT_CRYPTO_OK) {
        int x509_error = status == RECEIPT_CRYPTO_BAD_SIGNATURE ? X509_V_ERR_CERT_SIGNATURE_FAILURE
            : status == RECEIPT_CRYPTO_UNTRUSTED                ? X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
                                                                : 0;
        if (status == RECEIPT_CRYPTO_BAD_SIGNATURE) status = RECEIPT_CRYPTO_UNTRUSTED;
        receipt_crypto_fail(error, status, x509_error, path.at_fault_depth, NULL);
    } else {
        receipt_crypto_narrow(&first, &last, &path, seconds);
        status = receipt_crypto_check_path(&path, seconds, error);
        if (status == RECEIPT_CRYPTO_OK) status = receipt_crypto_check_demands(&path, error);
        if (status == RECEIPT_CRYPTO_OK) {
            chain = receipt_crypto_chain_of_path(&path);
            if (chain == NULL) receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
        }
    }
    X509_free(path.intermediate);
    X509_free(path.signer);
    bool is_judged = error->status != RECEIPT_CRYPTO_UNAVAILABLE;
    error->first = is_judged ? first : INT64_MAX;
    error->last = is_judged ? last : INT64_MIN;
    ERR_clear_error();
    return chain;
}
