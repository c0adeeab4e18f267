// Signatures of certificate revocation lists.

#include "internal.h"

receipt_crypto_status receipt_crypto_verify_list(
    const receipt_crypto_context *context, receipt_crypto_slice issuer, receipt_crypto_digest_algorithm algorithm,
    bool is_ecdsa, receipt_crypto_slice tbs, receipt_crypto_slice signature) {
    receipt_crypto_fields fields;
    receipt_crypto_key *key = NULL;
    receipt_crypto_digest digest;
    receipt_crypto_slice nothing = {NULL, 0};
    if (receipt_crypto_read_certificate(issuer, &fields) != NULL) return RECEIPT_CRYPTO_BAD_CERTIFICATE;
    // RFC 5280, 6.3.3, f: "If a key usage extension is present in the CRL issuer's certificate, verify that the cRLSign
    // bit is set."
    if ((fields.key_usage & RECEIPT_CRYPTO_CRL_SIGN) == 0) return RECEIPT_CRYPTO_BAD_KEY_USAGE;
    ERR_set_mark();
    receipt_crypto_status status =
        receipt_crypto_key_new(context, fields.key, RECEIPT_CRYPTO_MIN_RSA_BITS, &key);
    if (status == RECEIPT_CRYPTO_OK && is_ecdsa == receipt_crypto_key_is_rsa(key)) status = RECEIPT_CRYPTO_BAD_SIGNATURE;
    if (status == RECEIPT_CRYPTO_OK)
        status = receipt_crypto_digest_of(context, algorithm, tbs, nothing, nothing, &digest);
    if (status == RECEIPT_CRYPTO_OK)
        status = receipt_crypto_verify_digest(context, key, algorithm, &digest, signature);
    receipt_crypto_key_free(key);
    ERR_pop_to_mark();
    return status;
}
