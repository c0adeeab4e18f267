// What a public key is made of, for key.c and signature.c.
#ifndef C_RECEIPT_CRYPTO_KEY_H
#define C_RECEIPT_CRYPTO_KEY_H

#include "internal.h"

#include <openssl/ec.h>

/// A check takes the longer the larger a modulus is; Apple's have up to 4,096 bits.
enum { MAX_RSA_BITS = 8192 };

/// RSA where there is a modulus, otherwise elliptic.
struct receipt_crypto_key {
    BIGNUM *modulus, *exponent;
    BN_MONT_CTX *montgomery;
    EC_GROUP *group;
    EC_POINT *point;
};

#endif
