// The path from a signer to an anchor (RFC 5280, 6), second half: everything but the signatures.
//
// OpenSSL checks names, extensions, path length, name constraints and key usage along the path that was found;
// validity is checked here in its stead, and so is what an anchor demands beyond RFC 5280.

#include "internal.h"

bool receipt_crypto_set_path_parameters(X509_VERIFY_PARAM *parameters, int64_t seconds) {
    X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    return X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1;
}

static int refuse(X509_STORE_CTX *check, int depth, int x509_error, receipt_crypto_status status) {
    receipt_crypto_path *path = X509_STORE_CTX_get_app_data(check);
    path->status = status;
    X509_STORE_CTX_set_error(check, x509_error);
    X509_STORE_CTX_set_error_depth(check, depth);
    X509_STORE_CTX_set_current_cert(check, sk_X509_value(X509_STORE_CTX_get0_chain(check), depth));
    return 0;
}

/// In place of OpenSSL's internal_verify: the path is the one whose signatures hold, and each of its certificates
/// is valid at the time that was asked for.
static int check_validity(X509_STORE_CTX *check) {
    const receipt_crypto_path *path = X509_STORE_CTX_get_app_data(check);
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(check);
    time_t time = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(check));
    int count = sk_X509_num(chain);
    if (count != receipt_crypto_path_count(path) || X509_cmp(sk_X509_value(chain, count - 1), path->anchor->certificate) != 0)
        return refuse(check, 0, X509_V_ERR_UNSPECIFIED, RECEIPT_CRYPTO_UNTRUSTED);
    for (int depth = count - 1; depth >= 0; depth--) {
        const X509 *certificate = sk_X509_value(chain, depth);
        int64_t not_before, not_after;
        if (!receipt_crypto_seconds(X509_get0_notBefore(certificate), &not_before))
            return refuse(check, depth, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, RECEIPT_CRYPTO_BAD_CERTIFICATE);
        if (!receipt_crypto_seconds(X509_get0_notAfter(certificate), &not_after))
            return refuse(check, depth, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD, RECEIPT_CRYPTO_BAD_CERTIFICATE);
        if (time < not_before)
            return refuse(check, depth, X509_V_ERR_CERT_NOT_YET_VALID, RECEIPT_CRYPTO_NOT_VALID_AT_TIME);
        if (time > not_after)
            return refuse(check, depth, X509_V_ERR_CERT_HAS_EXPIRED, RECEIPT_CRYPTO_NOT_VALID_AT_TIME);
    }
    return 1;
}

static bool has_extension(const X509 *certificate, const char *identifier) {
    // 1: a numerical identifier, compared as a whole, never a name that a configuration could redefine.
    ASN1_OBJECT *object = OBJ_txt2obj(identifier, 1);
    bool found = object != NULL && X509_get_ext_by_OBJ(certificate, object, -1) >= 0;
    ASN1_OBJECT_free(object);
    return found;
}

static bool is_rsa_1024(const EVP_PKEY *key) {
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) == 1024;
}

static bool is_p256(const EVP_PKEY *key) {
    return receipt_crypto_is_allowed_ec(key) && EVP_PKEY_get_bits(key) == 256;
}

/// What a signer and its intermediate must be, for what it signs.
static const struct {
    bool (*is_allowed_key)(const EVP_PKEY *key);
    const char *signer_marker, *intermediate_marker;
} demands[] = {
    [RECEIPT_CRYPTO_RECEIPTS] =
        {receipt_crypto_is_allowed_rsa, "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"},
    [RECEIPT_CRYPTO_JWS] = {is_p256, "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"},
    [RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS] =
        {is_rsa_1024, "1.2.840.113635.100.6.5.1", "1.2.840.113635.100.6.2.2"},
};

/// What an anchor demands of a path beyond RFC 5280.
receipt_crypto_status receipt_crypto_check_demands(const receipt_crypto_path *path, receipt_crypto_error *error) {
    EVP_PKEY *key = X509_get0_pubkey(path->signer);
    if (key == NULL || !demands[path->purpose].is_allowed_key(key))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY, 0, 0, path->signer);
    // OpenSSL takes an issuer with key usage alone for an authority; basic constraints must say so.
    X509 *issuers[] = {path->intermediate, receipt_crypto_path_count(path) > 1 ? path->anchor->certificate : NULL};
    for (int i = 0; i < 2; i++)
        if (issuers[i] != NULL && X509_check_ca(issuers[i]) != 1)
            return receipt_crypto_fail(
                error, RECEIPT_CRYPTO_NOT_AN_AUTHORITY, X509_V_ERR_INVALID_CA, i + 1, issuers[i]);
    if (!path->anchor->demands_markers) return RECEIPT_CRYPTO_OK;
    // Absent, key usage is UINT32_MAX: not restricted (RFC 5280, 4.2.1.3).
    if ((X509_get_key_usage(path->signer) & (KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION)) == 0)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY_USAGE, 0, 0, path->signer);
    if (!has_extension(path->signer, demands[path->purpose].signer_marker))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_SIGNER_MARKER, 0, 0, path->signer);
    if (path->intermediate == NULL)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_PATH_LENGTH, 0, 0, path->signer);
    if (!has_extension(path->intermediate, demands[path->purpose].intermediate_marker))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER, 0, 1, path->intermediate);
    return RECEIPT_CRYPTO_OK;
}

/// Everything of RFC 5280, 6 but the signatures. The only trusted certificate is the anchor that was found.
receipt_crypto_status receipt_crypto_check_path(receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error) {
    STACK_OF(X509) *trusted = sk_X509_new_null(), *untrusted = sk_X509_new_null();
    X509_STORE_CTX *check = X509_STORE_CTX_new_ex(path->context->library, NULL);
    receipt_crypto_status status = RECEIPT_CRYPTO_OK;
    if (trusted == NULL || untrusted == NULL || check == NULL
        || sk_X509_push(trusted, path->anchor->certificate) == 0
        || (path->intermediate != NULL && sk_X509_push(untrusted, path->intermediate) == 0)
        || X509_STORE_CTX_init(check, NULL, path->signer, untrusted) != 1
        || !receipt_crypto_set_path_parameters(X509_STORE_CTX_get0_param(check), seconds)
        || X509_STORE_CTX_set_app_data(check, path) != 1) {
        status = receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
    } else {
        X509_STORE_CTX_set0_trusted_stack(check, trusted);
        X509_STORE_CTX_set_verify(check, check_validity);
        if (X509_verify_cert(check) != 1 || X509_STORE_CTX_get_error(check) != X509_V_OK)
            status = receipt_crypto_fail(
                error, path->status != RECEIPT_CRYPTO_OK ? path->status : RECEIPT_CRYPTO_UNTRUSTED,
                X509_STORE_CTX_get_error(check), X509_STORE_CTX_get_error_depth(check),
                X509_STORE_CTX_get_current_cert(check));
    }
    X509_STORE_CTX_free(check);
    sk_X509_free(untrusted);
    sk_X509_free(trusted);
    return status;
}
