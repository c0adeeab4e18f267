// Declarations that the files of this harness share.
#ifndef HARNESS_H
#define HARNESS_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

#define ENSURE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

enum { SIZE = LANE_BITS / 8, LANES = RECEIPT_CRYPTO_LANES };

extern receipt_crypto_context *context;
extern BN_CTX *numbers;

/// Returns the next number of a fixed sequence (splitmix64), so that a failure can be repeated.
uint64_t next(void);
/// Returns a number of the sequence below 2^bits.
BIGNUM *next_number(int bits);

/// A key of the module in a chain, and the same key of OpenSSL.
typedef struct {
    receipt_crypto_chain chain;
    RSA *openssl;
    /// (p - 1) * (q - 1).
    BIGNUM *order;
} subject;

/// The keys of 2,048 bits with the exponent 65,537.
extern subject subjects[];
extern int subject_count;

/// Checks the proof with correct and wrong steps.
void test_proof(void);

#endif
