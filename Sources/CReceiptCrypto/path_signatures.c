// The path from a signer to an anchor (RFC 5280, 6), first half: signatures.
//
// Signatures come first, from the anchor down, over the bytes that the caller's reader found: no certificate is
// given to OpenSSL's X.509 code before a trusted key has signed it. That code does much with what it is given
// (a certificate of 64 KiB can cost it seconds and a gigabyte), and strangers send certificates.

#include "internal.h"

int receipt_crypto_path_count(const receipt_crypto_path *path) {
    return path->signer == NULL ? 0 : path->anchor->certificate == path->signer ? 1 : path->intermediate == NULL ? 2 : 3;
}

/// What a check with this key costs, in those with RSA of 2,048 bits.
static size_t cost_of_check(const EVP_PKEY *key, bool is_rsa) {
    return is_rsa ? ((size_t)EVP_PKEY_get_bits(key) + 2047) / 2048 : RECEIPT_CRYPTO_ELLIPTIC_CHECKS;
}

/// Checks a certificate's signature with the issuer's key (RFC 5280, 6.1.3, step a 1).
static receipt_crypto_status check_signed(
    receipt_crypto_search *search, const receipt_crypto_certificate_parts *certificate, const X509 *issuer) {
    const receipt_crypto_context *context = search->anchors->context;
    receipt_crypto_status status = RECEIPT_CRYPTO_OK;
    EVP_PKEY *issuer_key = receipt_crypto_key(issuer, &status);
    if (issuer_key == NULL) return status;
    bool is_rsa = receipt_crypto_is_allowed_rsa(issuer_key);
    if (!is_rsa && !receipt_crypto_is_allowed_ec(issuer_key)) return RECEIPT_CRYPTO_BAD_KEY;
    if (certificate->digest == 0 || certificate->is_ecdsa == is_rsa) return RECEIPT_CRYPTO_BAD_ALGORITHM;
    size_t cost = cost_of_check(issuer_key, is_rsa);
    if (cost > search->checks) return RECEIPT_CRYPTO_TOO_MANY_CHECKS;
    search->checks -= cost;
    receipt_crypto_digest digest;
    receipt_crypto_slice nothing = {NULL, 0};
    status = receipt_crypto_digest_of(context, certificate->digest, certificate->tbs, nothing, nothing, &digest);
    if (status != RECEIPT_CRYPTO_OK) return status;
    EVP_PKEY_CTX *verifier = receipt_crypto_verifier_new(context, issuer_key);
    if (verifier == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    status = receipt_crypto_verify_digest(verifier, certificate->digest, &digest, certificate->signature);
    EVP_PKEY_CTX_free(verifier);
    return status;
}

static bool is_named(const X509_NAME *name, receipt_crypto_slice slice) {
    receipt_crypto_slice own = {NULL, 0};
    return X509_NAME_get0_der(name, &own.bytes, &own.count) == 1 && receipt_crypto_same(own, slice);
}

static bool has_encoding(const X509 *certificate, receipt_crypto_slice slice) {
    unsigned char *der = NULL;
    int count = i2d_X509(certificate, &der);
    if (count <= 0) return false;
    bool same = receipt_crypto_same((receipt_crypto_slice){der, (size_t)count}, slice);
    OPENSSL_free(der);
    return same;
}

/// Whether the anchor signed the certificate, or is it where `or_is` says so.
static receipt_crypto_status check_anchor(
    receipt_crypto_search *search, size_t index, const receipt_crypto_certificate_parts *certificate, bool or_is,
    receipt_crypto_path *path) {
    X509 *anchor = search->anchors->list[index].certificate;
    path->anchor = &search->anchors->list[index];
    path->anchor_index = index;
    if (or_is && has_encoding(anchor, certificate->der)) {
        X509_up_ref(anchor);
        path->signer = anchor;
        return RECEIPT_CRYPTO_OK;
    }
    if (!is_named(X509_get_subject_name(anchor), certificate->issuer)) return RECEIPT_CRYPTO_UNTRUSTED;
    path->progress = 1;
    return check_signed(search, certificate, anchor);
}

receipt_crypto_status receipt_crypto_find_path(
    receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *candidate,
    receipt_crypto_path *path) {
    path->context = search->anchors->context;
    path->depth = candidate != NULL ? 1 : 0;
    receipt_crypto_status status = check_anchor(
        search, anchor, candidate != NULL ? candidate : search->signer, candidate == NULL, path);
    if (status != RECEIPT_CRYPTO_OK) return status;
    if (candidate != NULL) {
        path->progress = 2;
        path->intermediate = receipt_crypto_decode(path->context, candidate->der);
        if (path->intermediate == NULL) return RECEIPT_CRYPTO_BAD_CERTIFICATE;
        path->depth = 0;
        status = check_signed(search, search->signer, path->intermediate);
        if (status != RECEIPT_CRYPTO_OK) return status;
    }
    if (path->signer == NULL) {
        if (search->decoded_signer == NULL)
            search->decoded_signer = receipt_crypto_decode(path->context, search->signer->der);
        if (search->decoded_signer == NULL) return RECEIPT_CRYPTO_BAD_CERTIFICATE;
        X509_up_ref(search->decoded_signer);
        path->signer = search->decoded_signer;
    }
    // OpenSSL's own path check cannot tell a key that is missing from one that is bad.
    if (receipt_crypto_key(path->signer, &status) == NULL) return status;
    path->progress = 3;
    return RECEIPT_CRYPTO_OK;
}
