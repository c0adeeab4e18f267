// Eight RSA operations in the lanes of AVX-512 registers, for lanes.c, and their proofs, for lanes_proof.c.
//
// A number has 40 limbs of 52 bits, lowest first. The processor multiplies numbers of 52 bits (IFMA). A vector has the same
// limb of eight numbers.
#ifndef C_RECEIPT_CRYPTO_LANES_H
#define C_RECEIPT_CRYPTO_LANES_H

#include "key.h"

enum { LANE_BITS = 2048, LIMB_BITS = 52, LIMBS = 40, RADIX_BITS = LIMBS * LIMB_BITS };
#define LIMB_MASK (((uint64_t)1 << LIMB_BITS) - 1)

/// The steps of s^65537: conversion to Montgomery form, squarings, and a multiplication by s.
enum { SQUARINGS = 16, STEPS = 1 + SQUARINGS + 1 };

/// The precomputed numbers of an RSA key of 2,048 bits with the exponent 65,537.
struct receipt_crypto_lane_key {
    /// n, big endian.
    uint8_t modulus[LANE_BITS / 8];
    /// n, and R^2 mod n, for R = 2^RADIX_BITS.
    uint64_t modulus_limbs[LIMBS], conversion_limbs[LIMBS];
    /// -1 / n modulo 2^LIMB_BITS.
    uint64_t inverse;
    /// n and R^2 mod n, modulo the secret prime.
    uint64_t modulus_residue, conversion_residue;
};

/// Returns the precomputed parts of the key, which the key owns, or NULL if the lanes cannot check its signatures.
const receipt_crypto_lane_key *receipt_crypto_lane_key_of(receipt_crypto_key *key);

/// Returns the secret prime of this process, or 0 if the system has no randomness. See lanes_proof.c.
uint64_t receipt_crypto_secret_prime(void);

/// Sets the residues of a key. OpenSSL computes them from its own numbers, so the proof also covers the limbs. Returns
/// false if R^2 is not quotient * modulus + conversion, or if memory is exhausted.
bool receipt_crypto_prove_key(
    receipt_crypto_lane_key *key, const BIGNUM *modulus, const BIGNUM *quotient, const BIGNUM *conversion);

/// Returns -1 / odd modulo 2^LIMB_BITS.
static inline uint64_t receipt_crypto_negative_inverse(uint64_t odd) {
    // Newton's method doubles the correct bits with each step. odd itself has three.
    uint64_t inverse = odd;
    for (int bits = 3; bits < LIMB_BITS; bits *= 2) inverse *= 2 - odd * inverse;
    return (0 - inverse) & LIMB_MASK;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES_CODE __attribute__((target("avx512f,avx512ifma")))
#define LANES_INLINE static inline __attribute__((always_inline, target("avx512f,avx512ifma")))

/// Eight numbers. The limb after the last one is 0.
typedef struct {
    __m512i limbs[LIMBS + 1];
} receipt_crypto_lanes;

/// The proof of eight operations: residues of their numbers, modulo the secret prime.
typedef struct {
    __m512i signature, modulus, conversion, result;
    /// The number of proven steps.
    int steps;
    /// A bit for each lane with a wrong step.
    uint8_t failures;
} receipt_crypto_lanes_proof;

/// Starts the proof of operations on these signatures, with the residues of modulus and conversion as in the keys.
void receipt_crypto_prove_lanes(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *signatures,
    const uint64_t modulus_residues[RECEIPT_CRYPTO_LANES], const uint64_t conversion_residues[RECEIPT_CRYPTO_LANES]);

/// Checks that result * R = left * right + quotient * n. The proof determines both factors itself: left is the previous
/// result, and right depends on the kind of step; see lanes_proof.c.
void receipt_crypto_prove_step(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *quotient, const receipt_crypto_lanes *result);

/// Returns a bit for each lane whose last result is proven to be s^65537 modulo n.
uint8_t receipt_crypto_proven_lanes(const receipt_crypto_lanes_proof *proof);

#endif
#endif
