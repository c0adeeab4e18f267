// The parts of a public key, for key.c, lanes.c, multiples.c and signature.c.
#ifndef C_RECEIPT_CRYPTO_KEY_H
#define C_RECEIPT_CRYPTO_KEY_H

#include "internal.h"

#include <openssl/ec.h>

/// The limit on RSA keys, because checks with larger ones take longer. Apple's have up to 4,096 bits.
enum { MAX_RSA_BITS = 8192 };

/// Precomputed multiples of a curve's generator and a key's point.
typedef struct receipt_crypto_multiples receipt_crypto_multiples;

/// Numbers for checking several RSA signatures at once.
typedef struct receipt_crypto_lane_key receipt_crypto_lane_key;

/// An RSA key if there is a modulus, otherwise an elliptic key.
struct receipt_crypto_key {
    BIGNUM *modulus, *exponent;
    BN_MONT_CTX *montgomery;
    /// NULL until the key is first used in a check of several signatures.
    _Atomic(receipt_crypto_lane_key *) lane_key;
    EC_GROUP *group;
    EC_POINT *point;
    /// The number of calls of receipt_crypto_key_refused.
    atomic_uint refusals;
    /// NULL until receipt_crypto_key_refused has created them.
    _Atomic(receipt_crypto_multiples *) multiples;
    /// The number of calls of receipt_crypto_key_accepted since the last attempt to create the table.
    atomic_uint acceptances;
    /// The curve with the key's point as its generator, and OpenSSL's table of multiples of it. NULL until
    /// receipt_crypto_key_accepted has created it.
    _Atomic(EC_GROUP *) own_group;
    /// The context of the key, which counts the table.
    receipt_crypto_context *context;
};

/// Returns multiples of 98 KB, or NULL if memory is exhausted or the curve is not P-384.
receipt_crypto_multiples *receipt_crypto_multiples_new(const EC_GROUP *group, const EC_POINT *point, BN_CTX *numbers);
void receipt_crypto_multiples_free(receipt_crypto_multiples *multiples);

/// Returns true only if the affine x-coordinate of u1 * generator + u2 * point is not r modulo the order (SEC 1, 4.1.4,
/// steps 5 to 8). A result of false proves nothing.
/// - u1, u2, r: numbers below the order. r is not 0.
bool receipt_crypto_multiples_refuse(
    const receipt_crypto_multiples *multiples, const EC_GROUP *group, const BIGNUM *u1, const BIGNUM *u2,
    const BIGNUM *r, BN_CTX *numbers);

/// Returns a group whose generator is the key's point, with OpenSSL's table of its multiples (150 KB). Returns NULL if
/// memory is exhausted, the curve is not P-256, or OpenSSL has no such tables.
EC_GROUP *receipt_crypto_own_group_new(const receipt_crypto_key *key, BN_CTX *numbers);

/// Returns true only if the affine x-coordinate of u1 * generator + u2 * point is r modulo the order (SEC 1, 4.1.4,
/// steps 5 to 8). A result of false proves nothing.
/// - own_group: the result of receipt_crypto_own_group_new for the key.
/// - u1, u2, r: numbers below the order. r is not 0.
bool receipt_crypto_own_group_accepts(
    const receipt_crypto_key *key, const EC_GROUP *own_group, const BIGNUM *u1, const BIGNUM *u2, const BIGNUM *r,
    BN_CTX *numbers);

#endif
