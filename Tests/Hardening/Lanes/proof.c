// Checks that the proof accepts the steps of OpenSSL's arithmetic and refuses any others.

#include "harness.h"

#ifndef WITHOUT_LANES

#include <sys/wait.h>
#include <unistd.h>

/// One operation: the numbers that the arithmetic of the module would compute.
typedef struct {
    BIGNUM *s, *n, *conversion;
    /// -1 / n modulo R.
    BIGNUM *inverse;
    BIGNUM *quotients[STEPS + 1], *results[STEPS + 1];
} operation;

static BIGNUM *radix;

/// Reduces a number modulo R.
static void low(BIGNUM *number) {
    if (BN_num_bits(number) > RADIX_BITS) ENSURE(BN_mask_bits(number, RADIX_BITS) == 1);
}

/// Computes the quotient and the result of a step.
static void reduce(operation *operation, int step, const BIGNUM *left, const BIGNUM *right) {
    BIGNUM *quotient = operation->quotients[step], *result = operation->results[step], *product = BN_new();
    ENSURE(BN_mul(product, left, right, numbers) == 1 && BN_copy(quotient, product) != NULL);
    low(quotient);
    ENSURE(BN_mul(quotient, quotient, operation->inverse, numbers) == 1);
    low(quotient);
    ENSURE(BN_mul(result, quotient, operation->n, numbers) == 1 && BN_add(product, product, result) == 1);
    ENSURE(BN_rshift(result, product, RADIX_BITS) == 1);
    low(product);
    ENSURE(BN_is_zero(product));
    BN_free(product);
}

/// Computes the steps from `first` on, and one more squaring.
static void compute(operation *operation, int first) {
    for (int step = first; step <= STEPS; step++) {
        const BIGNUM *left = step == 0 ? operation->s : operation->results[step - 1];
        const BIGNUM *right = step == 0 ? operation->conversion : step == STEPS - 1 ? operation->s : left;
        reduce(operation, step, left, right);
    }
}

static operation operation_of(const BIGNUM *s, const BIGNUM *n) {
    operation made = {.s = BN_dup(s), .n = BN_dup(n), .conversion = BN_new(), .inverse = BN_new()};
    ENSURE(BN_mod_sqr(made.conversion, radix, n, numbers) == 1);
    ENSURE(BN_mod_inverse(made.inverse, n, radix, numbers) != NULL && BN_sub(made.inverse, radix, made.inverse) == 1);
    for (int i = 0; i <= STEPS; i++) ENSURE((made.quotients[i] = BN_new()) != NULL && (made.results[i] = BN_new()) != NULL);
    compute(&made, 0);
    return made;
}

static void release(operation *operation) {
    BN_free(operation->s);
    BN_free(operation->n);
    BN_free(operation->conversion);
    BN_free(operation->inverse);
    for (int i = 0; i <= STEPS; i++) {
        BN_free(operation->quotients[i]);
        BN_free(operation->results[i]);
    }
}

static void set(receipt_crypto_lanes *lanes, int lane, const BIGNUM *number) {
    uint8_t octets[RADIX_BITS / 8 + 8] = {0};
    ENSURE(BN_bn2lebinpad(number, octets, RADIX_BITS / 8) == RADIX_BITS / 8);
    for (int i = 0; i < LIMBS; i++) {
        uint64_t word = 0;
        for (int byte = 7; byte >= 0; byte--) word = word << 8 | octets[i * LIMB_BITS / 8 + byte];
        word = word >> i * LIMB_BITS % 8 & LIMB_MASK;
        memcpy((uint8_t *)&lanes->limbs[i] + lane * sizeof word, &word, sizeof word);
    }
}

/// Returns the lanes that the proof accepts after some steps.
static uint8_t prove(const operation operations[LANES], int steps) {
    receipt_crypto_lanes lanes = {0}, quotient = {0};
    uint64_t modulus_residues[LANES], conversion_residues[LANES];
    receipt_crypto_lanes_proof proof;
    for (int lane = 0; lane < LANES; lane++) {
        modulus_residues[lane] = BN_mod_word(operations[lane].n, receipt_crypto_secret_prime());
        conversion_residues[lane] = BN_mod_word(operations[lane].conversion, receipt_crypto_secret_prime());
        set(&lanes, lane, operations[lane].s);
    }
    receipt_crypto_prove_lanes(&proof, &lanes, modulus_residues, conversion_residues);
    for (int step = 0; step < steps; step++) {
        for (int lane = 0; lane < LANES; lane++) {
            set(&quotient, lane, operations[lane].quotients[step]);
            set(&lanes, lane, operations[lane].results[step]);
        }
        receipt_crypto_prove_step(&proof, &quotient, &lanes);
    }
    return receipt_crypto_proven_lanes(&proof);
}

/// Changes one bit of a limb in a quotient or a result. The steps after it are correct for the changed result. Only that
/// identity is wrong, and the proof must refuse only that lane.
static void wrong_limbs(operation operations[LANES]) {
    int lane = 0;
    for (int step = 0; step < STEPS; step++) {
        for (int place = 0; place < 2 * LIMBS; place++, lane = (lane + 1) % LANES) {
            int limb = place % LIMBS;
            bool is_result = place >= LIMBS;
            // The next result must remain below R.
            int bit = limb * LIMB_BITS + (int)(next() % (limb == LIMBS - 1 ? 16 : LIMB_BITS));
            operation *operation = &operations[lane];
            BIGNUM *number = is_result ? operation->results[step] : operation->quotients[step];
            ENSURE((BN_is_bit_set(number, bit) ? BN_clear_bit(number, bit) : BN_set_bit(number, bit)) == 1);
            if (is_result) compute(operation, step + 1);
            ENSURE(prove(operations, STEPS) == (uint8_t)~(1 << lane));
            compute(operation, step);
        }
    }
}

/// Computes a step with wrong factors, and the following ones correctly. The proof must know the right factors.
static void wrong_factors(operation operations[LANES]) {
    for (int step = 0; step < STEPS; step++) {
        for (int lane = step % LANES; lane < LANES; lane += 3) {
            operation *operation = &operations[lane];
            BIGNUM *candidates[] = {
                BN_dup(operation->s), BN_dup(operation->conversion),
                BN_dup(operation->results[step > 0 ? step - 1 : STEPS - 1]),
                BN_dup(operation->results[step > 1 ? step - 2 : STEPS - 2]), BN_new()};
            ENSURE(BN_one(candidates[4]) == 1);
            int allowed[2] = {step == 0 ? 0 : 2, step == 0 ? 1 : step == STEPS - 1 ? 0 : 2};
            for (int i = 0; i < 5; i++) {
                for (int j = i; j < 5; j++) {
                    if ((i == allowed[0] && j == allowed[1]) || (i == allowed[1] && j == allowed[0])) continue;
                    reduce(operation, step, candidates[i], candidates[j]);
                    compute(operation, step + 1);
                    ENSURE(prove(operations, STEPS) == (uint8_t)~(1 << lane));
                }
            }
            compute(operation, step);
            for (int i = 0; i < 5; i++) BN_free(candidates[i]);
        }
    }
}

/// Checks R^2 = quotient * n + conversion, and the same with other numbers.
static void keys(const BIGNUM *n) {
    BIGNUM *quotient = BN_new(), *conversion = BN_new(), *square = BN_new();
    receipt_crypto_lane_key key;
    ENSURE(BN_sqr(square, radix, numbers) == 1 && BN_div(quotient, conversion, square, n, numbers) == 1);
    ENSURE(receipt_crypto_prove_key(&key, n, quotient, conversion));
    ENSURE(key.modulus_residue == BN_mod_word(n, receipt_crypto_secret_prime()));
    ENSURE(key.conversion_residue == BN_mod_word(conversion, receipt_crypto_secret_prime()));
    ENSURE(BN_add_word(quotient, 1) == 1 && !receipt_crypto_prove_key(&key, n, quotient, conversion));
    ENSURE(BN_sub_word(quotient, 1) == 1 && BN_add_word(conversion, 1) == 1);
    ENSURE(!receipt_crypto_prove_key(&key, n, quotient, conversion));
    // The same number modulo n, but not below it.
    ENSURE(BN_sub_word(conversion, 1) == 1 && BN_add(conversion, conversion, n) == 1 && BN_sub_word(quotient, 1) == 1);
    ENSURE(receipt_crypto_prove_key(&key, n, quotient, conversion));
    ENSURE(!receipt_crypto_prove_key(&key, conversion, quotient, conversion));
    BN_free(quotient);
    BN_free(conversion);
    BN_free(square);
}

/// Draws the prime in new processes. Primes must be of 50 bits, differ, and have both values of each bit that can vary.
/// Must run before this process has a prime.
static void primes(void) {
    enum { DRAWS = 48, PRIME_BITS = 50 };
    uint64_t drawn[DRAWS], ones = 0, zeros = 0;
    for (int i = 0; i < DRAWS; i++) {
        int ends[2];
        ENSURE(pipe(ends) == 0);
        fflush(NULL);
        pid_t child = fork();
        ENSURE(child >= 0);
        if (child == 0) {
            uint64_t prime = receipt_crypto_secret_prime();
            _exit(write(ends[1], &prime, sizeof prime) == sizeof prime ? 0 : 1);
        }
        int status = 1;
        ENSURE(waitpid(child, &status, 0) == child && status == 0);
        ENSURE(read(ends[0], &drawn[i], sizeof drawn[i]) == sizeof drawn[i]);
        close(ends[0]);
        close(ends[1]);
        BIGNUM *number = BN_new();
        ENSURE(BN_set_word(number, drawn[i]) == 1 && BN_check_prime(number, numbers, NULL) == 1);
        ENSURE(BN_num_bits(number) == PRIME_BITS);
        BN_free(number);
        for (int j = 0; j < i; j++) ENSURE(drawn[j] != drawn[i]);
        ones |= drawn[i];
        zeros |= ~drawn[i];
    }
    uint64_t all = ((uint64_t)1 << PRIME_BITS) - 1, top = (uint64_t)1 << (PRIME_BITS - 1);
    ENSURE(ones == all && (zeros & all) == (all & ~(top | 1)));
}

void test_proof_without_prime(void) {
    ENSURE(receipt_crypto_secret_prime() == 0 && BN_set_bit(radix = BN_new(), RADIX_BITS) == 1);
    operation operations[LANES];
    for (int i = 0; i < LANES; i++) {
        BIGNUM *s = next_number(LANE_BITS - 1);
        operations[i] = operation_of(s, RSA_get0_n(subjects[i % subject_count].openssl));
        BN_free(s);
    }
    for (int steps = 0; steps <= STEPS + 1; steps++) ENSURE(prove(operations, steps) == 0);
    for (int i = 0; i < LANES; i++) release(&operations[i]);
    BN_free(radix);
}

void test_proof(void) {
    primes();
    ENSURE(BN_set_bit(radix = BN_new(), RADIX_BITS) == 1);
    for (int i = 0; i < subject_count; i++) keys(RSA_get0_n(subjects[i].openssl));
    operation operations[LANES];
    for (int i = 0; i < LANES; i++) {
        const BIGNUM *n = RSA_get0_n(subjects[i % subject_count].openssl);
        BIGNUM *s = next_number(LANE_BITS - 1);
        // Small and large numbers.
        if (i == 0) BN_zero(s);
        if (i == 1) ENSURE(BN_one(s) == 1);
        if (i == 2) ENSURE(BN_sub(s, n, BN_value_one()) == 1);
        operations[i] = operation_of(s, n);
        BN_free(s);
    }
    for (int steps = 0; steps <= STEPS + 1; steps++) ENSURE(prove(operations, steps) == (steps == STEPS ? 0xFF : 0));
    // Changed numbers must differ from the correct ones.
    for (int i = 0; i < 3; i++) {
        release(&operations[i]);
        BIGNUM *s = next_number(LANE_BITS - 1);
        operations[i] = operation_of(s, RSA_get0_n(subjects[i % subject_count].openssl));
        BN_free(s);
    }
    wrong_limbs(operations);
    wrong_factors(operations);
    for (int i = 0; i < LANES; i++) release(&operations[i]);
    BN_free(radix);
    printf("proof: refused every wrong step\n");
}

#else

void test_proof(void) {}

void test_proof_without_prime(void) {}

#endif
