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

/// Signatures that the lanes did not check although they could, most of them valid.
extern atomic_long disagreements;

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

/// A signature with its key and digest.
typedef struct {
    const subject *subject;
    int digest;
    uint8_t hash[RECEIPT_CRYPTO_MAX_DIGEST];
    size_t hash_count;
    uint8_t bytes[2 * SIZE];
    size_t count;
} signature;

/// Returns OpenSSL's signature of a random digest. `encoded` receives the encoded message.
signature sign(const subject *subject, int digest, uint8_t encoded[2 * SIZE]);
receipt_crypto_rsa_check check_of(const signature *signature);
/// Returns the same key as a new one of the module.
subject copy_of(const subject *subject);

/// Checks the proof with correct and wrong steps.
void test_proof(void);
/// Checks that correct steps prove nothing without a prime.
void test_proof_without_prime(void);

/// Checks in a child process that nothing is accepted without a prime. Must run before this process has a prime.
void test_without_randomness(void);
/// Checks keys with calls that fail or have wrong results.
void test_failures(void);
/// Returns whether the lanes compute the operation of a signature.
bool is_computed(const signature *signature);

#endif
