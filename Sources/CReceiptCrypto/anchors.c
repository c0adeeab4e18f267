// The roots that a verifier trusts, and the keys that it accepts anywhere.

#include "internal.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <stdlib.h>
#include <string.h>

// A check takes the longer the larger modulus and exponent are; Apple's keys have up to 4,096 bits and 65537.
enum { MIN_RSA_BITS = 2048, MAX_RSA_BITS = 8192, MAX_RSA_EXPONENT_BITS = 64 };

/// RFC 8017, 3.1: "the RSA public exponent e is an integer between 3 and n - 1", and prime to even numbers. With 1 every
/// block is its own signature.
static bool has_allowed_exponent(const EVP_PKEY *key) {
    BIGNUM *exponent = NULL;
    bool is_allowed = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 && BN_is_odd(exponent)
        && !BN_is_one(exponent) && BN_num_bits(exponent) <= MAX_RSA_EXPONENT_BITS;
    BN_free(exponent);
    return is_allowed;
}

bool receipt_crypto_is_allowed_rsa(const EVP_PKEY *key) {
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= MIN_RSA_BITS
        && EVP_PKEY_get_bits(key) <= MAX_RSA_BITS && has_allowed_exponent(key);
}

bool receipt_crypto_is_allowed_ec(const EVP_PKEY *key) {
    char group[32];
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1
        && (strcmp(group, "prime256v1") == 0 || strcmp(group, "secp384r1") == 0);
}

receipt_crypto_anchors *receipt_crypto_anchors_new(receipt_crypto_context *context) {
    receipt_crypto_anchors *anchors = calloc(1, sizeof *anchors);
    if (anchors != NULL) anchors->context = context;
    return anchors;
}

void receipt_crypto_anchors_free(receipt_crypto_anchors *anchors) {
    if (anchors == NULL) return;
    for (size_t i = 0; i < anchors->count; i++) X509_free(anchors->list[i].certificate);
    free(anchors->list);
    free(anchors);
}

EVP_PKEY *receipt_crypto_key(const X509 *certificate, receipt_crypto_status *status) {
    EVP_PKEY *key = X509_get0_pubkey(certificate);
    if (key != NULL) return key;
    ASN1_OBJECT *algorithm = NULL;
    X509_PUBKEY_get0_param(&algorithm, NULL, NULL, NULL, X509_get_X509_PUBKEY(certificate));
    int kind = OBJ_obj2nid(algorithm);
    *status = kind == NID_rsaEncryption || kind == NID_X9_62_id_ecPublicKey ? RECEIPT_CRYPTO_UNAVAILABLE
                                                                            : RECEIPT_CRYPTO_BAD_KEY;
    return NULL;
}

receipt_crypto_status receipt_crypto_anchors_add(
    receipt_crypto_anchors *anchors, receipt_crypto_slice der, bool demands_markers, receipt_crypto_error *error) {
    ERR_clear_error();
    receipt_crypto_status status = RECEIPT_CRYPTO_BAD_CERTIFICATE;
    struct receipt_crypto_anchor *list = NULL;
    X509 *certificate = receipt_crypto_decode(anchors->context, der);
    // OpenSSL reads extensions when they are first asked for; now is the time, before threads share them, and where that
    // fails no path could ever end here.
    bool is_read = certificate != NULL && X509_check_purpose(certificate, -1, 0) == 1;
    EVP_PKEY *key = is_read ? receipt_crypto_key(certificate, &status) : NULL;
    if (key != NULL && !receipt_crypto_is_allowed_rsa(key) && !receipt_crypto_is_allowed_ec(key)) {
        status = RECEIPT_CRYPTO_BAD_KEY;
    } else if (key != NULL) {
        list = realloc(anchors->list, (anchors->count + 1) * sizeof *list);
        status = list != NULL ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_UNAVAILABLE;
    }
    if (status != RECEIPT_CRYPTO_OK) {
        X509_free(certificate);
        status = receipt_crypto_fail(error, status, 0, 0);
        return status;
    }
    anchors->list = list;
    anchors->list[anchors->count++] = (struct receipt_crypto_anchor){certificate, demands_markers};
    ERR_clear_error();
    return RECEIPT_CRYPTO_OK;
}
