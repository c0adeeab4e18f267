// A faster way to accept valid ECDSA signatures of keys that sign many objects.
//
// OpenSSL multiplies the generator of P-256 with a table of its multiples, in a sixth of the time that it takes for any
// other point. Apple signs most transactions with few keys. For such a key, this code creates a group whose generator
// is the key's point, so that OpenSSL multiplies that point with a table, too. All arithmetic is OpenSSL's.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "key.h"

#if OPENSSL_VERSION_MAJOR < 4 && !defined(OPENSSL_NO_DEPRECATED_3_0)

EC_GROUP *receipt_crypto_own_group_new(const receipt_crypto_key *key, BN_CTX *numbers) {
    // Generic implementations ignore the table and take longer for two multiplications than for one of two points.
    const EC_METHOD *method = EC_GROUP_method_of(key->group);
    if (EC_GROUP_order_bits(key->group) != 256 || method == EC_GFp_mont_method() || method == EC_GFp_nist_method()
        || method == EC_GFp_simple_method())
        return NULL;
    EC_GROUP *group = EC_GROUP_dup(key->group);
    if (group != NULL
        && EC_GROUP_set_generator(group, key->point, EC_GROUP_get0_order(key->group), BN_value_one()) == 1
        && EC_GROUP_precompute_mult(group, numbers) == 1 && EC_GROUP_have_precompute_mult(group) == 1)
        return group;
    EC_GROUP_free(group);
    return NULL;
}

/// Returns whether the affine x-coordinate of the point is r modulo the order. The affine coordinate is X / Z^2. It is
/// r itself or, because the field is larger, r plus the order. Multiplying by Z^2 takes less time than dividing.
static bool has_coordinate(const EC_GROUP *group, const EC_POINT *point, const BIGNUM *r, BN_CTX *numbers) {
    const BIGNUM *field = EC_GROUP_get0_field(group);
    BIGNUM *x = BN_CTX_get(numbers), *zz = BN_CTX_get(numbers), *candidate = BN_CTX_get(numbers),
           *multiple = BN_CTX_get(numbers);
    bool done = multiple != NULL
        && EC_POINT_get_Jprojective_coordinates_GFp(group, point, x, NULL, zz, numbers) == 1
        // The point at infinity has no affine coordinates.
        && !BN_is_zero(zz) && BN_mod_sqr(zz, zz, field, numbers) == 1 && BN_copy(candidate, r) != NULL;
    while (done && BN_ucmp(candidate, field) < 0) {
        done = BN_mod_mul(multiple, candidate, zz, field, numbers) == 1;
        if (done && BN_ucmp(multiple, x) == 0) return true;
        done = done && BN_add(candidate, candidate, EC_GROUP_get0_order(group)) == 1;
    }
    return false;
}

bool receipt_crypto_own_group_accepts(
    const receipt_crypto_key *key, const EC_GROUP *own_group, const BIGNUM *u1, const BIGNUM *u2, const BIGNUM *r,
    BN_CTX *numbers) {
    EC_POINT *sum = EC_POINT_new(key->group), *summand = EC_POINT_new(own_group);
    BN_CTX_start(numbers);
    bool is_accepted = sum != NULL && summand != NULL
        && EC_POINT_mul(key->group, sum, u1, NULL, NULL, numbers) == 1
        && EC_POINT_mul(own_group, summand, u2, NULL, NULL, numbers) == 1
        && EC_POINT_add(key->group, sum, sum, summand, numbers) == 1
        && has_coordinate(key->group, sum, r, numbers);
    BN_CTX_end(numbers);
    EC_POINT_free(sum);
    EC_POINT_free(summand);
    return is_accepted;
}

#else

EC_GROUP *receipt_crypto_own_group_new(const receipt_crypto_key *key, BN_CTX *numbers) {
    (void)key, (void)numbers;
    return NULL;
}

bool receipt_crypto_own_group_accepts(
    const receipt_crypto_key *key, const EC_GROUP *own_group, const BIGNUM *u1, const BIGNUM *u2, const BIGNUM *r,
    BN_CTX *numbers) {
    (void)key, (void)own_group, (void)u1, (void)u2, (void)r, (void)numbers;
    return false;
}

#endif
