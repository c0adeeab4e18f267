// Signatures over a digest, with algorithms from a closed list.

#include "internal.h"

#include <openssl/rsa.h>
#include <string.h>

// DigestInfo ::= SEQUENCE { digestAlgorithm AlgorithmIdentifier, digest OCTET STRING }
//
// RFC 8017, 9.2, note 1: everything in front of the digest is constant. OpenSSL takes the padding off and
// compares the rest with these bytes as a whole, so garbage behind the digest (Bleichenbacher, 2006) and other
// encodings of the same thing do not pass.
static const uint8_t sha1_info[] = {
    0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14};
static const uint8_t sha256_info[] = {
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
static const uint8_t sha384_info[] = {
    0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30};
static const uint8_t sha512_info[] = {
    0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40};

static const struct {
    const uint8_t *info;
    size_t info_count, digest_count;
} formats[] = {
    [RECEIPT_CRYPTO_SHA1] = {sha1_info, sizeof sha1_info, 20},
    [RECEIPT_CRYPTO_SHA256] = {sha256_info, sizeof sha256_info, 32},
    [RECEIPT_CRYPTO_SHA384] = {sha384_info, sizeof sha384_info, 48},
    [RECEIPT_CRYPTO_SHA512] = {sha512_info, sizeof sha512_info, 64},
};

EVP_PKEY_CTX *receipt_crypto_verifier_new(const receipt_crypto_context *context, EVP_PKEY *key, bool is_rsa) {
    EVP_PKEY_CTX *verifier = EVP_PKEY_CTX_new_from_pkey(context->library, key, NULL);
    if (verifier != NULL && EVP_PKEY_verify_init(verifier) == 1
        && (!is_rsa || EVP_PKEY_CTX_set_rsa_padding(verifier, RSA_PKCS1_PADDING) == 1))
        return verifier;
    EVP_PKEY_CTX_free(verifier);
    return NULL;
}

receipt_crypto_status receipt_crypto_verify_digest(
    EVP_PKEY_CTX *verifier, bool is_rsa, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    uint8_t block[sizeof sha512_info + RECEIPT_CRYPTO_MAX_DIGEST];
    size_t info_count = is_rsa ? formats[algorithm].info_count : 0;
    if (digest->count != formats[algorithm].digest_count) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    memcpy(block, formats[algorithm].info, info_count);
    memcpy(block + info_count, digest->bytes, digest->count);
    int result = EVP_PKEY_verify(verifier, signature.bytes, signature.count, block, info_count + digest->count);
    if (result == 1) return RECEIPT_CRYPTO_OK;
    bool out_of_memory = ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE;
    ERR_clear_error();
    return out_of_memory ? RECEIPT_CRYPTO_UNAVAILABLE : RECEIPT_CRYPTO_BAD_SIGNATURE;
}
