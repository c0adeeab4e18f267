// Second part of the checks of a path from a signer to an anchor (RFC 5280, 6): all checks except signatures. Also
// checks the requirements of an anchor that the RFC does not contain.

#include "internal.h"

/// Returns whether the certificate is self-issued. Such certificates do not count toward the path length (RFC 5280,
/// 6.1.4, l).
static bool is_self_issued(const receipt_crypto_fields *certificate) {
    return receipt_crypto_same(certificate->subject, certificate->issuer);
}

/// Checks that the identifiers of the issuer in the certificate, if any, match this issuer (4.2.1.1).
static int check_issuer(const receipt_crypto_fields *certificate, const receipt_crypto_fields *issuer) {
    if (certificate->authority_key_id.count > 0 && issuer->key_id.count > 0
        && !receipt_crypto_same(certificate->authority_key_id, issuer->key_id))
        return X509_V_ERR_AKID_SKID_MISMATCH;
    if ((certificate->authority_serial.count > 0 && !receipt_crypto_same(certificate->authority_serial, issuer->serial))
        || (certificate->authority_issuer.count > 0
            && !receipt_crypto_same(certificate->authority_issuer, issuer->issuer)))
        return X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH;
    return X509_V_OK;
}

/// Checks the certificate at this position of the path. Returns X509_V_ERR_*.
static int check_certificate(const receipt_crypto_path *path, int depth) {
    const receipt_crypto_fields *certificate = &path->certificates[depth];
    if (certificate->has_unhandled_extension) return X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION;
    if (depth + 1 < path->count) {
        int result = check_issuer(certificate, &path->certificates[depth + 1]);
        if (result != X509_V_OK) return result;
    }
    if (depth == 0) return X509_V_OK;
    // 6.1.4, k to n. Key usage alone does not make a certificate an authority.
    if (!certificate->is_authority) return X509_V_ERR_INVALID_CA;
    if ((certificate->key_usage & RECEIPT_CRYPTO_KEY_CERT_SIGN) == 0) return X509_V_ERR_KEYUSAGE_NO_CERTSIGN;
    int below = 0;
    for (int i = 1; i < depth; i++) below += !is_self_issued(&path->certificates[i]);
    if (certificate->path_length >= 0 && below > certificate->path_length) return X509_V_ERR_PATH_LENGTH_EXCEEDED;
    return X509_V_OK;
}

receipt_crypto_status receipt_crypto_check_path(
    const receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error) {
    for (int depth = 0; depth < path->count; depth++) {
        int result = check_certificate(path, depth);
        if (result != X509_V_OK)
            return receipt_crypto_fail(
                error, result == X509_V_ERR_INVALID_CA ? RECEIPT_CRYPTO_NOT_AN_AUTHORITY : RECEIPT_CRYPTO_UNTRUSTED,
                result, depth, NULL);
    }
    for (int depth = path->count - 1; depth >= 0; depth--) {
        const receipt_crypto_fields *certificate = &path->certificates[depth];
        int result = X509_V_OK;
        if (seconds < certificate->not_before) result = X509_V_ERR_CERT_NOT_YET_VALID;
        if (seconds > certificate->not_after) result = X509_V_ERR_CERT_HAS_EXPIRED;
        if (result != X509_V_OK)
            return receipt_crypto_fail(
                error, RECEIPT_CRYPTO_NOT_VALID_AT_TIME, result, depth, NULL);
    }
    return RECEIPT_CRYPTO_OK;
}

/// Returns whether the signer's key has a type that signs such objects. Xcode signs receipts only with RSA.
static bool is_key_for(receipt_crypto_purpose purpose, const receipt_crypto_key *key, bool requires_markers) {
    size_t bits = receipt_crypto_key_bits(key);
    bool is_rsa = receipt_crypto_key_is_rsa(key);
    if (purpose == RECEIPT_CRYPTO_JWS) return !is_rsa && bits == 256;
    if (purpose == RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS) return is_rsa && bits == RECEIPT_CRYPTO_OLD_RSA_BITS;
    return is_rsa || (requires_markers && (bits == 256 || bits == 384));
}

/// Returns whether the signer has the marker for such objects, by the exact identifier of the extension.
static bool has_signer_marker(receipt_crypto_purpose purpose, const receipt_crypto_fields *signer) {
    bool is_old = purpose == RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS;
    return is_old ? signer->has_old_signer_marker : signer->has_signer_marker;
}

static bool has_intermediate_marker(receipt_crypto_purpose purpose, const receipt_crypto_fields *intermediate) {
    bool is_old = purpose == RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS;
    return is_old ? intermediate->has_old_intermediate_marker : intermediate->has_intermediate_marker;
}

receipt_crypto_status receipt_crypto_check_anchor_rules(const receipt_crypto_path *path, receipt_crypto_error *error) {
    const receipt_crypto_fields *signer = &path->certificates[0];
    int depth = 0;
    receipt_crypto_status status = RECEIPT_CRYPTO_OK;
    if (!is_key_for(path->purpose, path->signer_key, path->anchor->requires_markers)) {
        status = RECEIPT_CRYPTO_BAD_KEY;
    } else if (path->anchor->requires_markers) {
        // A copy of the anchor in the container does not count as an intermediate.
        bool has_intermediate = path->count == 3
            && !receipt_crypto_same(path->certificates[1].der, path->anchor->certificate->fields.der);
        // All usages are allowed if the extension is absent (RFC 5280, 4.2.1.3).
        if ((signer->key_usage & (RECEIPT_CRYPTO_DIGITAL_SIGNATURE | RECEIPT_CRYPTO_NON_REPUDIATION)) == 0) {
            status = RECEIPT_CRYPTO_BAD_KEY_USAGE;
        } else if (signer->is_authority) {
            status = RECEIPT_CRYPTO_SIGNER_IS_AUTHORITY;
        } else if (!has_signer_marker(path->purpose, signer)) {
            status = RECEIPT_CRYPTO_NO_SIGNER_MARKER;
        } else if (!has_intermediate) {
            status = RECEIPT_CRYPTO_BAD_PATH_LENGTH;
        } else if (!has_intermediate_marker(path->purpose, &path->certificates[1])) {
            status = RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER;
            depth = 1;
        }
    }
    if (status == RECEIPT_CRYPTO_OK) return status;
    return receipt_crypto_fail(error, status, 0, depth, NULL);
}
