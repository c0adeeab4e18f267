// Eight RSA signatures at once, on processors with AVX-512 IFMA.
//
// The arithmetic is our own, so it decides nothing: lanes_proof.c proves each result before it accepts a signature.
// OpenSSL checks every signature that is not accepted. All numbers are public, except for the prime of the proof, on
// which nothing in this file depends.

#include "lanes.h"

#include <stdlib.h>

#if defined(__x86_64__)

enum { OCTETS = LANE_BITS / 8 };

// MARK: - Keys

/// Splits a big-endian number into limbs.
static void split(const uint8_t octets[OCTETS], uint64_t limbs[LIMBS]) {
    // Eight octets include any limb, which starts at the first or at the fifth bit of an octet.
    uint8_t padded[8 + OCTETS] = {0};
    memcpy(padded + 8, octets, OCTETS);
    for (int i = 0; i < LIMBS; i++) {
        int bit = i * LIMB_BITS;
        uint64_t word;
        memcpy(&word, padded + OCTETS - bit / 8, sizeof word);
        limbs[i] = __builtin_bswap64(word) >> bit % 8 & LIMB_MASK;
    }
}

static bool fill(receipt_crypto_lane_key *lane_key, const receipt_crypto_key *key, BN_CTX *numbers) {
    uint8_t octets[OCTETS];
    BIGNUM *dividend = BN_CTX_get(numbers), *quotient = BN_CTX_get(numbers), *conversion = BN_CTX_get(numbers);
    if (conversion == NULL || BN_lshift(dividend, BN_value_one(), 2 * RADIX_BITS) != 1
        || BN_div(quotient, conversion, dividend, key->modulus, numbers) != 1
        || BN_bn2binpad(conversion, octets, OCTETS) != OCTETS
        || BN_bn2binpad(key->modulus, lane_key->modulus, OCTETS) != OCTETS)
        return false;
    split(octets, lane_key->conversion_limbs);
    split(lane_key->modulus, lane_key->modulus_limbs);
    lane_key->inverse = receipt_crypto_negative_inverse(lane_key->modulus_limbs[0]);
    return receipt_crypto_prove_key(lane_key, key->modulus, quotient, conversion);
}

static bool is_lane_key(const receipt_crypto_key *key) {
    return receipt_crypto_key_is_rsa(key) && BN_num_bits(key->modulus) == LANE_BITS && BN_is_odd(key->modulus)
        && BN_is_word(key->exponent, 65537);
}

const receipt_crypto_lane_key *receipt_crypto_lane_key_of(receipt_crypto_key *key) {
    receipt_crypto_lane_key *lane_key = atomic_load(&key->lane_key), *none = NULL;
    if (lane_key != NULL || !is_lane_key(key)) return lane_key;
    lane_key = malloc(sizeof *lane_key);
    BN_CTX *numbers = lane_key != NULL ? receipt_crypto_borrow_numbers(key->context) : NULL;
    bool is_filled = numbers != NULL && fill(lane_key, key, numbers);
    receipt_crypto_give_back_numbers(key->context, numbers);
    // Another thread may have been first.
    if (is_filled && atomic_compare_exchange_strong(&key->lane_key, &none, lane_key)) return lane_key;
    free(lane_key);
    return none;
}

// MARK: - Arithmetic

/// Sums of lower and upper halves of products, for a column and the next one.
typedef struct {
    __m512i low, high, next_low, next_high;
} halves;

LANES_INLINE void add_limb(halves *sums, __m512i limb, __m512i factor, __m512i next_factor) {
    sums->low = _mm512_madd52lo_epu64(sums->low, limb, factor);
    sums->high = _mm512_madd52hi_epu64(sums->high, limb, factor);
    sums->next_low = _mm512_madd52lo_epu64(sums->next_low, limb, next_factor);
    sums->next_high = _mm512_madd52hi_epu64(sums->next_high, limb, next_factor);
}

/// Adds x[i] * y[column - i] to a column, and x[i] * y[column + 1 - i] to the next one, for i from `first` up to, but not
/// including, `last`. The upper halves of the products go to the columns after them. Every second limb has its own sums,
/// because the processor can add to eight sums in the time that one addition takes.
LANES_INLINE void add_products(
    __m512i sums[3], const receipt_crypto_lanes *x, const receipt_crypto_lanes *y, int column, int first, int last) {
    __m512i zero = _mm512_setzero_si512();
    halves even = {zero, zero, zero, zero}, odd = even;
    const __m512i *limbs = x->limbs, *factors = y->limbs;
    int i = first;
    for (; i < last - 1; i += 2) {
        add_limb(&even, limbs[i], factors[column - i], factors[column - i + 1]);
        add_limb(&odd, limbs[i + 1], factors[column - i - 1], factors[column - i]);
    }
    if (i < last) add_limb(&even, limbs[i], factors[column - i], factors[column - i + 1]);
    __m512i middle = _mm512_add_epi64(_mm512_add_epi64(even.high, odd.high), _mm512_add_epi64(even.next_low, odd.next_low));
    sums[0] = _mm512_add_epi64(sums[0], _mm512_add_epi64(even.low, odd.low));
    sums[1] = _mm512_add_epi64(sums[1], middle);
    sums[2] = _mm512_add_epi64(sums[2], _mm512_add_epi64(even.next_high, odd.next_high));
}

/// Adds one product to columns[0] and its upper half to columns[1].
LANES_INLINE void add_product(__m512i columns[2], __m512i x, __m512i y) {
    columns[0] = _mm512_madd52lo_epu64(columns[0], x, y);
    columns[1] = _mm512_madd52hi_epu64(columns[1], x, y);
}

/// The columns of a product before carries. A column has at most 80 halves of products, so it is below 2^59.
typedef struct {
    __m512i columns[2 * LIMBS + 1];
} product;

LANES_CODE static void multiply(product *z, const receipt_crypto_lanes *x, const receipt_crypto_lanes *y) {
    z->columns[0] = _mm512_setzero_si512();
    for (int column = 0; column < 2 * LIMBS; column += 2) {
        __m512i sums[3] = {z->columns[column], _mm512_setzero_si512(), _mm512_setzero_si512()};
        bool is_lower = column < LIMBS;
        add_products(sums, x, y, column, is_lower ? 0 : column - LIMBS + 1, is_lower ? column + 1 : LIMBS);
        if (is_lower) add_product(&sums[1], x->limbs[column + 1], y->limbs[0]);
        memcpy(&z->columns[column], sums, sizeof sums);
    }
}

/// Computes every product of two different limbs once, and doubles it.
LANES_CODE static void square(product *z, const receipt_crypto_lanes *x) {
    z->columns[0] = _mm512_setzero_si512();
    for (int column = 0; column < 2 * LIMBS; column += 2) {
        int middle = column / 2;
        __m512i sums[3] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
        add_products(sums, x, x, column, column < LIMBS ? 0 : column - LIMBS + 1, middle);
        add_product(&sums[1], x->limbs[middle], x->limbs[middle + 1]);
        for (int i = 0; i < 3; i++) sums[i] = _mm512_add_epi64(sums[i], sums[i]);
        sums[0] = _mm512_add_epi64(sums[0], z->columns[column]);
        add_product(sums, x->limbs[middle], x->limbs[middle]);
        memcpy(&z->columns[column], sums, sizeof sums);
    }
}

/// Computes the quotient and result of result * R = z + quotient * n (Montgomery, "Modular multiplication without trial
/// division", 1985). If z is below 4 n^2, the result is below 2 n, because R is above 4 n.
LANES_CODE static void reduce(
    receipt_crypto_lanes *result, receipt_crypto_lanes *quotient, const product *z, const receipt_crypto_lanes *n,
    __m512i inverse) {
    __m512i zero = _mm512_setzero_si512(), mask = _mm512_set1_epi64(LIMB_MASK), carry = zero;
    // The lower columns determine the quotient, which makes them 0.
    for (int column = 0; column < LIMBS; column += 2) {
        __m512i sums[3] = {_mm512_add_epi64(z->columns[column], carry), z->columns[column + 1], zero};
        add_products(sums, quotient, n, column, 0, column);
        __m512i digit = _mm512_madd52lo_epu64(zero, sums[0], inverse);
        add_product(sums, digit, n->limbs[0]);
        add_product(&sums[1], digit, n->limbs[1]);
        sums[1] = _mm512_add_epi64(sums[1], _mm512_srli_epi64(sums[0], LIMB_BITS));
        __m512i next_digit = _mm512_madd52lo_epu64(zero, sums[1], inverse);
        add_product(&sums[1], next_digit, n->limbs[0]);
        carry = _mm512_add_epi64(sums[2], _mm512_srli_epi64(sums[1], LIMB_BITS));
        quotient->limbs[column] = digit;
        quotient->limbs[column + 1] = next_digit;
    }
    for (int column = LIMBS; column < 2 * LIMBS; column += 2) {
        __m512i sums[3] = {_mm512_add_epi64(z->columns[column], carry), z->columns[column + 1], zero};
        add_products(sums, quotient, n, column, column - LIMBS + 1, LIMBS);
        sums[1] = _mm512_add_epi64(sums[1], _mm512_srli_epi64(sums[0], LIMB_BITS));
        carry = _mm512_add_epi64(sums[2], _mm512_srli_epi64(sums[1], LIMB_BITS));
        result->limbs[column - LIMBS] = _mm512_and_si512(sums[0], mask);
        result->limbs[column - LIMBS + 1] = _mm512_and_si512(sums[1], mask);
    }
}

/// Computes s^65537 in every lane, and proves each step. The last multiplication is by s itself, not by its Montgomery
/// form, so that it also converts the result from that form.
LANES_CODE static void exponentiate(
    receipt_crypto_lanes *x, receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *s,
    const receipt_crypto_lanes *conversion, const receipt_crypto_lanes *n, __m512i inverse) {
    product z;
    receipt_crypto_lanes quotient;
    for (int step = 0; step < STEPS; step++) {
        if (step == 0)
            multiply(&z, s, conversion);
        else if (step <= SQUARINGS)
            square(&z, x);
        else
            multiply(&z, x, s);
        reduce(x, &quotient, &z, n, inverse);
        receipt_crypto_prove_step(proof, &quotient, x);
    }
}

// MARK: - Signatures

bool receipt_crypto_has_lanes(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma")
        && receipt_crypto_secret_prime() != 0;
}

bool receipt_crypto_chain_has_lanes(const receipt_crypto_chain *chain) {
    return is_lane_key(chain->signer_key) && receipt_crypto_has_lanes();
}

/// The inputs and outputs of the lanes. Unused lanes are 0.
typedef struct {
    receipt_crypto_lanes s, n, conversion, result;
    uint64_t inverses[RECEIPT_CRYPTO_LANES], modulus_residues[RECEIPT_CRYPTO_LANES],
        conversion_residues[RECEIPT_CRYPTO_LANES];
    uint64_t expected[RECEIPT_CRYPTO_LANES][LIMBS];
    receipt_crypto_rsa_check *checks[RECEIPT_CRYPTO_LANES];
    int count;
} batch;

static void set(receipt_crypto_lanes *lanes, int lane, const uint64_t limbs[LIMBS]) {
    for (int i = 0; i < LIMBS; i++) memcpy((uint8_t *)&lanes->limbs[i] + lane * sizeof *limbs, &limbs[i], sizeof *limbs);
}

/// Adds a signature of the right form whose number is below n (RFC 8017, 8.2.2, step 1, and 5.2.2). Others are left to
/// OpenSSL.
static void add(batch *batch, receipt_crypto_rsa_check *check) {
    uint8_t message[OCTETS];
    uint64_t s[LIMBS];
    const receipt_crypto_lane_key *key = receipt_crypto_lane_key_of(check->chain->signer_key);
    if (key == NULL || check->signature.count != OCTETS || memcmp(check->signature.bytes, key->modulus, OCTETS) >= 0
        || !receipt_crypto_encode_message(check->algorithm, &check->digest, message, OCTETS))
        return;
    int lane = batch->count++;
    batch->checks[lane] = check;
    split(check->signature.bytes, s);
    split(message, batch->expected[lane]);
    set(&batch->s, lane, s);
    set(&batch->n, lane, key->modulus_limbs);
    set(&batch->conversion, lane, key->conversion_limbs);
    batch->inverses[lane] = key->inverse;
    batch->modulus_residues[lane] = key->modulus_residue;
    batch->conversion_residues[lane] = key->conversion_residue;
}

/// Accepts the signatures whose results are proven and equal to their messages.
LANES_CODE static void run(batch *batch) {
    receipt_crypto_lanes_proof proof;
    receipt_crypto_prove_lanes(&proof, &batch->s, batch->modulus_residues, batch->conversion_residues);
    exponentiate(
        &batch->result, &proof, &batch->s, &batch->conversion, &batch->n, _mm512_loadu_si512(batch->inverses));
    uint8_t proven = receipt_crypto_proven_lanes(&proof);
    for (int lane = 0; lane < batch->count; lane++) {
        // The result may exceed n, but by less than 2 n^2 / R, so by less than 2^2017. The message is above 2^2032, so a
        // result of n plus the message cannot occur.
        uint64_t difference = 0;
        for (int i = 0; i < LIMBS; i++) {
            uint64_t limb;
            memcpy(&limb, (const uint8_t *)&batch->result.limbs[i] + lane * sizeof limb, sizeof limb);
            difference |= limb ^ batch->expected[lane][i];
        }
        batch->checks[lane]->is_accepted = (proven >> lane & 1) != 0 && difference == 0;
    }
}

void receipt_crypto_accept_rsa(receipt_crypto_rsa_check *checks, size_t count) {
    bool has_lanes = receipt_crypto_has_lanes();
    batch batch = {0};
    ERR_set_mark();
    for (size_t i = 0; i < count; i++) {
        checks[i].is_accepted = false;
        if (has_lanes && i < RECEIPT_CRYPTO_LANES) add(&batch, &checks[i]);
    }
    if (batch.count > 0) run(&batch);
    ERR_pop_to_mark();
}

#else

bool receipt_crypto_has_lanes(void) { return false; }

bool receipt_crypto_chain_has_lanes(const receipt_crypto_chain *chain) {
    (void)chain;
    return false;
}

void receipt_crypto_accept_rsa(receipt_crypto_rsa_check *checks, size_t count) {
    for (size_t i = 0; i < count; i++) checks[i].is_accepted = false;
}

#endif
