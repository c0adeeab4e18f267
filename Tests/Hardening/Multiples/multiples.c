// Compares the C module's checks with tables of a key's multiples with OpenSSL's. For P-384, the table must refuse exactly the
// invalid signatures. For P-256 (with -DP256), it must accept exactly the valid ones. With -DFALLBACK, the module was compiled
// without deprecated functions, and P-256 has no tables.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../Sources/CReceiptCrypto/key.h"

#define ENSURE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

/// The size of a digest and of the order, in bytes.
#ifdef P256
enum { SIZE = 32, CURVE = NID_X9_62_prime256v1, OTHER_CURVE = NID_secp384r1, ALGORITHM = RECEIPT_CRYPTO_SHA256 };
#else
enum { SIZE = 48, CURVE = NID_secp384r1, OTHER_CURVE = NID_X9_62_prime256v1, ALGORITHM = RECEIPT_CRYPTO_SHA384 };
#endif

#ifdef FALLBACK
enum { HAS_TABLES = false };
#else
enum { HAS_TABLES = true };
#endif

/// The limits of receipt_crypto_key_accepted, and the number of threads that use a key at once.
enum { ACCEPTANCES = 1000, MAX_TABLES = 16, THREADS = 4 };

static receipt_crypto_context *context;
static BN_CTX *numbers;

/// A key with a table, the same key without, and OpenSSL's key.
typedef struct {
    receipt_crypto_key *quick, *slow;
    EC_KEY *openssl;
    /// Whether the table may leave more cases to OpenSSL than the valid (P-256) or invalid (P-384) signatures.
    bool may_abstain;
    long valid, invalid;
} subject;

static subject subject_of(EC_KEY *key) {
    subject made = {.openssl = key};
    uint8_t *info = NULL;
    int count = i2d_EC_PUBKEY(key, &info);
    ENSURE(count > 0);
    receipt_crypto_slice slice = {info, (size_t)count};
    ENSURE(receipt_crypto_key_new(context, slice, 2048, &made.quick) == RECEIPT_CRYPTO_OK);
    ENSURE(receipt_crypto_key_new(context, slice, 2048, &made.slow) == RECEIPT_CRYPTO_OK);
    OPENSSL_free(info);
#ifdef P256
    for (int i = 0; i < ACCEPTANCES; i++) {
        ENSURE(made.quick->own_group == NULL);
        receipt_crypto_key_accepted(context, made.quick);
    }
    ENSURE((made.quick->own_group != NULL) == HAS_TABLES);
#else
    for (int i = 0; i < 6; i++) {
        ENSURE(made.quick->multiples == NULL);
        receipt_crypto_key_refused(context, made.quick);
    }
    ENSURE(made.quick->multiples != NULL);
#endif
    return made;
}

static void release(subject *subject) {
    receipt_crypto_key_free(subject->quick);
    receipt_crypto_key_free(subject->slow);
    EC_KEY_free(subject->openssl);
}

/// Returns whether the table alone accepts r for the u1 and u2 of the digest, without the check after
/// them. Returns false if r or s is out of range.
static bool passes(const subject *subject, const uint8_t *digest, const BIGNUM *r, const BIGNUM *s) {
    const EC_GROUP *group = subject->quick->group;
    const BIGNUM *order = EC_GROUP_get0_order(group);
    if (BN_is_zero(r) || BN_is_zero(s) || BN_cmp(r, order) >= 0 || BN_cmp(s, order) >= 0) return false;
    BN_CTX_start(numbers);
    BIGNUM *u1 = BN_CTX_get(numbers), *u2 = BN_CTX_get(numbers), *inverse = BN_CTX_get(numbers);
    ENSURE(BN_bin2bn(digest, SIZE, u1) != NULL);
    ENSURE(BN_mod_inverse(inverse, s, order, numbers) != NULL);
    ENSURE(BN_mod_mul(u1, u1, inverse, order, numbers) == 1 && BN_mod_mul(u2, r, inverse, order, numbers) == 1);
#ifdef P256
    bool passed = receipt_crypto_own_group_accepts(subject->quick, subject->quick->own_group, u1, u2, r, numbers);
#else
    bool passed = !receipt_crypto_multiples_refuse(subject->quick->multiples, group, u1, u2, r, numbers);
#endif
    BN_CTX_end(numbers);
    return passed;
}

/// Checks r and s for the digest in every way, which must all agree. Returns whether they are a valid
/// signature.
static bool agree(subject *subject, const uint8_t *digest, const BIGNUM *r, const BIGNUM *s) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    ENSURE(ECDSA_SIG_set0(signature, BN_dup(r), BN_dup(s)) == 1);
    bool expected = ECDSA_do_verify(digest, SIZE, signature, subject->openssl) == 1;
    uint8_t *der = NULL;
    int count = i2d_ECDSA_SIG(signature, &der);
    ENSURE(count > 0);
    receipt_crypto_slice slice = {der, (size_t)count};
    receipt_crypto_digest value = {.count = SIZE};
    memcpy(value.bytes, digest, SIZE);
    receipt_crypto_status status = expected ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_BAD_SIGNATURE;
    ENSURE(receipt_crypto_verify_digest(context, subject->quick, ALGORITHM, &value, slice) == status);
    ENSURE(receipt_crypto_verify_digest(context, subject->slow, ALGORITHM, &value, slice) == status);
#ifdef P256
    // JWS have the numbers as octets, which can hold 0, unlike the DER form.
    uint8_t octets[2 * SIZE];
    if (BN_bn2binpad(r, octets, SIZE) == SIZE && BN_bn2binpad(s, octets + SIZE, SIZE) == SIZE) {
        slice = (receipt_crypto_slice){octets, sizeof octets};
        ENSURE(receipt_crypto_verify_es256(context, subject->quick, &value, slice) == status);
        ENSURE(receipt_crypto_verify_es256(context, subject->slow, &value, slice) == status);
    }
#endif
    bool passed = HAS_TABLES ? passes(subject, digest, r, s) : expected;
    ENSURE(passed == expected || (subject->may_abstain && passed));
    OPENSSL_free(der);
    ECDSA_SIG_free(signature);
    *(expected ? &subject->valid : &subject->invalid) += 1;
    return expected;
}

static void flip(BIGNUM *number) {
    uint8_t bytes[SIZE];
    uint16_t bit;
    ENSURE(BN_bn2binpad(number, bytes, SIZE) == SIZE && RAND_bytes((uint8_t *)&bit, sizeof bit) == 1);
    bit %= 8 * SIZE;
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    ENSURE(BN_bin2bn(bytes, SIZE, number) != NULL);
}

/// Checks a valid signature, and the same with one flipped bit in r, in s and in the digest.
static void random_signature(subject *subject) {
    uint8_t digest[SIZE];
    ENSURE(RAND_bytes(digest, sizeof digest) == 1);
    ECDSA_SIG *signature = ECDSA_do_sign(digest, SIZE, subject->openssl);
    ENSURE(signature != NULL);
    for (int changed = 0; changed < 4; changed++) {
        BIGNUM *r = BN_dup(ECDSA_SIG_get0_r(signature)), *s = BN_dup(ECDSA_SIG_get0_s(signature));
        if (changed == 1) flip(r);
        if (changed == 2) flip(s);
        if (changed == 3) digest[digest[0] % SIZE] ^= 1;
        ENSURE(agree(subject, digest, r, s) == (changed == 0));
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(signature);
}

/// Checks every pair of numbers at the limits, for digests at the limits.
static void edges(subject *subject) {
    const BIGNUM *order = EC_GROUP_get0_order(subject->quick->group), *field = EC_GROUP_get0_field(subject->quick->group);
    BIGNUM *list[16];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        ENSURE(BN_set_word(list[count++] = BN_new(), (BN_ULONG)i) == 1);
        BIGNUM *near = list[count++] = BN_dup(order);
        ENSURE(BN_add_word(near, 2) == 1 && BN_sub_word(near, (BN_ULONG)i) == 1);
    }
    list[count++] = BN_dup(field);
    list[count++] = BN_dup(EC_GROUP_get0_cofactor(subject->quick->group));
    ENSURE(BN_lshift(list[count - 1], list[count - 1], 8 * SIZE - 1) == 1);
    ENSURE(BN_sub(list[count++] = BN_new(), field, order) == 1);
    ENSURE(BN_rshift1(list[count++] = BN_new(), order) == 1);
    uint8_t digests[3][SIZE];
    memset(digests[0], 0, sizeof digests[0]);
    memset(digests[1], 0xFF, sizeof digests[1]);
    ENSURE(BN_bn2binpad(order, digests[2], SIZE) == SIZE);
    for (int i = 0; i < 3 * count * count; i++)
        agree(subject, digests[i % 3], list[i / 3 % count], list[i / 3 / count]);
    for (int i = 0; i < count; i++) BN_free(list[i]);
}

/// Returns a key for which r and s are a signature of the digest, or nearly: u1 * generator + u2 * key = sum.
static subject key_for(const EC_POINT *sum, const BIGNUM *r, const BIGNUM *s, const uint8_t *digest) {
    EC_KEY *key = EC_KEY_new_by_curve_name(CURVE);
    const EC_GROUP *group = EC_KEY_get0_group(key);
    const BIGNUM *order = EC_GROUP_get0_order(group);
    BIGNUM *e = BN_new(), *inverse = BN_new();
    EC_POINT *point = EC_POINT_new(group);
    // Q = (s sum - e generator) / r.
    ENSURE(BN_bin2bn(digest, BN_num_bytes(order), e) != NULL && BN_nnmod(e, e, order, numbers) == 1);
    ENSURE(BN_sub(e, order, e) == 1 && EC_POINT_mul(group, point, e, sum, s, numbers) == 1);
    ENSURE(BN_mod_inverse(inverse, r, order, numbers) != NULL);
    ENSURE(EC_POINT_mul(group, point, NULL, point, inverse, numbers) == 1);
    ENSURE(EC_KEY_set_public_key(key, point) == 1);
    EC_POINT_free(point);
    BN_free(e);
    BN_free(inverse);
    return subject_of(key);
}

/// Checks signatures whose point has an x-coordinate of at least the order, so that r is smaller. The coordinate itself is
/// not a valid r. Neither is an r for which only r + 2 order is congruent to the coordinate modulo the field.
static void wrapped(void) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(CURVE);
    const BIGNUM *order = EC_GROUP_get0_order(group), *field = EC_GROUP_get0_field(group);
    BIGNUM *r = BN_new(), *s = BN_new(), *x = BN_new();
    EC_POINT *sum = EC_POINT_new(group);
    uint8_t digest[SIZE];
    int found = 0;
    for (BN_ULONG small = 1; found < 8; small++) {
        ENSURE(BN_set_word(r, small) == 1 && BN_add(x, r, order) == 1 && BN_rand_range(s, order) == 1);
        ENSURE(RAND_bytes(digest, sizeof digest) == 1);
        if (EC_POINT_set_compressed_coordinates(group, sum, x, (int)(small & 1), numbers) != 1) continue;
        subject subject = key_for(sum, r, s, digest);
        ENSURE(agree(&subject, digest, r, s));
        ENSURE(!agree(&subject, digest, x, s));
        ENSURE(BN_add_word(r, 1) == 1);
        ENSURE(!agree(&subject, digest, r, s));
        release(&subject);
        found++;
    }
    // x = r + 2 order - field. First, r = field - order and x = 0, which is a coordinate on both curves.
    for (found = 0; found < 8;) {
        if (found == 0) {
            BN_zero(x);
            ENSURE(BN_sub(r, field, order) == 1);
        } else {
            ENSURE(BN_rand_range(r, order) == 1 && BN_rshift(r, r, SIZE * 8 / 2 + 8) == 1);
            ENSURE(BN_add(x, r, order) == 1 && BN_add(x, x, order) == 1 && BN_sub(x, x, field) == 1);
        }
        ENSURE(BN_rand_range(s, order) == 1 && RAND_bytes(digest, sizeof digest) == 1);
        if (EC_POINT_set_compressed_coordinates(group, sum, x, 0, numbers) != 1) {
            ENSURE(found > 0);
            continue;
        }
        subject subject = key_for(sum, r, s, digest);
        ENSURE(!agree(&subject, digest, r, s));
        release(&subject);
        found++;
    }
    EC_POINT_free(sum);
    BN_free(r);
    BN_free(s);
    BN_free(x);
    EC_GROUP_free(group);
}

/// Checks valid signatures with u1 and u2 equal except for the last bit. If the key is the generator or its
/// negative, intermediate sums meet themselves or their negatives.
static void meet(subject *subject) {
    const EC_GROUP *group = subject->quick->group;
    const BIGNUM *order = EC_GROUP_get0_order(group);
    BIGNUM *u1 = BN_new(), *u2 = BN_new(), *r = BN_new(), *s = BN_new(), *e = BN_new();
    EC_POINT *sum = EC_POINT_new(group);
    for (int i = 0; i < 20; i++) {
        ENSURE(BN_rand_range(u1, order) == 1 && BN_clear_bit(u1, 0) >= 0 && BN_copy(u2, u1) != NULL);
        ENSURE(BN_add_word(i % 2 == 0 ? u1 : u2, 1) == 1);
        ENSURE(EC_POINT_mul(group, sum, u1, subject->quick->point, u2, numbers) == 1);
        ENSURE(EC_POINT_get_affine_coordinates(group, sum, r, NULL, numbers) == 1);
        ENSURE(BN_nnmod(r, r, order, numbers) == 1 && BN_mod_inverse(s, u2, order, numbers) != NULL);
        ENSURE(BN_mod_mul(s, s, r, order, numbers) == 1 && BN_mod_mul(e, u1, s, order, numbers) == 1);
        uint8_t digest[SIZE];
        ENSURE(BN_bn2binpad(e, digest, SIZE) == SIZE);
        ENSURE(agree(subject, digest, r, s));
    }
    EC_POINT_free(sum);
    BN_free(u1);
    BN_free(u2);
    BN_free(r);
    BN_free(s);
    BN_free(e);
}

/// Checks keys near the generator, for which both summands are equal or opposite, or become so in between.
static void related(void) {
    for (int factor = 1; factor <= 8; factor++) {
        for (int sign = 0; sign < 2; sign++) {
            EC_KEY *key = EC_KEY_new_by_curve_name(CURVE);
            const EC_GROUP *group = EC_KEY_get0_group(key);
            const BIGNUM *order = EC_GROUP_get0_order(group);
            BIGNUM *number = BN_new(), *r = BN_new(), *s = BN_new(), *x = BN_new();
            EC_POINT *point = EC_POINT_new(group);
            ENSURE(BN_set_word(number, (BN_ULONG)factor) == 1);
            if (sign == 1) ENSURE(BN_sub(number, order, number) == 1);
            ENSURE(EC_POINT_mul(group, point, number, NULL, NULL, numbers) == 1);
            ENSURE(EC_KEY_set_public_key(key, point) == 1 && EC_KEY_set_private_key(key, number) == 1);
            subject subject = subject_of(key);
#ifndef P256
            // Sums of the multiples meet equal points, which their formulas do not add.
            subject.may_abstain = true;
#endif
            for (int i = 0; i < 20; i++) {
                random_signature(&subject);
                // e = r d makes both summands equal, and e = -r d makes the sum infinite, for every s.
                uint8_t digest[SIZE];
                ENSURE(BN_rand_range(r, order) == 1 && BN_rand_range(s, order) == 1);
                ENSURE(BN_mod_mul(x, r, number, order, numbers) == 1);
                ENSURE(BN_bn2binpad(x, digest, SIZE) == SIZE);
                ENSURE(!agree(&subject, digest, r, s));
                ENSURE(BN_sub(x, order, x) == 1 && BN_bn2binpad(x, digest, SIZE) == SIZE);
                ENSURE(!agree(&subject, digest, r, s));
            }
            edges(&subject);
            if (factor == 1) meet(&subject);
            EC_POINT_free(point);
            BN_free(number);
            BN_free(r);
            BN_free(s);
            BN_free(x);
            release(&subject);
        }
    }
}

#ifdef P256
static receipt_crypto_key *new_key(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(CURVE);
    ENSURE(EC_KEY_generate_key(key) == 1);
    uint8_t *info = NULL;
    int count = i2d_EC_PUBKEY(key, &info);
    ENSURE(count > 0);
    receipt_crypto_key *made = NULL;
    ENSURE(receipt_crypto_key_new(context, (receipt_crypto_slice){info, (size_t)count}, 2048, &made) == RECEIPT_CRYPTO_OK);
    OPENSSL_free(info);
    EC_KEY_free(key);
    return made;
}

static void accept_often(receipt_crypto_key *key) {
    for (int i = 0; i < ACCEPTANCES; i++) receipt_crypto_key_accepted(context, key);
}

/// Checks that only this many keys of a context have a table at the same time, and that a key without one gets it later.
static void bounded(void) {
    receipt_crypto_key *keys[MAX_TABLES + 1];
    for (int i = 0; i <= MAX_TABLES; i++) {
        accept_often(keys[i] = new_key());
        ENSURE((keys[i]->own_group != NULL) == (HAS_TABLES && i < MAX_TABLES));
    }
    accept_often(keys[MAX_TABLES]);
    ENSURE(keys[MAX_TABLES]->own_group == NULL);
    receipt_crypto_key_free(keys[0]);
    accept_often(keys[MAX_TABLES]);
    ENSURE((keys[MAX_TABLES]->own_group != NULL) == HAS_TABLES);
    for (int i = 1; i <= MAX_TABLES; i++) receipt_crypto_key_free(keys[i]);
}

typedef struct {
    subject *subject;
    receipt_crypto_digest digest;
    receipt_crypto_slice signature, forged;
} shared_signature;

static void *verify_often(void *argument) {
    const shared_signature *shared = argument;
    receipt_crypto_key *key = shared->subject->slow;
    for (int i = 0; i < ACCEPTANCES; i++) {
        ENSURE(receipt_crypto_verify_es256(context, key, &shared->digest, shared->signature) == RECEIPT_CRYPTO_OK);
        receipt_crypto_key_accepted(context, key);
        ENSURE(receipt_crypto_verify_es256(context, key, &shared->digest, shared->forged) == RECEIPT_CRYPTO_BAD_SIGNATURE);
    }
    return NULL;
}

/// Checks that several threads use a key while one of them creates its table.
static void threads(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(CURVE);
    ENSURE(EC_KEY_generate_key(key) == 1);
    subject subject = subject_of(key);
    shared_signature shared = {.subject = &subject, .digest.count = SIZE};
    ENSURE(RAND_bytes(shared.digest.bytes, SIZE) == 1);
    ECDSA_SIG *signature = ECDSA_do_sign(shared.digest.bytes, SIZE, key);
    uint8_t bytes[2 * SIZE], forged[2 * SIZE];
    ENSURE(signature != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes, SIZE) == SIZE);
    ENSURE(BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes + SIZE, SIZE) == SIZE);
    memcpy(forged, bytes, sizeof forged);
    forged[SIZE] ^= 1;
    shared.signature = (receipt_crypto_slice){bytes, sizeof bytes};
    shared.forged = (receipt_crypto_slice){forged, sizeof forged};
    pthread_t ids[THREADS];
    for (int i = 0; i < THREADS; i++) ENSURE(pthread_create(&ids[i], NULL, verify_often, &shared) == 0);
    for (int i = 0; i < THREADS; i++) ENSURE(pthread_join(ids[i], NULL) == 0);
    ENSURE((subject.slow->own_group != NULL) == HAS_TABLES);
    ECDSA_SIG_free(signature);
    release(&subject);
}
#endif

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 1000;
    context = receipt_crypto_context_new();
    numbers = BN_CTX_new();
    long valid = 0, invalid = 0;
    for (int done = 0; done < rounds;) {
        EC_KEY *key = EC_KEY_new_by_curve_name(CURVE);
        ENSURE(EC_KEY_generate_key(key) == 1);
        subject subject = subject_of(key);
        edges(&subject);
        for (int i = 0; i < 1000 && done < rounds; i++, done++) random_signature(&subject);
        valid += subject.valid;
        invalid += subject.invalid;
        release(&subject);
    }
    related();
    wrapped();
#ifdef P256
    bounded();
    threads();
#endif
    // Keys of the other curve get no table.
    EC_KEY *other = EC_KEY_new_by_curve_name(OTHER_CURVE);
    uint8_t *info = NULL;
    ENSURE(EC_KEY_generate_key(other) == 1);
    receipt_crypto_slice slice = {NULL, (size_t)i2d_EC_PUBKEY(other, &info)};
    slice.bytes = info;
    receipt_crypto_key *key = NULL;
    ENSURE(receipt_crypto_key_new(context, slice, 2048, &key) == RECEIPT_CRYPTO_OK);
    BN_CTX_start(numbers);
#ifdef P256
    ENSURE(receipt_crypto_own_group_new(key, numbers) == NULL);
#else
    ENSURE(receipt_crypto_multiples_new(key->group, key->point, numbers) == NULL);
#endif
    BN_CTX_end(numbers);
    receipt_crypto_key_free(key);
    OPENSSL_free(info);
    EC_KEY_free(other);
    printf("%ld valid and %ld invalid signatures: the same answers as OpenSSL\n", valid, invalid);
    BN_CTX_free(numbers);
    receipt_crypto_context_free(context);
}
