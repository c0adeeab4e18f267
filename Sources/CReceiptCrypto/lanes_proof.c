// The proof of eight RSA operations.
//
// Each step of lanes.c has two factors, left and right, and yields a quotient and a result. Over the integers,
//
//     result * R = left * right + quotient * n.
//
// The two factors are:
// - in the first step: s and R^2 mod n
// - in each of the next 16 steps: the previous result, as both factors
// - in the last step: the previous result and s
//
// If all identities hold, the last result is congruent to s^65537 modulo n, because R has an inverse modulo n. How the
// quotients and the results were computed does not matter.
//
// This file checks the identities modulo a secret prime: one of the 16,388,947,026,629 primes between 2^49 and 2^50, each
// with the same probability. The arithmetic does not depend on the prime. All numbers have 40 limbs of 52 bits, so the
// two sides of a wrong identity differ by less than 2^4161. At most 84 of these primes divide the difference. The
// probability that a fixed wrong operation passes is at most 84 / 16,388,947,026,629, which is below 2^-37.
//
// R^2 mod n is proven in the same way, once for each key, from OpenSSL's quotient R^2 / n.
//
// The proof rests on this file, on OpenSSL's residues of the key's numbers, and on the secrecy of the prime. An attacker
// who knows it could search for an input with a wrong result that passes. In lanes.c, each lane must have the residues
// of its signature's key, and its result must be compared with its signature's encoded message. If lanes.c
// misread s, the proof would hold for the number that it read, and that number would be a valid signature of the message.

#if defined(__APPLE__)
#include <sys/random.h>
#else
#include <unistd.h>
#endif

#include "lanes.h"

#include <pthread.h>

#if defined(__x86_64__)

enum { PRIME_BITS = 50 };

typedef unsigned __int128 wide;

/// The secret prime p and numbers that depend only on it.
static struct {
    uint64_t prime;
    /// -1 / p modulo 2^LIMB_BITS.
    uint64_t inverse;
    /// 2^((i + 2) * LIMB_BITS) modulo p.
    uint64_t powers[LIMBS];
    /// -R modulo p.
    uint64_t negative_radix;
} secret;

// MARK: - The secret prime

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result = (uint64_t)((wide)result * base % modulus);
        base = (uint64_t)((wide)base * base % modulus);
    }
    return result;
}

/// Runs Miller and Rabin's test with the first nine primes. It is exact for odd numbers from 25 to 3.8 * 10^18 (Jiang
/// and Deng, "Strong pseudoprimes to the first eight prime bases", 2014).
static bool is_prime(uint64_t number) {
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23};
    int twos = __builtin_ctzll(number - 1);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        uint64_t value = power(bases[i], (number - 1) >> twos, number);
        bool passes = value == 1;
        for (int j = 0; j < twos && !passes; j++) {
            passes = value == number - 1;
            value = (uint64_t)((wide)value * value % number);
        }
        if (!passes) return false;
    }
    return true;
}

/// Draws the prime from the kernel's generator. Does not use OpenSSL's generator, because a host can replace it
/// (RAND_METHOD), or can replace the ciphers of its provider with an engine.
static void draw(void) {
    uint64_t candidate;
    // Takes about 17 attempts.
    do {
        if (getentropy(&candidate, sizeof candidate) != 0) return;
        candidate = (candidate >> (64 - PRIME_BITS)) | (uint64_t)1 << (PRIME_BITS - 1) | 1;
    } while (!is_prime(candidate));
    secret.inverse = receipt_crypto_negative_inverse(candidate);
    uint64_t power = 1;
    for (int i = 0; i < LIMBS + 2; i++) {
        if (i >= 2) secret.powers[i - 2] = power;
        if (i == LIMBS) secret.negative_radix = candidate - power;
        power = (uint64_t)((wide)power * ((uint64_t)1 << LIMB_BITS) % candidate);
    }
    secret.prime = candidate;
}

uint64_t receipt_crypto_secret_prime(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw);
    return secret.prime;
}

bool receipt_crypto_prove_key(
    receipt_crypto_lane_key *key, const BIGNUM *modulus, const BIGNUM *quotient, const BIGNUM *conversion) {
    uint64_t prime = receipt_crypto_secret_prime();
    if (prime == 0) return false;
    uint64_t quotient_residue = BN_mod_word(quotient, prime);
    key->modulus_residue = BN_mod_word(modulus, prime);
    key->conversion_residue = BN_mod_word(conversion, prime);
    // BN_mod_word returns 2^64 - 1 if it fails. The identity does not hold with that value, either.
    wide square = (wide)secret.negative_radix * secret.negative_radix % prime;
    return square == ((wide)quotient_residue * key->modulus_residue + key->conversion_residue) % prime;
}

// MARK: - Residues

/// Returns a number that is congruent to (high * 2^52 + low) / 2^52 modulo p and at most high + p + low / 2^52.
/// - high, low: numbers below 2^62.
LANES_INLINE __m512i divided(__m512i low, __m512i high) {
    __m512i prime = _mm512_set1_epi64((int64_t)secret.prime), inverse = _mm512_set1_epi64((int64_t)secret.inverse);
    // low + multiple * p is divisible by 2^52.
    __m512i multiple = _mm512_madd52lo_epu64(_mm512_setzero_si512(), low, inverse);
    return _mm512_add_epi64(
        _mm512_madd52hi_epu64(high, multiple, prime),
        _mm512_srli_epi64(_mm512_madd52lo_epu64(low, multiple, prime), LIMB_BITS));
}

/// Returns numbers up to p + 2^5 that are congruent to the lanes modulo p. Uses only the lower 52 bits of each limb, as
/// the arithmetic does.
LANES_INLINE __m512i residue(const receipt_crypto_lanes *lanes) {
    __m512i low = _mm512_setzero_si512(), high = low, odd_low = low, odd_high = low;
    for (int i = 0; i < LIMBS; i += 2) {
        __m512i power = _mm512_set1_epi64((int64_t)secret.powers[i]);
        __m512i odd_power = _mm512_set1_epi64((int64_t)secret.powers[i + 1]);
        low = _mm512_madd52lo_epu64(low, lanes->limbs[i], power);
        high = _mm512_madd52hi_epu64(high, lanes->limbs[i], power);
        odd_low = _mm512_madd52lo_epu64(odd_low, lanes->limbs[i + 1], odd_power);
        odd_high = _mm512_madd52hi_epu64(odd_high, lanes->limbs[i + 1], odd_power);
    }
    // The sum of 40 lower halves is below 2^58. The sum of 40 upper halves is below 2^56, because the powers are below
    // 2^50. So the first quotient is below 2^57, and the second is at most p + 2^5. The powers include the two divisors.
    low = divided(_mm512_add_epi64(low, odd_low), _mm512_add_epi64(high, odd_high));
    return divided(low, _mm512_setzero_si512());
}

// MARK: - Steps

LANES_CODE void receipt_crypto_prove_lanes(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *signatures,
    const uint64_t modulus_residues[RECEIPT_CRYPTO_LANES], const uint64_t conversion_residues[RECEIPT_CRYPTO_LANES]) {
    proof->signature = proof->result = residue(signatures);
    proof->modulus = _mm512_loadu_si512(modulus_residues);
    proof->conversion = _mm512_loadu_si512(conversion_residues);
    proof->steps = 0;
    proof->failures = 0;
}

LANES_CODE void receipt_crypto_prove_step(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *quotient, const receipt_crypto_lanes *result) {
    __m512i left = proof->result, right = left;
    if (proof->steps == 0) right = proof->conversion;
    if (proof->steps == STEPS - 1) right = proof->signature;
    proof->steps++;
    proof->result = residue(result);
    // left * right + quotient * n - result * R must be 0 modulo p. All factors are at most p + 2^5, so the sum of the three
    // upper halves is below 0.76 p. Then the difference is below 2 p, and a multiple of p only if it is 0 or p.
    __m512i factors[][2] = {
        {left, right},
        {residue(quotient), proof->modulus},
        {proof->result, _mm512_set1_epi64((int64_t)secret.negative_radix)},
    };
    __m512i zero = _mm512_setzero_si512(), low = zero, high = zero;
    for (int i = 0; i < 3; i++) {
        low = _mm512_madd52lo_epu64(low, factors[i][0], factors[i][1]);
        high = _mm512_madd52hi_epu64(high, factors[i][0], factors[i][1]);
    }
    __m512i difference = divided(low, high);
    proof->failures |= _mm512_cmpneq_epi64_mask(difference, zero)
        & _mm512_cmpneq_epi64_mask(difference, _mm512_set1_epi64((int64_t)secret.prime));
}

uint8_t receipt_crypto_proven_lanes(const receipt_crypto_lanes_proof *proof) {
    return secret.prime != 0 && proof->steps == STEPS ? (uint8_t)~proof->failures : 0;
}

#endif
