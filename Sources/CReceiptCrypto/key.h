// What a public key is made of, for key.c, multiples.c and signature.c.
#ifndef C_RECEIPT_CRYPTO_KEY_H
#define C_RECEIPT_CRYPTO_KEY_H

#include "internal.h"

#include <openssl/ec.h>

/// A check takes the longer the larger a modulus is; Apple's have up to 4,096 bits.
enum { MAX_RSA_BITS = 8192 };

/// Multiples of a curve's generator and of a key's point.
typedef struct receipt_crypto_multiples receipt_crypto_multiples;

/// RSA where there is a modulus, otherwise elliptic.
struct receipt_crypto_key {
    BIGNUM *modulus, *exponent;
    BN_MONT_CTX *montgomery;
    EC_GROUP *group;
    EC_POINT *point;
    /// How often receipt_crypto_key_refused was called.
    atomic_uint refusals;
    /// NULL until then.
    _Atomic(receipt_crypto_multiples *) multiples;
};

/// NULL without memory, and on another curve than P-384. They take 98 KB.
receipt_crypto_multiples *receipt_crypto_multiples_new(const EC_GROUP *group, const EC_POINT *point, BN_CTX *numbers);
void receipt_crypto_multiples_free(receipt_crypto_multiples *multiples);

/// Whether the affine x-coordinate of u1 * generator + u2 * point certainly is not r modulo the order (SEC 1, 4.1.4, steps 5
/// to 8). False says nothing.
/// - u1, u2, r: below the order; r is not 0.
bool receipt_crypto_multiples_refuse(
    const receipt_crypto_multiples *multiples, const EC_GROUP *group, const BIGNUM *u1, const BIGNUM *u2,
    const BIGNUM *r, BN_CTX *numbers);

#endif
