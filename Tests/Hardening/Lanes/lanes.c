// Compares the C module's checks of several RSA signatures at once with its single checks and with OpenSSL's RSA_verify.
// Without fallback, the lanes must accept exactly the valid signatures of suitable keys.
//
// Arguments: the number of random signatures, then files of vectors. With `blind`, see blind().

#include "harness.h"

#include <limits.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <time.h>

receipt_crypto_context *context;
BN_CTX *numbers;

enum { RANDOM_KEYS = 20, THREADS = 4 };
subject subjects[RANDOM_KEYS + 2];
int subject_count;

/// Keys that the lanes do not check: 3,072 and 4,096 bits, 2,056 bits, exponents of 3 and 65,539, and P-256.
static subject others[6];
enum { OTHERS = sizeof others / sizeof *others, ELLIPTIC = OTHERS - 1 };

static bool has_lanes;
static long valid, invalid;
atomic_long disagreements;

// MARK: - Numbers and keys

static uint64_t state = 1;

uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

BIGNUM *next_number(int bits) {
    uint8_t bytes[1024];
    int count = (bits + 7) / 8;
    for (int i = 0; i < count; i++) bytes[i] = (uint8_t)next();
    BIGNUM *number = BN_bin2bn(bytes, count, NULL);
    ENSURE(number != NULL);
    if (BN_num_bits(number) > bits) ENSURE(BN_mask_bits(number, bits) == 1);
    return number;
}

/// The exponents for which crafted() needs roots.
static const BN_ULONG exponents[] = {65537, 3, 32769, 131073, 65535, 65539, 257};
enum { EXPONENTS = sizeof exponents / sizeof *exponents };

/// Moves a number up or down to the next prime p such that p - 1 has no common divisor with any exponent.
static void move_to_prime(BIGNUM *number, bool is_up) {
    ENSURE(BN_set_bit(number, 0) == 1);
    for (;;) {
        bool fits = true;
        for (int i = 0; i < EXPONENTS; i++) {
            for (BN_ULONG divisor = 3, rest = exponents[i]; rest > 1; divisor += 2) {
                if (divisor * divisor > rest) divisor = rest;
                if (rest % divisor != 0) continue;
                rest /= divisor;
                fits = fits && BN_mod_word(number, divisor) != 1;
                divisor -= 2;
            }
        }
        if (fits && BN_check_prime(number, numbers, NULL) == 1) return;
        ENSURE((is_up ? BN_add_word(number, 2) : BN_sub_word(number, 2)) == 1);
    }
}

static receipt_crypto_key *key_of(uint8_t *info, int count) {
    receipt_crypto_key *key = NULL;
    ENSURE(count > 0);
    ENSURE(receipt_crypto_key_new(context, (receipt_crypto_slice){info, (size_t)count}, 2048, &key) == RECEIPT_CRYPTO_OK);
    return key;
}

/// A random modulus, or the smallest or largest of its size for a random factor.
typedef enum { RANDOM, SMALLEST, LARGEST } extreme;

static subject subject_of(int bits, BN_ULONG exponent, extreme extreme) {
    BIGNUM *p = next_number(bits / 2), *q = next_number(bits / 2), *n = BN_new(), *limit = BN_new(), *e = BN_new();
    ENSURE(BN_set_bit(p, bits / 2 - 1) == 1 && BN_set_bit(p, bits / 2 - 2) == 1);
    ENSURE(BN_set_bit(q, bits / 2 - 1) == 1 && BN_set_bit(q, bits / 2 - 2) == 1);
    move_to_prime(p, true);
    if (extreme != RANDOM) {
        ENSURE(BN_set_bit(limit, extreme == SMALLEST ? bits - 1 : bits) == 1);
        ENSURE(BN_div(q, NULL, limit, p, numbers) == 1);
        if (extreme == SMALLEST) ENSURE(BN_add_word(q, 1) == 1);
        if (extreme == LARGEST) ENSURE(BN_sub_word(q, 1) == 1);
    }
    move_to_prime(q, extreme != LARGEST);
    ENSURE(BN_mul(n, p, q, numbers) == 1 && BN_num_bits(n) == bits && BN_set_word(e, exponent) == 1);
    subject made = {.openssl = RSA_new(), .order = BN_new()};
    BIGNUM *p_1 = BN_dup(p), *q_1 = BN_dup(q), *d = BN_new(), *dp = BN_new(), *dq = BN_new(), *inverse = BN_new();
    ENSURE(BN_sub_word(p_1, 1) == 1 && BN_sub_word(q_1, 1) == 1 && BN_mul(made.order, p_1, q_1, numbers) == 1);
    ENSURE(BN_mod_inverse(d, e, made.order, numbers) != NULL && BN_mod(dp, d, p_1, numbers) == 1);
    ENSURE(BN_mod(dq, d, q_1, numbers) == 1 && BN_mod_inverse(inverse, q, p, numbers) != NULL);
    ENSURE(RSA_set0_key(made.openssl, n, e, d) == 1 && RSA_set0_factors(made.openssl, p, q) == 1);
    ENSURE(RSA_set0_crt_params(made.openssl, dp, dq, inverse) == 1);
    RSA_set_flags(made.openssl, RSA_FLAG_NO_BLINDING);
    BN_free(p_1);
    BN_free(q_1);
    BN_free(limit);
    uint8_t *info = NULL;
    int count = i2d_RSA_PUBKEY(made.openssl, &info);
    made.chain = (receipt_crypto_chain){.context = context, .signer_key = key_of(info, count)};
    OPENSSL_free(info);
    return made;
}

subject copy_of(const subject *original) {
    subject made = *original;
    uint8_t *info = NULL;
    int count = i2d_RSA_PUBKEY(made.openssl, &info);
    made.chain.signer_key = key_of(info, count);
    OPENSSL_free(info);
    return made;
}

static subject elliptic(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    ENSURE(EC_KEY_generate_key(key) == 1);
    uint8_t *info = NULL;
    int count = i2d_EC_PUBKEY(key, &info);
    subject made = {.chain = {.context = context, .signer_key = key_of(info, count)}};
    OPENSSL_free(info);
    EC_KEY_free(key);
    return made;
}

static void release(subject *subject) {
    receipt_crypto_key_free(subject->chain.signer_key);
    RSA_free(subject->openssl);
    BN_free(subject->order);
}

// MARK: - Signatures

static const struct {
    receipt_crypto_digest_algorithm algorithm;
    int nid;
    size_t count;
} digests[] = {
    {RECEIPT_CRYPTO_SHA1, NID_sha1, 20},
    {RECEIPT_CRYPTO_SHA256, NID_sha256, 32},
    {RECEIPT_CRYPTO_SHA384, NID_sha384, 48},
    {RECEIPT_CRYPTO_SHA512, NID_sha512, 64},
};
enum { DIGESTS = sizeof digests / sizeof *digests };

/// Returns the result of the private-key operation.
static signature sign_encoded(const subject *subject, const uint8_t *encoded, int digest, const uint8_t *hash) {
    signature made = {.subject = subject, .digest = digest, .hash_count = digests[digest].count};
    made.count = (size_t)RSA_size(subject->openssl);
    memcpy(made.hash, hash, made.hash_count);
    ENSURE(RSA_private_encrypt((int)made.count, encoded, made.bytes, subject->openssl, RSA_NO_PADDING) == (int)made.count);
    return made;
}

signature sign(const subject *subject, int digest, uint8_t encoded[2 * SIZE]) {
    signature made = {.subject = subject, .digest = digest, .hash_count = digests[digest].count};
    unsigned count = 0;
    for (size_t i = 0; i < made.hash_count; i++) made.hash[i] = (uint8_t)next();
    ENSURE(RSA_sign(digests[digest].nid, made.hash, (unsigned)made.hash_count, made.bytes, &count, subject->openssl) == 1);
    made.count = count;
    if (encoded != NULL)
        ENSURE(RSA_public_decrypt((int)count, made.bytes, encoded, subject->openssl, RSA_NO_PADDING) == (int)count);
    return made;
}

static bool is_suitable(const subject *subject) {
    return subject->openssl != NULL && RSA_bits(subject->openssl) == LANE_BITS
        && BN_is_word(RSA_get0_e(subject->openssl), 65537);
}

receipt_crypto_rsa_check check_of(const signature *signature) {
    receipt_crypto_rsa_check check = {
        &signature->subject->chain, digests[signature->digest].algorithm, {.count = signature->hash_count},
        {signature->bytes, signature->count}, true};
    memcpy(check.digest.bytes, signature->hash, sizeof signature->hash);
    return check;
}

static bool verifies(const signature *signature) {
    // OpenSSL encodes digests of any length.
    if (signature->subject->openssl == NULL || signature->hash_count != digests[signature->digest].count) return false;
    return RSA_verify(
               digests[signature->digest].nid, signature->hash, (unsigned)signature->hash_count, signature->bytes,
               (unsigned)signature->count, signature->subject->openssl) == 1;
}

/// Checks several signatures in every way, which must all agree. Returns a bit for each valid signature.
static unsigned agree(const signature *signatures, size_t count) {
    receipt_crypto_rsa_check checks[LANES];
    unsigned result = 0;
    for (size_t i = 0; i < count; i++) checks[i] = check_of(&signatures[i]);
    receipt_crypto_accept_rsa(checks, count);
    for (size_t i = 0; i < count; i++) {
        bool expected = verifies(&signatures[i]);
        receipt_crypto_status status = receipt_crypto_chain_verify(
            checks[i].chain, checks[i].algorithm, receipt_crypto_chain_is_elliptic(checks[i].chain), &checks[i].digest,
            checks[i].signature);
        ENSURE(status == (expected ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_BAD_SIGNATURE));
        // Nothing invalid may be accepted, whatever the arithmetic does.
        ENSURE(expected || !checks[i].is_accepted);
        if (checks[i].is_accepted != (has_lanes && expected && is_suitable(signatures[i].subject))) disagreements++;
        result |= (unsigned)expected << i;
        *(expected ? &valid : &invalid) += 1;
    }
    return result;
}

static void flip(uint8_t *bytes, size_t count) {
    size_t bit = next() % (8 * count);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/// Checks eight valid signatures of random keys, and the same with one flipped bit in signature, digest and padding.
static void random_signatures(long count) {
    for (long i = 0; i < count; i += LANES) {
        signature genuine[LANES], changed[3][LANES];
        for (int lane = 0; lane < LANES; lane++) {
            const subject *subject = &subjects[next() % (uint64_t)subject_count];
            uint8_t encoded[2 * SIZE];
            int digest = (int)(next() % DIGESTS);
            genuine[lane] = changed[0][lane] = changed[1][lane] = sign(subject, digest, encoded);
            flip(changed[0][lane].bytes, changed[0][lane].count);
            flip(changed[1][lane].hash, changed[1][lane].hash_count);
            // The first eight bits are 0, and with a bit among them the number could exceed n.
            flip(encoded + 1, SIZE - 1 - genuine[lane].hash_count);
            changed[2][lane] = sign_encoded(subject, encoded, digest, genuine[lane].hash);
        }
        ENSURE(agree(genuine, LANES) == 0xFF);
        for (int change = 0; change < 3; change++) ENSURE(agree(changed[change], LANES) == 0);
    }
}

/// Checks a signature in every lane, between valid signatures of other keys, and alone. Returns whether it is valid.
static bool agree_in_every_lane(const signature *one) {
    static signature fillers[LANES];
    for (int i = 0; i < LANES && fillers[i].count == 0; i++)
        fillers[i] = sign(&subjects[i % subject_count], i % DIGESTS, NULL);
    unsigned result = agree(one, 1);
    for (int lane = 0; lane < LANES; lane++) {
        signature batch[LANES];
        memcpy(batch, fillers, sizeof batch);
        batch[lane] = *one;
        ENSURE(agree(batch, LANES) == (0xFF & ~(1u << lane) | result << lane));
    }
    return result != 0;
}

/// Checks a number as the signature of the digest of another one.
static bool agree_on_number(const signature *genuine, const BIGNUM *number) {
    signature changed = *genuine;
    changed.count = SIZE;
    ENSURE(BN_bn2binpad(number, changed.bytes, SIZE) == SIZE);
    return agree_in_every_lane(&changed);
}

/// Checks signature representatives at the limits, and signatures of wrong lengths.
static void edges(const subject *subject) {
    const BIGNUM *n = RSA_get0_n(subject->openssl);
    signature genuine = sign(subject, 1, NULL);
    ENSURE(agree_in_every_lane(&genuine));
    BIGNUM *number = BN_new(), *s = BN_bin2bn(genuine.bytes, SIZE, NULL);
    for (BN_ULONG i = 0; i < 3; i++) {
        ENSURE(BN_set_word(number, i) == 1 && !agree_on_number(&genuine, number));
        ENSURE(BN_copy(number, n) != NULL && BN_sub_word(number, i) == 1 && !agree_on_number(&genuine, number));
        if (BN_copy(number, n) != NULL && BN_add_word(number, i) == 1 && BN_num_bits(number) <= LANE_BITS)
            ENSURE(!agree_on_number(&genuine, number));
    }
    ENSURE(BN_lshift(number, BN_value_one(), LANE_BITS) == 1 && BN_sub_word(number, 1) == 1);
    ENSURE(!agree_on_number(&genuine, number));
    ENSURE(BN_sub(number, n, s) == 1 && !agree_on_number(&genuine, number));
    // A congruent number above n, if it fits.
    ENSURE(BN_add(number, n, s) == 1);
    if (BN_num_bits(number) <= LANE_BITS) ENSURE(!agree_on_number(&genuine, number));
    BN_free(number);
    BN_free(s);
    signature changed = genuine;
    for (changed.count = 0; changed.count < 2 * SIZE; changed.count += changed.count < SIZE - 2 || changed.count > SIZE ? 127 : 1)
        ENSURE(agree_in_every_lane(&changed) == (changed.count == SIZE));
    // The same number with a zero octet in front, and after it.
    changed = genuine;
    memmove(changed.bytes + 1, changed.bytes, SIZE);
    changed.bytes[0] = 0;
    changed.count = SIZE + 1;
    ENSURE(!agree_in_every_lane(&changed));
    // Every number that differs from n in the last octet only, and n. The lanes compute only those below n.
    changed = genuine;
    ENSURE(BN_bn2binpad(n, changed.bytes, SIZE) == SIZE);
    int last = changed.bytes[SIZE - 1];
    for (int octet = 0; octet <= 0xFF; octet++) {
        changed.bytes[SIZE - 1] = (uint8_t)octet;
        bool computed = is_computed(&changed);
        ENSURE(agree(&changed, 1) == 0 && !(computed && octet >= last));
        if (computed != (has_lanes && octet < last)) disagreements++;
    }
    // A wrong length of the digest.
    changed = genuine;
    for (changed.hash_count = 0; changed.hash_count <= RECEIPT_CRYPTO_MAX_DIGEST; changed.hash_count++)
        ENSURE(agree_in_every_lane(&changed) == (changed.hash_count == 32));
}

/// Checks encoded messages that differ from the only valid one.
static void encodings(const subject *subject) {
    for (int digest = 0; digest < DIGESTS; digest++) {
        uint8_t encoded[2 * SIZE], changed[2 * SIZE];
        signature genuine = sign(subject, digest, encoded), wrong;
        ENSURE(agree_in_every_lane(&genuine));
        wrong = sign_encoded(subject, encoded, digest, genuine.hash);
        ENSURE(memcmp(wrong.bytes, genuine.bytes, SIZE) == 0 && agree_in_every_lane(&wrong));
        // Another value in each octet. The first one must remain below that of n.
        signature batch[SIZE];
        for (int i = 0; i < SIZE; i++) {
            memcpy(changed, encoded, SIZE);
            changed[i] ^= (uint8_t)(i == 0 ? 0x40 : 1 + next() % 255);
            batch[i] = sign_encoded(subject, changed, digest, genuine.hash);
        }
        for (int i = 0; i < SIZE; i += LANES) ENSURE(agree(batch + i, LANES) == 0);
        // The separator, the constant part of the DigestInfo, and the digest.
        size_t start = SIZE - genuine.hash_count - (digest == 0 ? 15 : 19);
        ENSURE(encoded[start - 1] == 0 && encoded[start] == 0x30);
        struct {
            uint8_t bytes[SIZE];
        } forms[8];
        for (int i = 0; i < 8; i++) memcpy(forms[i].bytes, encoded, SIZE);
        // Block type 2, and one octet of padding that is not FF.
        forms[0].bytes[1] = 2;
        forms[1].bytes[start - 2] = 0;
        // Eight octets of padding, and garbage after the digest (Bleichenbacher, 2006).
        memset(forms[2].bytes + 10, 0xAB, SIZE - 10);
        memcpy(forms[2].bytes + 10, encoded + start - 1, SIZE - start + 1);
        // One octet after the digest.
        memmove(forms[3].bytes + start - 2, forms[3].bytes + start - 1, SIZE - start + 1);
        forms[3].bytes[SIZE - 1] = 0;
        // A DigestInfo without NULL: both lengths are smaller by 2.
        size_t null = SIZE - genuine.hash_count - 4;
        ENSURE(encoded[null] == 5 && encoded[null + 1] == 0);
        memmove(forms[4].bytes + start + 2, encoded + start, null - start);
        forms[4].bytes[start] = 0xFF;
        forms[4].bytes[start - 1] = 0xFF;
        forms[4].bytes[start + 1] = 0;
        forms[4].bytes[start + 3] -= 2;
        forms[4].bytes[start + 5] -= 2;
        // A length in BER's long form.
        memmove(forms[5].bytes + start - 2, encoded + start - 1, 2);
        forms[5].bytes[start] = 0x81;
        // No DigestInfo, and no padding.
        memset(forms[6].bytes + 2, 0xFF, null);
        forms[6].bytes[SIZE - genuine.hash_count - 1] = 0;
        memset(forms[7].bytes, 0, start);
        for (int i = 0; i < 8; i++) {
            wrong = sign_encoded(subject, forms[i].bytes, digest, genuine.hash);
            ENSURE(!agree_in_every_lane(&wrong));
        }
        // A digest of the wrong length, after the same constant part.
        for (int i = 0; i < 3; i++) {
            size_t hash_count = (size_t[]){0, genuine.hash_count - 1, RECEIPT_CRYPTO_MAX_DIGEST}[i];
            if (hash_count == genuine.hash_count) continue;
            size_t info_count = SIZE - genuine.hash_count - start;
            memset(changed + 2, 0xFF, SIZE - 2);
            memcpy(changed + SIZE - hash_count - info_count - 1, encoded + start - 1, info_count + 1);
            wrong = genuine;
            for (size_t j = 0; j < hash_count; j++) wrong.hash[j] = (uint8_t)j;
            memcpy(changed + SIZE - hash_count, wrong.hash, hash_count);
            memcpy(wrong.bytes, sign_encoded(subject, changed, digest, wrong.hash).bytes, SIZE);
            wrong.hash_count = hash_count;
            ENSURE(!agree_in_every_lane(&wrong));
        }
        // The digest of another algorithm.
        wrong = genuine;
        wrong.digest = (digest + 1) % DIGESTS;
        ENSURE(!agree_in_every_lane(&wrong));
    }
}

/// Checks algorithms that are not on the list, with digests of every length.
static void unknown_algorithms(const subject *subject) {
    static const unsigned algorithms[] = {0, 5, 6, 100, INT_MAX, UINT_MAX};
    for (size_t count = 0; count <= RECEIPT_CRYPTO_MAX_DIGEST; count++) {
        // The only encoding without the constant part: padding, separator and digest.
        uint8_t encoded[SIZE];
        signature candidates[1 + DIGESTS];
        signature genuine = sign(subject, DIGESTS - 1, NULL);
        memset(encoded, 0xFF, SIZE);
        encoded[0] = 0;
        encoded[1] = 1;
        encoded[SIZE - 1 - count] = 0;
        memcpy(encoded + SIZE - count, genuine.hash, count);
        candidates[0] = sign_encoded(subject, encoded, DIGESTS - 1, genuine.hash);
        for (int i = 0; i < DIGESTS; i++) candidates[1 + i] = sign(subject, i, NULL);
        for (int i = 0; i <= DIGESTS; i++) {
            candidates[i].hash_count = count;
            for (size_t j = 0; j < sizeof algorithms / sizeof *algorithms; j++) {
                receipt_crypto_rsa_check check = check_of(&candidates[i]);
                check.algorithm = (receipt_crypto_digest_algorithm)algorithms[j];
                receipt_crypto_accept_rsa(&check, 1);
                ENSURE(!check.is_accepted);
                receipt_crypto_status status = receipt_crypto_chain_verify(
                    check.chain, check.algorithm, false, &check.digest, check.signature);
                ENSURE(status == RECEIPT_CRYPTO_BAD_SIGNATURE);
            }
        }
    }
}

/// Checks numbers for which wrong arithmetic would yield the encoded message. These are roots for other exponents, and
/// roots of the message with a wrong power of R.
static void crafted(const subject *subject) {
    uint8_t encoded[2 * SIZE];
    signature genuine = sign(subject, 1, encoded);
    const BIGNUM *n = RSA_get0_n(subject->openssl), *d = RSA_get0_d(subject->openssl);
    BIGNUM *message = BN_bin2bn(encoded, SIZE, NULL), *number = BN_new(), *exponent = BN_new(), *radix = BN_new();
    ENSURE(!agree_on_number(&genuine, message));
    for (int i = 0; i < EXPONENTS; i++) {
        ENSURE(BN_set_word(number, exponents[i]) == 1 && BN_mod_inverse(exponent, number, subject->order, numbers) != NULL);
        ENSURE(BN_mod_exp(number, message, exponent, n, numbers) == 1);
        ENSURE(agree_on_number(&genuine, number) == (exponents[i] == 65537));
    }
    for (int bits = 2048; bits <= RADIX_BITS; bits += RADIX_BITS - 2048) {
        ENSURE(BN_lshift(radix, BN_value_one(), bits) == 1 && BN_mod(radix, radix, n, numbers) == 1);
        for (int sign = 0; sign < 2; sign++) {
            ENSURE(BN_copy(number, message) != NULL);
            for (int power = 1; power <= 3; power++) {
                BIGNUM *root = BN_new();
                ENSURE(BN_mod_mul(number, number, radix, n, numbers) == 1);
                ENSURE(BN_mod_exp(root, number, d, n, numbers) == 1 && !agree_on_number(&genuine, root));
                BN_free(root);
            }
            ENSURE(BN_mod_inverse(radix, radix, n, numbers) != NULL);
        }
    }
    BN_free(message);
    BN_free(number);
    BN_free(exponent);
    BN_free(radix);
}

/// Checks every mixture of valid and invalid signatures of several keys, in batches of every size, also between
/// signatures that the lanes do not check.
static void mixtures(void) {
    // Signatures of every key and digest. Those of P-256 are of another key, and so invalid.
    static signature pool[(sizeof subjects / sizeof *subjects + OTHERS) * DIGESTS];
    int size = (subject_count + OTHERS) * DIGESTS;
    for (int i = 0; i < size; i++) {
        int key = i / DIGESTS - OTHERS;
        pool[i] = sign(key >= 0 ? &subjects[key] : key == -1 ? &subjects[0] : &others[key + OTHERS], i % DIGESTS, NULL);
        if (key == -1) pool[i].subject = &others[ELLIPTIC];
    }
    for (size_t count = 0; count <= LANES; count++) {
        for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
            signature batch[LANES];
            unsigned expected = pattern;
            for (size_t i = 0; i < count; i++) {
                batch[i] = pool[next() % (uint64_t)size];
                if ((pattern >> i & 1) == 0) flip(batch[i].bytes, batch[i].count);
                if (batch[i].subject == &others[ELLIPTIC]) expected &= ~(1u << i);
            }
            ENSURE(agree(batch, count) == expected);
        }
    }
    // More checks than lanes: the last one is not accepted.
    receipt_crypto_rsa_check checks[LANES + 1];
    signature genuine = sign(&subjects[0], 1, NULL);
    for (int i = 0; i <= LANES; i++) checks[i] = check_of(&genuine);
    receipt_crypto_accept_rsa(checks, LANES + 1);
    for (int i = 0; i <= LANES; i++)
        if (checks[i].is_accepted != (has_lanes && i < LANES)) disagreements++;
    ENSURE(!checks[LANES].is_accepted);
}

/// Checks an even modulus of 2,048 bits, which the module does not read from a certificate.
static void even_modulus(void) {
    subject copy = copy_of(&subjects[0]);
    receipt_crypto_key *key = copy.chain.signer_key;
    ENSURE(BN_clear_bit(key->modulus, 0) == 1 && BN_num_bits(key->modulus) == LANE_BITS);
    ENSURE(!receipt_crypto_chain_has_lanes(&copy.chain));
#ifndef WITHOUT_LANES
    ENSURE(receipt_crypto_lane_key_of(key) == NULL && atomic_load(&key->lane_key) == NULL);
#endif
    receipt_crypto_key_free(key);
}

static void other_keys(void) {
    for (int i = 0; i < OTHERS; i++) {
        ENSURE(!receipt_crypto_chain_has_lanes(&others[i].chain));
        if (i == ELLIPTIC) continue;
        for (int digest = 0; digest < DIGESTS; digest++) {
            signature genuine = sign(&others[i], digest, NULL);
            ENSURE(agree_in_every_lane(&genuine));
        }
    }
}

// MARK: - Threads

static subject shared;
static signature shared_signature;

static void *use(void *nothing) {
    (void)nothing;
    receipt_crypto_rsa_check check = check_of(&shared_signature);
    for (int i = 0; i < 20; i++) {
        receipt_crypto_accept_rsa(&check, 1);
        if (check.is_accepted != has_lanes) disagreements++;
    }
    return NULL;
}

/// Uses a new key in several threads at once.
static void threads(void) {
    for (int round = 0; round < 50; round++) {
        receipt_crypto_key *old = shared.chain.signer_key;
        shared = copy_of(&subjects[0]);
        receipt_crypto_key_free(old);
        shared_signature = sign(&shared, 1, NULL);
        pthread_t started[THREADS];
        for (int i = 0; i < THREADS; i++) ENSURE(pthread_create(&started[i], NULL, use, NULL) == 0);
        for (int i = 0; i < THREADS; i++) ENSURE(pthread_join(started[i], NULL) == 0);
    }
    receipt_crypto_key_free(shared.chain.signer_key);
}

// MARK: - Vectors

/// Reads a hexadecimal field of a line. "-" stands for no bytes.
static size_t hexadecimal(const char *text, uint8_t *bytes, size_t room) {
    size_t count = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    ENSURE(count <= room);
    for (size_t i = 0; i < count; i++) {
        unsigned byte = 0;
        ENSURE(sscanf(text + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return count;
}

/// Checks Wycheproof's vectors in every lane. A line has the key, the digest's name, message, signature and result.
static void vectors(const char *name) {
    enum { FIELD = 20000 };
    static char key[FIELD], hash[FIELD], message[FIELD], bytes[FIELD], result[FIELD];
    static uint8_t decoded[FIELD];
    FILE *file = fopen(name, "r");
    ENSURE(file != NULL);
    int count = 0, accepted = 0;
    while (fscanf(file, "%19999s %19999s %19999s %19999s %19999s", key, hash, message, bytes, result) == 5) {
        subject subject = {0};
        size_t size = hexadecimal(key, decoded, sizeof decoded);
        const uint8_t *start = decoded;
        ENSURE((subject.openssl = d2i_RSA_PUBKEY(NULL, &start, (long)size)) != NULL);
        subject.chain = (receipt_crypto_chain){.context = context, .signer_key = key_of(decoded, (int)size)};
        signature vector = {.subject = &subject, .digest = -1};
        for (int i = 0; i < DIGESTS; i++)
            if (strcmp(OBJ_nid2ln(digests[i].nid), hash) == 0) vector.digest = i;
        ENSURE(vector.digest >= 0);
        size = hexadecimal(message, decoded, sizeof decoded);
        unsigned digest_count = 0;
        ENSURE(EVP_Digest(decoded, size, vector.hash, &digest_count, EVP_get_digestbynid(digests[vector.digest].nid), NULL) == 1);
        vector.hash_count = digest_count;
        vector.count = hexadecimal(bytes, vector.bytes, sizeof vector.bytes);
        bool is_valid = agree_in_every_lane(&vector);
        ENSURE(is_valid == (strcmp(result, "valid") == 0));
        count++;
        accepted += is_valid && is_suitable(&subject);
        release(&subject);
    }
    fclose(file);
    ENSURE(count > 0);
    printf("vectors: %d, of which the lanes accept %d\n", count, accepted);
}

// MARK: - Times

static double microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/// Prints the times of one check alone and in batches of each size. The best of several rounds counts.
static void times(void) {
    enum { ROUNDS = 5, REPETITIONS = 100 };
    signature genuine[LANES];
    receipt_crypto_rsa_check checks[LANES];
    double best[LANES + 1] = {0};
    for (int i = 0; i < LANES; i++) {
        genuine[i] = sign(&subjects[i % subject_count], 1, NULL);
        checks[i] = check_of(&genuine[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t count = 0; count <= LANES; count++) {
            double start = microseconds();
            for (int i = 0; i < REPETITIONS; i++) {
                if (count > 0)
                    receipt_crypto_accept_rsa(checks, count);
                else
                    receipt_crypto_chain_verify(
                        checks[i % LANES].chain, checks[i % LANES].algorithm, false, &checks[i % LANES].digest,
                        checks[i % LANES].signature);
            }
            double time = (microseconds() - start) / REPETITIONS / (count > 0 ? (double)count : 1);
            if (round == 0 || time < best[count]) best[count] = time;
        }
    }
    printf("times: %.2f us alone; in batches of 1 to %d:", best[0], LANES);
    for (int count = 1; count <= LANES; count++) printf(" %.2f", best[count]);
    printf(" us; %.2f times faster\n", best[0] / best[LANES]);
}

// MARK: -

/// Prints how many random numbers the module accepts as signatures, and the lanes in which it accepts all of them. For
/// builds without the comparison with the encoded message, which accept every operation that is proven.
static int blind(void) {
    enum { BATCHES = 32 };
    int accepted[LANES] = {0}, total = 0;
    for (int i = 0; i < BATCHES; i++) {
        signature batch[LANES];
        receipt_crypto_rsa_check checks[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            batch[lane] = (signature){.subject = &subjects[lane % subject_count], .hash_count = 20, .count = SIZE};
            BIGNUM *number = next_number(LANE_BITS - 1);
            ENSURE(BN_bn2binpad(number, batch[lane].bytes, SIZE) == SIZE);
            BN_free(number);
            checks[lane] = check_of(&batch[lane]);
        }
        receipt_crypto_accept_rsa(checks, LANES);
        for (int lane = 0; lane < LANES; lane++) accepted[lane] += checks[lane].is_accepted;
    }
    for (int lane = 0; lane < LANES; lane++) total += accepted[lane];
    printf("%d of %d:", total, BATCHES * LANES);
    for (int lane = 0; lane < LANES; lane++)
        if (accepted[lane] == BATCHES) printf(" %d", lane);
    printf("\n");
    return 0;
}

int main(int count, char **arguments) {
    bool is_blind = count > 1 && strcmp(arguments[1], "blind") == 0;
    long signatures = count > 1 ? atol(arguments[1]) : 2000;
    ENSURE((context = receipt_crypto_context_new()) != NULL && (numbers = BN_CTX_new()) != NULL);
    bool is_short = is_blind || signatures < 1000;
    int random_keys = is_short ? 2 : RANDOM_KEYS;
    for (int i = 0; i < random_keys; i++) subjects[subject_count++] = subject_of(LANE_BITS, 65537, RANDOM);
    subjects[subject_count++] = subject_of(LANE_BITS, 65537, SMALLEST);
    subjects[subject_count++] = subject_of(LANE_BITS, 65537, LARGEST);
#ifdef WITHOUT_LANES
    ENSURE(!receipt_crypto_has_lanes());
#elif defined(__x86_64__)
    if (!is_blind && __builtin_cpu_supports("avx512ifma")) {
        test_without_randomness();
        test_proof();
        test_failures();
    }
#endif
    has_lanes = receipt_crypto_has_lanes();
    if (is_blind) return blind();
    for (int i = 0; i < subject_count; i++) ENSURE(receipt_crypto_chain_has_lanes(&subjects[i].chain) == has_lanes);
    others[0] = subject_of(3072, 65537, RANDOM);
    others[1] = subject_of(4096, 65537, RANDOM);
    others[2] = subject_of(2056, 65537, RANDOM);
    others[3] = subject_of(LANE_BITS, 3, RANDOM);
    others[4] = subject_of(LANE_BITS, 65539, RANDOM);
    others[ELLIPTIC] = elliptic();
    other_keys();
    even_modulus();
    unknown_algorithms(&subjects[0]);
    mixtures();
    // The short form, which is for mutants, leaves out the last key, which has the largest modulus.
    int first = is_short ? subject_count - 2 : subject_count - 3;
    for (int i = first; i < subject_count - is_short; i++) {
        edges(&subjects[i]);
        encodings(&subjects[i]);
        crafted(&subjects[i]);
    }
    random_signatures(signatures);
    threads();
    for (int i = 2; i < count; i++) vectors(arguments[i]);
    printf(
        "signatures: %ld valid, %ld invalid of %d keys, %ld disagreements\n", valid, invalid, subject_count,
        (long)disagreements);
    if (has_lanes)
        times();
    else
        printf("no AVX-512 IFMA: nothing was tested, except that no signature is accepted\n");
    for (int i = 0; i < subject_count; i++) release(&subjects[i]);
    for (int i = 0; i < OTHERS; i++) release(&others[i]);
    BN_CTX_free(numbers);
    receipt_crypto_context_free(context);
    return disagreements == 0 ? 0 : 1;
}
