#include <openssl/bn.h>
#include <openssl/rsa.h>

#include "library.h"

uint64_t forge_sign(
    forge_key *key, const char *digest, int pss, const uint8_t *bytes, size_t byte_count, uint8_t *output,
    size_t *count) {
    if (!forge_key_is_rsa(key)) return forge_sign_ecdsa(key, digest, bytes, byte_count, output, count);
    EVP_PKEY_CTX *options = NULL;  // owned by context
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int succeeded = context
        && EVP_DigestSignInit_ex(context, &options, digest, forge_library(), NULL, key, NULL) > 0
        && (!pss
            || (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) > 0
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, 0) > 0))
        && EVP_DigestSign(context, output, count, bytes, byte_count) > 0;
    EVP_MD_CTX_free(context);
    return forge_outcome(succeeded);
}

uint64_t forge_rsa_private(
    forge_key *key, const uint8_t *input, size_t input_count, uint8_t *output, size_t *count) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(forge_library(), key, NULL);
    int succeeded = context && EVP_PKEY_sign_init(context) > 0
        && EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) > 0
        && EVP_PKEY_sign(context, output, count, input, input_count) > 0;
    EVP_PKEY_CTX_free(context);
    return forge_outcome(succeeded);
}

uint64_t forge_digest(
    const char *digest, const uint8_t *bytes, size_t byte_count, uint8_t *output, size_t *count) {
    // EVP_Q_digest writes at most EVP_MAX_MD_SIZE bytes.
    int succeeded = *count >= EVP_MAX_MD_SIZE
        && EVP_Q_digest(forge_library(), digest, NULL, bytes, byte_count, output, count);
    return forge_outcome(succeeded);
}

uint64_t forge_cube_root(const uint8_t *input, size_t input_count, uint8_t *output, size_t *count) {
    BN_CTX *context = BN_CTX_new();
    BIGNUM *target = BN_bin2bn(input, (int)input_count, NULL);
    BIGNUM *root = BN_new(), *cube = BN_new();
    int succeeded = context && target && root && cube && *count >= input_count;
    // Finds the largest integer whose cube is below the target, from the highest bit down.
    for (int bit = succeeded ? BN_num_bits(target) / 3 + 1 : -1; succeeded && bit >= 0; bit--) {
        succeeded = BN_set_bit(root, bit) && BN_sqr(cube, root, context)
            && BN_mul(cube, cube, root, context);
        if (succeeded && BN_cmp(cube, target) >= 0)
            succeeded = BN_clear_bit(root, bit);
    }
    succeeded = succeeded && BN_add_word(root, 1) && BN_bn2binpad(root, output, (int)input_count) > 0;
    *count = input_count;
    BN_free(target);
    BN_free(root);
    BN_free(cube);
    BN_CTX_free(context);
    return forge_outcome(succeeded);
}
