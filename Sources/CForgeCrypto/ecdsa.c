// ECDSA with a deterministic k (RFC 6979), so that the same input gives the same signature.
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <string.h>

#include "library.h"

enum { MAX_ORDER_BYTES = 66 };

/// The generator of RFC 6979, 3.2: K and V, which are as long as the digest.
typedef struct {
    const char *digest;
    size_t count;
    uint8_t key[EVP_MAX_MD_SIZE], value[EVP_MAX_MD_SIZE];
} generator;

/// Computes K = HMAC_K(V || separator || seed) and V = HMAC_K(V). With a negative separator, computes only V.
static int update(generator *state, int separator, const uint8_t *seed, size_t seed_count) {
    uint8_t text[EVP_MAX_MD_SIZE + 1 + 2 * MAX_ORDER_BYTES];
    size_t written = 0;
    if (separator >= 0) {
        memcpy(text, state->value, state->count);
        text[state->count] = (uint8_t)separator;
        memcpy(text + state->count + 1, seed, seed_count);
        uint8_t key[EVP_MAX_MD_SIZE];
        if (!EVP_Q_mac(
                forge_library(), "HMAC", NULL, state->digest, NULL, state->key, state->count, text,
                state->count + 1 + seed_count, key, sizeof key, &written))
            return 0;
        memcpy(state->key, key, state->count);
    }
    memcpy(text, state->value, state->count);
    return EVP_Q_mac(
               forge_library(), "HMAC", NULL, state->digest, NULL, state->key, state->count, text, state->count,
               state->value, sizeof state->value, &written)
        != NULL;
}

/// Computes bits2int (2.3.2): takes as many leading bits as the order has.
static int read_bits(BIGNUM *number, const uint8_t *bytes, size_t count, int bits) {
    if (!BN_bin2bn(bytes, (int)count, number)) return 0;
    int surplus = (int)count * 8 - bits;
    return surplus <= 0 || BN_rshift(number, number, surplus);
}

/// Generates the next k between 1 and the order.
static int next(generator *state, const BIGNUM *order, BIGNUM *k) {
    int bits = BN_num_bits(order);
    for (;;) {
        uint8_t text[2 * EVP_MAX_MD_SIZE + MAX_ORDER_BYTES];
        size_t count = 0;
        while (count * 8 < (size_t)bits) {
            if (!update(state, -1, NULL, 0)) return 0;
            memcpy(text + count, state->value, state->count);
            count += state->count;
        }
        if (!read_bits(k, text, count, bits)) return 0;
        if (!BN_is_zero(k) && BN_cmp(k, order) < 0) return 1;
        if (!update(state, 0, NULL, 0)) return 0;
    }
}

static int sign(
    const EC_GROUP *group, const BIGNUM *private_key, const char *digest, const uint8_t *hash, size_t hash_count,
    ECDSA_SIG *signature, BN_CTX *context) {
    const BIGNUM *order = EC_GROUP_get0_order(group);
    int bits = BN_num_bits(order), count = (bits + 7) / 8;
    BIGNUM *z = BN_CTX_get(context), *reduced = BN_CTX_get(context), *k = BN_CTX_get(context);
    BIGNUM *r = BN_new(), *s = BN_new();
    EC_POINT *point = EC_POINT_new(group);
    generator state = {.digest = digest, .count = hash_count};
    memset(state.value, 1, hash_count);
    uint8_t seed[2 * MAX_ORDER_BYTES];
    int succeeded = k && r && s && point && count <= MAX_ORDER_BYTES && read_bits(z, hash, hash_count, bits)
        && BN_nnmod(reduced, z, order, context) && BN_bn2binpad(private_key, seed, count) == count
        && BN_bn2binpad(reduced, seed + count, count) == count && update(&state, 0, seed, (size_t)(2 * count))
        && update(&state, 1, seed, (size_t)(2 * count));
    // r = (k G).x, s = (z + r d) / k. Each is zero with a probability of 2^-256.
    do {
        succeeded = succeeded && next(&state, order, k) && EC_POINT_mul(group, point, k, NULL, NULL, context)
            && EC_POINT_get_affine_coordinates(group, point, r, NULL, context) && BN_nnmod(r, r, order, context)
            && BN_mod_mul(s, r, private_key, order, context) && BN_mod_add(s, s, z, order, context)
            && BN_mod_inverse(k, k, order, context) && BN_mod_mul(s, s, k, order, context);
    } while (succeeded && (BN_is_zero(r) || BN_is_zero(s)) && update(&state, 0, NULL, 0));
    EC_POINT_free(point);
    // The signature owns both from now on.
    if (succeeded && ECDSA_SIG_set0(signature, r, s)) return 1;
    BN_free(r);
    BN_free(s);
    return 0;
}

uint64_t forge_sign_ecdsa(
    const forge_key *key, const char *digest, const uint8_t *bytes, size_t byte_count, uint8_t *output,
    size_t *count) {
    uint8_t hash[EVP_MAX_MD_SIZE];
    size_t hash_count = 0;
    char name[32];
    BIGNUM *private_key = NULL;
    EC_GROUP *group = NULL;
    BN_CTX *context = BN_CTX_secure_new();
    ECDSA_SIG *signature = ECDSA_SIG_new();
    int length = 0;
    if (context && signature) BN_CTX_start(context);
    if (context && signature
        && EVP_Q_digest(forge_library(), digest, NULL, bytes, byte_count, hash, &hash_count)
        && EVP_PKEY_get_group_name(key, name, sizeof name, NULL)
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &private_key)
        && (group = EC_GROUP_new_by_curve_name_ex(forge_library(), NULL, OBJ_sn2nid(name)))
        && sign(group, private_key, digest, hash, hash_count, signature, context)
        && (size_t)i2d_ECDSA_SIG(signature, NULL) <= *count)
        length = i2d_ECDSA_SIG(signature, &output);
    if (context && signature) BN_CTX_end(context);
    *count = length > 0 ? (size_t)length : 0;
    ECDSA_SIG_free(signature);
    EC_GROUP_free(group);
    BN_clear_free(private_key);
    BN_CTX_free(context);
    return forge_outcome(length > 0);
}
