// Anchors, and the path from a signer to one of them (RFC 5280, 6).
//
// OpenSSL builds the path and checks names, extensions, path length, name constraints and key usage. Signatures
// and validity are checked here in its stead: signatures without telling OpenSSL the digest (see signature.c),
// both with algorithms from a closed list.

#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// How many idle verification contexts a chain keeps for its threads.
enum { VERIFIER_POOL = 8 };

struct receipt_crypto_chain {
    const receipt_crypto_context *context;
    receipt_crypto_certificate *certificates;
    size_t count;
    size_t anchor;
    EVP_PKEY *signer_key;
    _Atomic(EVP_PKEY_CTX *) verifiers[VERIFIER_POOL];
};

// MARK: - Algorithms and keys

enum { MIN_RSA_BITS = 2048, MAX_RSA_BITS = 16384 };

static bool is_allowed_rsa(const EVP_PKEY *key) {
    return EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= MIN_RSA_BITS
        && EVP_PKEY_get_bits(key) <= MAX_RSA_BITS;
}

/// Elliptic curves of Apple's G3 root and the authorities under it.
static bool is_allowed_ec(const EVP_PKEY *key) {
    char group[32];
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1
        && (strcmp(group, "prime256v1") == 0 || strcmp(group, "secp384r1") == 0);
}

/// The digest that a certificate's signature algorithm names, for a key of the issuer; 0 for one off the list.
static receipt_crypto_digest_algorithm certificate_digest(int algorithm, bool is_rsa) {
    switch (algorithm) {
    case NID_sha1WithRSAEncryption: return is_rsa ? RECEIPT_CRYPTO_SHA1 : 0;
    case NID_sha256WithRSAEncryption: return is_rsa ? RECEIPT_CRYPTO_SHA256 : 0;
    case NID_sha384WithRSAEncryption: return is_rsa ? RECEIPT_CRYPTO_SHA384 : 0;
    case NID_sha512WithRSAEncryption: return is_rsa ? RECEIPT_CRYPTO_SHA512 : 0;
    case NID_ecdsa_with_SHA256: return is_rsa ? 0 : RECEIPT_CRYPTO_SHA256;
    case NID_ecdsa_with_SHA384: return is_rsa ? 0 : RECEIPT_CRYPTO_SHA384;
    case NID_ecdsa_with_SHA512: return is_rsa ? 0 : RECEIPT_CRYPTO_SHA512;
    default: return 0;
    }
}

/// The first element inside the outer one: what is signed. Empty where there is none, or none of definite length:
/// a certificate is DER (RFC 5280, 4.1), and ASN1_get_object gives an indefinite length as 0 with the flag 1.
static receipt_crypto_slice tbs_certificate(const unsigned char *der, long count) {
    receipt_crypto_slice nothing = {NULL, 0};
    const unsigned char *start = der;
    long length;
    int tag, class;
    if ((ASN1_get_object(&start, &length, &tag, &class, count) & 0x80) != 0) return nothing;
    const unsigned char *content = start;
    if ((ASN1_get_object(&content, &length, &tag, &class, length) & 0x81) != 0) return nothing;
    return (receipt_crypto_slice){start, (size_t)(content - start + length)};
}

static receipt_crypto_status check_issued_by(
    const receipt_crypto_context *context, X509 *certificate, EVP_PKEY *issuer_key) {
    const ASN1_BIT_STRING *signature;
    const X509_ALGOR *algorithm;
    X509_get0_signature(&signature, &algorithm, certificate);
    bool is_rsa = is_allowed_rsa(issuer_key);
    if (!is_rsa && !is_allowed_ec(issuer_key)) return RECEIPT_CRYPTO_BAD_KEY;
    // RFC 5280, 4.1.1.2: this field MUST contain the same algorithm identifier as the signature field.
    receipt_crypto_digest_algorithm digest_algorithm =
        certificate_digest(OBJ_obj2nid(algorithm->algorithm), is_rsa);
    if (digest_algorithm == 0 || X509_ALGOR_cmp(algorithm, X509_get0_tbs_sigalg(certificate)) != 0)
        return RECEIPT_CRYPTO_BAD_ALGORITHM;

    // The bytes as they came: OpenSSL keeps the encoding that it decoded.
    unsigned char *der = NULL;
    int count = i2d_X509(certificate, &der);
    if (count <= 0) return RECEIPT_CRYPTO_UNAVAILABLE;
    receipt_crypto_digest digest;
    receipt_crypto_slice nothing = {NULL, 0};
    receipt_crypto_slice tbs = tbs_certificate(der, count);
    receipt_crypto_status status = RECEIPT_CRYPTO_BAD_CERTIFICATE;
    if (tbs.count > 0)
        status = receipt_crypto_digest_of(context, digest_algorithm, tbs, nothing, nothing, &digest);
    OPENSSL_free(der);
    if (status != RECEIPT_CRYPTO_OK) return status;

    EVP_PKEY_CTX *verifier = receipt_crypto_verifier_new(context, issuer_key, is_rsa);
    if (verifier == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    receipt_crypto_slice value = {ASN1_STRING_get0_data(signature), (size_t)ASN1_STRING_length(signature)};
    status = receipt_crypto_verify_digest(verifier, is_rsa, digest_algorithm, &digest, value);
    EVP_PKEY_CTX_free(verifier);
    return status;
}

// MARK: - Anchors

bool receipt_crypto_set_path_parameters(X509_VERIFY_PARAM *parameters, int64_t seconds) {
    X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    return X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1;
}

receipt_crypto_anchors *receipt_crypto_anchors_new(receipt_crypto_context *context) {
    receipt_crypto_anchors *anchors = calloc(1, sizeof *anchors);
    if (anchors == NULL) return NULL;
    anchors->context = context;
    anchors->store = X509_STORE_new();
    anchors->certificates = sk_X509_new_null();
    if (anchors->store != NULL && anchors->certificates != NULL) return anchors;
    receipt_crypto_anchors_free(anchors);
    ERR_clear_error();
    return NULL;
}

void receipt_crypto_anchors_free(receipt_crypto_anchors *anchors) {
    if (anchors == NULL) return;
    X509_STORE_free(anchors->store);
    sk_X509_pop_free(anchors->certificates, X509_free);
    free(anchors->demands_markers);
    free(anchors);
}

receipt_crypto_status receipt_crypto_anchors_add(
    receipt_crypto_anchors *anchors, receipt_crypto_slice der, bool demands_markers, receipt_crypto_error *error) {
    X509 *certificate = receipt_crypto_decode(anchors->context, der);
    if (certificate == NULL) return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_CERTIFICATE, 0, -1, NULL);
    EVP_PKEY *key = X509_get0_pubkey(certificate);
    if (key == NULL || !(is_allowed_rsa(key) || is_allowed_ec(key))) {
        receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY, 0, 0, certificate);
        X509_free(certificate);
        return error->status;
    }
    size_t count = (size_t)sk_X509_num(anchors->certificates);
    bool *demands = realloc(anchors->demands_markers, (count + 1) * sizeof *demands);
    if (demands != NULL) anchors->demands_markers = demands;
    if (demands == NULL || X509_STORE_add_cert(anchors->store, certificate) != 1
        || sk_X509_push(anchors->certificates, certificate) == 0) {
        X509_free(certificate);
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
    }
    anchors->demands_markers[count] = demands_markers;
    return RECEIPT_CRYPTO_OK;
}

// MARK: - Path

/// OpenSSL's view of a path in the making, with our status for the reasons that it has no name for.
typedef struct {
    const receipt_crypto_context *context;
    receipt_crypto_status status;
} path_state;

static int refuse(X509_STORE_CTX *path, int depth, int x509_error, receipt_crypto_status status) {
    path_state *state = X509_STORE_CTX_get_app_data(path);
    state->status = status;
    X509_STORE_CTX_set_error(path, x509_error);
    X509_STORE_CTX_set_error_depth(path, depth);
    X509_STORE_CTX_set_current_cert(path, sk_X509_value(X509_STORE_CTX_get0_chain(path), depth));
    return 0;
}

/// In place of OpenSSL's internal_verify: from the anchor down to the signer, so that no key is used before
/// the certificate that holds it was checked.
static int check_path(X509_STORE_CTX *path) {
    path_state *state = X509_STORE_CTX_get_app_data(path);
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(path);
    time_t time = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(path));
    int last = sk_X509_num(chain) - 1;
    for (int depth = last; depth >= 0; depth--) {
        X509 *certificate = sk_X509_value(chain, depth);
        int64_t not_before, not_after;
        if (!receipt_crypto_seconds(X509_get0_notBefore(certificate), &not_before)
            || !receipt_crypto_seconds(X509_get0_notAfter(certificate), &not_after))
            return refuse(path, depth, X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, RECEIPT_CRYPTO_BAD_CERTIFICATE);
        if (time < not_before)
            return refuse(path, depth, X509_V_ERR_CERT_NOT_YET_VALID, RECEIPT_CRYPTO_NOT_VALID_AT_TIME);
        if (time > not_after)
            return refuse(path, depth, X509_V_ERR_CERT_HAS_EXPIRED, RECEIPT_CRYPTO_NOT_VALID_AT_TIME);
        // The anchor is trusted for being there, not for having signed itself.
        if (depth == last) continue;
        EVP_PKEY *issuer_key = X509_get0_pubkey(sk_X509_value(chain, depth + 1));
        if (issuer_key == NULL)
            return refuse(
                path, depth + 1, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY, RECEIPT_CRYPTO_BAD_KEY);
        receipt_crypto_status status = check_issued_by(state->context, certificate, issuer_key);
        if (status != RECEIPT_CRYPTO_OK)
            return refuse(path, depth, X509_V_ERR_CERT_SIGNATURE_FAILURE,
                status == RECEIPT_CRYPTO_BAD_SIGNATURE ? RECEIPT_CRYPTO_UNTRUSTED : status);
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

static receipt_crypto_status check_demands(
    STACK_OF(X509) *path, bool demands_markers, receipt_crypto_error *error) {
    X509 *signer = sk_X509_value(path, 0);
    EVP_PKEY *key = X509_get0_pubkey(signer);
    if (key == NULL || !is_allowed_rsa(key)) return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY, 0, 0, signer);
    // OpenSSL takes an issuer with key usage alone for an authority; basic constraints must say so.
    for (int depth = 1; depth < sk_X509_num(path); depth++)
        if (X509_check_ca(sk_X509_value(path, depth)) != 1)
            return receipt_crypto_fail(
                error, RECEIPT_CRYPTO_NOT_AN_AUTHORITY, X509_V_ERR_INVALID_CA, depth, sk_X509_value(path, depth));
    // Absent, key usage is UINT32_MAX: not restricted (RFC 5280, 4.2.1.3).
    if (!demands_markers) return RECEIPT_CRYPTO_OK;
    if ((X509_get_key_usage(signer) & (KU_DIGITAL_SIGNATURE | KU_NON_REPUDIATION)) == 0)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_KEY_USAGE, 0, 0, signer);
    if (!has_extension(signer, "1.2.840.113635.100.6.11.1"))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_SIGNER_MARKER, 0, 0, signer);
    if (sk_X509_num(path) != 3) return receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_PATH_LENGTH, 0, 0, signer);
    if (!has_extension(sk_X509_value(path, 1), "1.2.840.113635.100.6.2.1"))
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER, 0, 1, sk_X509_value(path, 1));
    return RECEIPT_CRYPTO_OK;
}

/// Index of the anchor with exactly these bytes, or -1.
static int anchor_index(const receipt_crypto_anchors *anchors, const X509 *certificate) {
    for (int i = 0; i < sk_X509_num(anchors->certificates); i++)
        if (X509_cmp(sk_X509_value(anchors->certificates, i), certificate) == 0) return i;
    return -1;
}

static receipt_crypto_chain *chain_new(
    const receipt_crypto_context *context, STACK_OF(X509) *path, int anchor) {
    receipt_crypto_chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) return NULL;
    chain->context = context;
    chain->anchor = (size_t)anchor;
    chain->certificates = calloc((size_t)sk_X509_num(path), sizeof *chain->certificates);
    chain->signer_key = X509_get_pubkey(sk_X509_value(path, 0));
    if (chain->certificates == NULL || chain->signer_key == NULL) {
        receipt_crypto_chain_free(chain);
        return NULL;
    }
    for (; chain->count < (size_t)sk_X509_num(path); chain->count++) {
        X509 *certificate = sk_X509_value(path, (int)chain->count);
        X509_up_ref(certificate);
        chain->certificates[chain->count].x509 = certificate;
    }
    return chain;
}

static STACK_OF(X509) *decode_all(
    const receipt_crypto_context *context, const receipt_crypto_slice *slices, size_t count) {
    STACK_OF(X509) *certificates = sk_X509_new_null();
    if (certificates == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        X509 *certificate = receipt_crypto_decode(context, slices[i]);
        if (certificate != NULL && sk_X509_push(certificates, certificate) > 0) continue;
        X509_free(certificate);
        sk_X509_pop_free(certificates, X509_free);
        return NULL;
    }
    return certificates;
}

/// The path, checked; NULL with `error` filled where there is none. The caller frees it.
static STACK_OF(X509) *build_path(
    const receipt_crypto_anchors *anchors, X509 *signer, STACK_OF(X509) *candidates, int64_t seconds,
    receipt_crypto_error *error) {
    path_state state = {anchors->context, RECEIPT_CRYPTO_OK};
    STACK_OF(X509) *path = NULL;
    X509_STORE_CTX *check = X509_STORE_CTX_new_ex(anchors->context->library, NULL);
    if (check == NULL || X509_STORE_CTX_init(check, anchors->store, signer, candidates) != 1
        || !receipt_crypto_set_path_parameters(X509_STORE_CTX_get0_param(check), seconds)
        || X509_STORE_CTX_set_app_data(check, &state) != 1) {
        receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
    } else {
        X509_STORE_CTX_set_verify(check, check_path);
        if (X509_verify_cert(check) == 1 && X509_STORE_CTX_get_error(check) == X509_V_OK) {
            path = X509_STORE_CTX_get1_chain(check);
            if (path == NULL) receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
        } else {
            receipt_crypto_fail(
                error, state.status != RECEIPT_CRYPTO_OK ? state.status : RECEIPT_CRYPTO_UNTRUSTED,
                X509_STORE_CTX_get_error(check), X509_STORE_CTX_get_error_depth(check),
                X509_STORE_CTX_get_current_cert(check));
        }
    }
    X509_STORE_CTX_free(check);
    return path;
}

receipt_crypto_chain *receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, receipt_crypto_slice signer_der,
    const receipt_crypto_slice *candidates_der, size_t candidate_count, int64_t seconds,
    receipt_crypto_error *error) {
    const receipt_crypto_context *context = anchors->context;
    receipt_crypto_chain *chain = NULL;
    STACK_OF(X509) *path = NULL;
    // What the host left in the queue is no account of this receipt.
    ERR_clear_error();
    X509 *signer = receipt_crypto_decode(context, signer_der);
    STACK_OF(X509) *candidates = decode_all(context, candidates_der, candidate_count);
    if (signer == NULL || candidates == NULL)
        receipt_crypto_fail(error, RECEIPT_CRYPTO_BAD_CERTIFICATE, 0, -1, NULL);
    else
        path = build_path(anchors, signer, candidates, seconds, error);
    if (path != NULL) {
        X509 *root = sk_X509_value(path, sk_X509_num(path) - 1);
        int anchor = anchor_index(anchors, root);
        if (anchor < 0)
            receipt_crypto_fail(error, RECEIPT_CRYPTO_UNTRUSTED, 0, sk_X509_num(path) - 1, root);
        else if (check_demands(path, anchors->demands_markers[anchor], error) == RECEIPT_CRYPTO_OK) {
            chain = chain_new(context, path, anchor);
            if (chain == NULL) receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
        }
    }
    sk_X509_pop_free(path, X509_free);
    sk_X509_pop_free(candidates, X509_free);
    X509_free(signer);
    ERR_clear_error();
    return chain;
}

void receipt_crypto_chain_free(receipt_crypto_chain *chain) {
    if (chain == NULL) return;
    for (size_t i = 0; i < VERIFIER_POOL; i++) EVP_PKEY_CTX_free(atomic_load(&chain->verifiers[i]));
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
    // Making a verification context costs a third of the check itself, so each thread borrows one.
    _Atomic(EVP_PKEY_CTX *) *pool = ((receipt_crypto_chain *)chain)->verifiers;
    EVP_PKEY_CTX *verifier = NULL;
    for (size_t i = 0; i < VERIFIER_POOL && verifier == NULL; i++) verifier = atomic_exchange(&pool[i], NULL);
    if (verifier == NULL) verifier = receipt_crypto_verifier_new(chain->context, chain->signer_key, true);
    if (verifier == NULL) {
        ERR_clear_error();
        return RECEIPT_CRYPTO_UNAVAILABLE;
    }
    receipt_crypto_status status = receipt_crypto_verify_digest(verifier, true, algorithm, digest, signature);
    for (size_t i = 0; i < VERIFIER_POOL && verifier != NULL; i++) {
        EVP_PKEY_CTX *empty = NULL;
        if (atomic_compare_exchange_strong(&pool[i], &empty, verifier)) verifier = NULL;
    }
    EVP_PKEY_CTX_free(verifier);
    return status;
}
