// Compares the C module's modular inverse with OpenSSL's, for the orders of both curves and other odd
// numbers.
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../Sources/CReceiptCrypto/internal.h"

/// Returns a word from SplitMix64 with a fixed seed.
static uint64_t random_word(void) {
    static uint64_t state = 20261121;
    uint64_t word = state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

/// Sets a number of up to `bits` bits. Runs of zeros or ones at the ends are frequent, as an attacker would
/// choose them.
static void random_number(BIGNUM *number, int bits) {
    uint8_t bytes[64];
    for (int i = 0; i < bits / 8; i++) bytes[i] = (uint8_t)random_word();
    uint64_t form = random_word() % 4;
    int from = (int)(random_word() % (uint64_t)(bits / 8));
    for (int i = from; i < bits / 8 && form < 2; i++) bytes[i] = form == 0 ? 0 : 0xFF;
    for (int i = 0; i < from && form == 2; i++) bytes[i] = 0;
    if (BN_bin2bn(bytes, bits / 8, number) == NULL) abort();
}

/// Returns whether both give the same result for 1 / value modulo the number.
static bool agree(const BIGNUM *value, const BIGNUM *modulus, BN_CTX *numbers) {
    BN_CTX_start(numbers);
    BIGNUM *expected = BN_CTX_get(numbers), *found = BN_CTX_get(numbers), *rest = BN_CTX_get(numbers);
    if (rest == NULL || BN_copy(found, value) == NULL) abort();
    bool has_inverse = BN_mod_inverse(expected, value, modulus, numbers) != NULL && !BN_is_zero(expected);
    bool is_found = receipt_crypto_invert(found, modulus);
    bool same = has_inverse == is_found && (!is_found || BN_cmp(expected, found) == 0);
    // The result must also be the inverse.
    if (same && is_found) same = BN_mod_mul(rest, found, value, modulus, numbers) == 1 && BN_is_one(rest);
    if (!same) fprintf(stderr, "%s modulo %s\n", BN_bn2hex(value), BN_bn2hex(modulus));
    BN_CTX_end(numbers);
    return same;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 100000, done = 0;
    BN_CTX *numbers = BN_CTX_new();
    BIGNUM *value = BN_new(), *modulus = BN_new();
    const int curves[] = {NID_X9_62_prime256v1, NID_secp384r1};
    for (int curve = 0; curve < 2; curve++) {
        EC_GROUP *group = EC_GROUP_new_by_curve_name(curves[curve]);
        const BIGNUM *order = EC_GROUP_get0_order(group);
        // The smallest and largest values, each power of two and its complement.
        for (int bit = 0; bit < BN_num_bits(order); bit++) {
            BN_zero(value);
            if (BN_set_bit(value, bit) != 1) abort();
            if (BN_ucmp(value, order) < 0 && !agree(value, order, numbers)) return 1;
            if (BN_sub(value, order, value) != 1) abort();
            if (!BN_is_negative(value) && !agree(value, order, numbers)) return 1;
            done += 2;
        }
        for (int i = 0; i < rounds; i++, done++) {
            random_number(value, BN_num_bits(order));
            if (BN_ucmp(value, order) < 0 && !BN_is_zero(value) && !agree(value, order, numbers)) return 1;
        }
        EC_GROUP_free(group);
    }
    // Composite moduli of various lengths. Some values have no inverse.
    for (int i = 0; i < rounds; i++, done++) {
        int bits = 8 * (1 + (int)(random_word() % 48));
        random_number(modulus, bits);
        if (BN_set_bit(modulus, 0) != 1) abort();
        random_number(value, bits);
        if (BN_is_one(modulus) || BN_is_zero(value) || BN_ucmp(value, modulus) >= 0) continue;
        if (!agree(value, modulus, numbers)) return 1;
    }
    // Refused arguments: zero, a value that is not below the modulus, and an even or too long modulus.
    BN_zero(value);
    if (BN_set_word(modulus, 15) != 1 || receipt_crypto_invert(value, modulus)) return 1;
    if (BN_copy(value, modulus) == NULL || receipt_crypto_invert(value, modulus)) return 1;
    if (BN_set_word(value, 17) != 1 || receipt_crypto_invert(value, modulus)) return 1;
    if (BN_set_word(value, 3) != 1 || BN_set_word(modulus, 16) != 1 || receipt_crypto_invert(value, modulus)) return 1;
    if (BN_set_bit(modulus, 400) != 1 || BN_set_bit(modulus, 0) != 1 || receipt_crypto_invert(value, modulus)) return 1;
    printf("%d numbers: the same inverses as OpenSSL's\n", done);
    BN_free(value);
    BN_free(modulus);
    BN_CTX_free(numbers);
}
