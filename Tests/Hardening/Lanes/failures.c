// Checks the module without randomness, and with failing calls while it prepares a key. The linker redirects the calls
// of this harness and of the module to the wrappers in this file (--wrap).

#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

/// A call that fails as it would in OpenSSL or in the system, or that has a wrong result.
typedef enum { NONE, FAILURE, WRONG_RESULT } fault_kind;

static struct {
    fault_kind kind;
    /// The number of calls up to the fault, or 0 after it.
    int calls;
    /// Whether every number that OpenSSL lends is NULL, which it is after the first one.
    bool has_no_numbers;
} fault;

static bool is_due(fault_kind kind) { return fault.kind == kind && fault.calls > 0 && --fault.calls == 0; }

/// A function that can only fail.
#define WRAP(type, name, parameters, arguments, failure) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { return is_due(FAILURE) ? (failure) : __real_##name arguments; }

/// A function that can also have a wrong result.
#define WRAP_RESULT(type, name, parameters, arguments, failure, change) \
    type __real_##name parameters; \
    type __wrap_##name parameters; \
    type __wrap_##name parameters { \
        if (is_due(FAILURE)) return failure; \
        type result = __real_##name arguments; \
        if (is_due(WRONG_RESULT)) change; \
        return result; \
    }

WRAP(void *, malloc, (size_t count), (count), NULL)
WRAP(BN_CTX *, BN_CTX_new_ex, (OSSL_LIB_CTX * c), (c), NULL)
WRAP(int, BN_bn2binpad, (const BIGNUM *a, unsigned char *t, int n), (a, t, n), -1)
WRAP_RESULT(int, BN_lshift, (BIGNUM * r, const BIGNUM *a, int n), (r, a, n), 0, BN_add_word(r, 1))
WRAP_RESULT(int, BN_div, (BIGNUM * q, BIGNUM *r, const BIGNUM *a, const BIGNUM *n, BN_CTX *c), (q, r, a, n, c), 0,
    BN_add_word(r, 1))
WRAP_RESULT(BN_ULONG, BN_mod_word, (const BIGNUM *a, BN_ULONG w), (a, w), (BN_ULONG)-1, result++)

BIGNUM *__real_BN_CTX_get(BN_CTX *c);
BIGNUM *__wrap_BN_CTX_get(BN_CTX *c);
BIGNUM *__wrap_BN_CTX_get(BN_CTX *c) {
    if (is_due(FAILURE)) fault.has_no_numbers = true;
    return fault.has_no_numbers ? NULL : __real_BN_CTX_get(c);
}

/// Whether the system has no randomness. Calls then leave a number in the buffer, from which the module would make a
/// prime.
static bool has_no_randomness;

int __real_getentropy(void *buffer, size_t count);
int __wrap_getentropy(void *buffer, size_t count);
int __wrap_getentropy(void *buffer, size_t count) {
    if (!has_no_randomness) return __real_getentropy(buffer, count);
    uint64_t number = (uint64_t)1125899906842597 << 14;
    memcpy(buffer, &number, count < sizeof number ? count : sizeof number);
    return -1;
}

void test_without_randomness(void) {
    enum { CHECKS = LANES + 1, SECONDS = 60 };
    signature genuine[CHECKS];
    receipt_crypto_rsa_check checks[CHECKS];
    for (int i = 0; i < CHECKS; i++) genuine[i] = sign(&subjects[i % subject_count], 1, NULL);
    fflush(NULL);
    pid_t child = fork();
    ENSURE(child >= 0);
    if (child == 0) {
        has_no_randomness = true;
        alarm(SECONDS);
        for (size_t count = 1; count <= CHECKS; count++) {
            for (size_t i = 0; i < count; i++) checks[i] = check_of(&genuine[i]);
            receipt_crypto_accept_rsa(checks, count);
            for (size_t i = 0; i < count; i++) ENSURE(!checks[i].is_accepted);
        }
        ENSURE(!receipt_crypto_has_lanes());
        for (int i = 0; i < subject_count; i++) {
            ENSURE(!receipt_crypto_chain_has_lanes(&subjects[i].chain));
            ENSURE(atomic_load(&subjects[i].chain.signer_key->lane_key) == NULL);
        }
        test_proof_without_prime();
        // Randomness that arrives later changes nothing.
        has_no_randomness = false;
        ENSURE(!receipt_crypto_has_lanes());
        _exit(0);
    }
    int status = 1;
    ENSURE(waitpid(child, &status, 0) == child && status == 0);
}

#ifndef WITHOUT_LANES

/// Selects the fault for the following calls. Without pooled numbers, the module must also create them.
static void arm(fault_kind kind, int call) {
    BN_CTX *pooled;
    while ((pooled = receipt_crypto_borrow(&context->numbers)) != NULL) BN_CTX_free(pooled);
    fault.calls = call;
    fault.kind = kind;
}

/// Ends the fault. Returns whether the selected call took place.
static bool disarm(void) {
    bool took_place = fault.calls == 0;
    fault.kind = NONE;
    fault.has_no_numbers = false;
    return took_place;
}

/// Checks that a key is not kept unless all its numbers are known and proven.
void test_failures(void) {
    signature genuine = sign(&subjects[0], 1, NULL);
    for (fault_kind kind = FAILURE; kind <= WRONG_RESULT; kind++) {
        bool took_place = true;
        int call = 0;
        while (took_place) {
            call++;
            subject copy = copy_of(&subjects[0]), other = copy_of(&subjects[0]);
            receipt_crypto_key *key = copy.chain.signer_key, *other_key = other.chain.signer_key;
            arm(kind, call);
            const receipt_crypto_lane_key *lane_key = receipt_crypto_lane_key_of(key);
            took_place = disarm();
            ENSURE(!(lane_key != NULL && took_place) && atomic_load(&key->lane_key) == lane_key);
            genuine.subject = &other;
            receipt_crypto_rsa_check check = check_of(&genuine);
            arm(kind, call);
            receipt_crypto_accept_rsa(&check, 1);
            ENSURE(disarm() == took_place && !(check.is_accepted && took_place));
            ENSURE(!(atomic_load(&other_key->lane_key) != NULL && took_place));
            if (check.is_accepted == took_place) disagreements++;
            // The next attempt succeeds.
            receipt_crypto_accept_rsa(&check, 1);
            if (!check.is_accepted || receipt_crypto_lane_key_of(key) == NULL) disagreements++;
            receipt_crypto_key_free(key);
            receipt_crypto_key_free(other_key);
        }
        // The calls of the wrapped functions.
        ENSURE(call - 1 == (kind == FAILURE ? 12 : 5));
    }
    printf("failures: kept no key\n");
}

/// The operations whose proofs began.
static int operations;

void __real_receipt_crypto_prove_lanes(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *signatures, const uint64_t modulus_residues[LANES],
    const uint64_t conversion_residues[LANES]);
void __wrap_receipt_crypto_prove_lanes(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *signatures, const uint64_t modulus_residues[LANES],
    const uint64_t conversion_residues[LANES]);
void __wrap_receipt_crypto_prove_lanes(
    receipt_crypto_lanes_proof *proof, const receipt_crypto_lanes *signatures, const uint64_t modulus_residues[LANES],
    const uint64_t conversion_residues[LANES]) {
    operations++;
    __real_receipt_crypto_prove_lanes(proof, signatures, modulus_residues, conversion_residues);
}

bool is_computed(const signature *signature) {
    receipt_crypto_rsa_check check = check_of(signature);
    int before = operations;
    receipt_crypto_accept_rsa(&check, 1);
    return operations != before;
}

#else

void test_failures(void) {}

bool is_computed(const signature *signature) {
    (void)signature;
    return false;
}

#endif
