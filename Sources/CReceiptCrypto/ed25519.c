// Signatures of the caller's own lists. These functions use EVP, because OpenSSL has no other interface to Ed25519 and
// BLAKE2. A host that replaces them can only change which list of the caller's counts.

#include "internal.h"

#include <openssl/evp.h>

bool receipt_crypto_verify_ed25519(
    const receipt_crypto_context *context, receipt_crypto_slice key, receipt_crypto_slice message,
    receipt_crypto_slice signature) {
    ERR_set_mark();
    EVP_PKEY *public_key =
        EVP_PKEY_new_raw_public_key_ex(context->library, "ED25519", NULL, key.bytes, key.count);
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    bool is_valid = public_key != NULL && state != NULL
        && EVP_DigestVerifyInit_ex(state, NULL, NULL, context->library, NULL, public_key, NULL) == 1
        && EVP_DigestVerify(state, signature.bytes, signature.count, message.bytes, message.count) == 1;
    EVP_MD_CTX_free(state);
    EVP_PKEY_free(public_key);
    ERR_pop_to_mark();
    return is_valid;
}

bool receipt_crypto_blake2b512(
    const receipt_crypto_context *context, receipt_crypto_slice message, receipt_crypto_digest *digest) {
    ERR_set_mark();
    digest->count = 0;
    bool done = EVP_Q_digest(
        context->library, "BLAKE2B-512", NULL, message.bytes, message.count, digest->bytes, &digest->count) == 1;
    ERR_pop_to_mark();
    return done;
}
