// The path from a signer to an anchor (RFC 5280, 6), second half: everything but the signatures.
//
// OpenSSL checks names, extensions, path length, policies, name constraints and key usage along the path that was found;
// validity is checked here in its stead, and so is what an anchor demands beyond RFC 5280.

#include "internal.h"

bool receipt_crypto_set_path_parameters(X509_VERIFY_PARAM *parameters, int64_t seconds) {
    X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    // An anchor of the intermediate's name must not stand in front of it.
    return X509_VERIFY_PARAM_clear_flags(parameters, X509_V_FLAG_TRUSTED_FIRST) == 1
        && X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_POLICY_CHECK) == 1
        // RFC 5280, 6.1.1, step c: user-initial-policy-set is any-policy; without one OpenSSL takes it for empty.
        && X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy)) == 1
        && X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1;
}

static int refuse(X509_STORE_CTX *check, int depth, int x509_error, receipt_crypto_status status) {
    receipt_crypto_path *path = X509_STORE_CTX_get_app_data(check);
    path->status = status;
    X509_STORE_CTX_set_error(check, x509_error);
    X509_STORE_CTX_set_error_depth(check, depth);
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

/// What an anchor demands of a path beyond RFC 5280.
receipt_crypto_status receipt_crypto_check_demands(const receipt_crypto_path *path, receipt_crypto_error *error) {
    EVP_PKEY *key = X509_get0_pubkey(path->signer);
    if (key == NULL || !receipt_crypto_is_allowed_rsa(key))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY, 0, 0);
    // OpenSSL takes an issuer with key usage alone for an authority; basic constraints must say so.
    X509 *issuers[] = {path->intermediate, receipt_crypto_path_count(path) > 1 ? path->anchor->certificate : NULL};
    for (int i = 0; i < 2; i++)
        if (issuers[i] != NULL && X509_check_ca(issuers[i]) != 1)
            return receipt_crypto_fail(
                error, RECEIPT_CRYPTO_NOT_AN_AUTHORITY, X509_V_ERR_INVALID_CA, i + 1);
    if (!path->anchor->demands_markers) return RECEIPT_CRYPTO_OK;
    // Absent, key usage is UINT32_MAX: not restricted (RFC 5280, 4.2.1.3).
    if ((X509_get_key_usage(path->signer) & (KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION)) == 0)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY_USAGE, 0, 0);
    if (!has_extension(path->signer, "1.2.840.113635.100.6.11.1"))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_SIGNER_MARKER, 0, 0);
    if (path->intermediate == NULL)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_PATH_LENGTH, 0, 0);
    if (!has_extension(path->intermediate, "1.2.840.113635.100.6.2.1"))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER, 0, 1);
    return RECEIPT_CRYPTO_OK;
}

/// RFC 5280, 4.1.2.8 and 4.1.2.9: unique identifiers are of versions 2 and 3, extensions of version 3 alone.
static bool has_fields_of_its_version(const X509 *certificate) {
    const ASN1_BIT_STRING *issuer, *subject;
    X509_get0_uids(certificate, &issuer, &subject);
    switch (X509_get_version(certificate)) {
    case X509_VERSION_1: return X509_get_ext_count(certificate) == 0 && issuer == NULL && subject == NULL;
    case X509_VERSION_2: return X509_get_ext_count(certificate) == 0;
    default: return X509_get_version(certificate) == X509_VERSION_3;
    }
}

/// What OpenSSL would say nothing of, or nothing that helps.
static receipt_crypto_status check_forms(const receipt_crypto_path *path, receipt_crypto_error *error) {
    X509 *const certificates[] = {path->signer, path->intermediate, path->anchor->certificate};
    for (int i = 0; i < 3; i++) {
        if (certificates[i] == NULL) continue;
        int depth = i < 2 ? i : receipt_crypto_path_count(path) - 1;
        if (!has_fields_of_its_version(certificates[i]))
            return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_VERSION, 0, depth);
        // RFC 5280, 4.2.1.1: only a certificate that is signed with its own key may lack the authority's identifier.
        // Without it OpenSSL takes one of its issuer's name for such a certificate, and finds no path over it.
        if (certificates[i] != path->anchor->certificate && X509_self_signed(certificates[i], 0) == 1)
            return receipt_crypto_fail(error, RECEIPT_CRYPTO_SELF_ISSUED, 0, depth);
    }
    return RECEIPT_CRYPTO_OK;
}

/// Everything of RFC 5280, 6 but the signatures. The only trusted certificate is the anchor that was found.
receipt_crypto_status receipt_crypto_check_path(receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error) {
    receipt_crypto_status status = check_forms(path, error);
    if (status != RECEIPT_CRYPTO_OK) return status;
    STACK_OF(X509) *trusted = sk_X509_new_null(), *untrusted = sk_X509_new_null();
    X509_STORE_CTX *check = X509_STORE_CTX_new_ex(path->context->library, NULL);
    if (trusted == NULL || untrusted == NULL || check == NULL
        || sk_X509_push(trusted, path->anchor->certificate) == 0
        || (path->intermediate != NULL && sk_X509_push(untrusted, path->intermediate) == 0)
        || X509_STORE_CTX_init(check, NULL, path->signer, untrusted) != 1
        || !receipt_crypto_set_path_parameters(X509_STORE_CTX_get0_param(check), seconds)
        || X509_STORE_CTX_set_app_data(check, path) != 1) {
        status = receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1);
    } else {
        X509_STORE_CTX_set0_trusted_stack(check, trusted);
        X509_STORE_CTX_set_verify(check, check_validity);
        if (X509_verify_cert(check) != 1 || X509_STORE_CTX_get_error(check) != X509_V_OK)
            status = receipt_crypto_fail(
                error, path->status != RECEIPT_CRYPTO_OK ? path->status : RECEIPT_CRYPTO_UNTRUSTED,
                X509_STORE_CTX_get_error(check), X509_STORE_CTX_get_error_depth(check));
    }
    X509_STORE_CTX_free(check);
    sk_X509_free(untrusted);
    sk_X509_free(trusted);
    return status;
}
