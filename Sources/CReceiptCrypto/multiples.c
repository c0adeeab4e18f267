// A faster way to reject invalid ECDSA signatures of long-lived P-384 keys.
//
// OpenSSL 3 has no fast code for P-384. An attacker can name the owner of a trusted key as the issuer of any
// certificate, and each such certificate costs a check. Precomputed multiples of the generator and of the key's point
// make the check faster. The method is the comb of Lim and Lee ("More flexible exponentiation with precomputation",
// 1994). OpenSSL computes the multiples, and the arithmetic on them is our own.
//
// This code can only reject signatures. OpenSSL checks every signature that it does not reject, so an error here
// cannot make a forged signature valid. Its running time depends on the numbers, which are public.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "key.h"

#include <stdlib.h>

/// A scalar is split into one part for each tooth of the comb, and each part into one block for each table.
enum { LIMBS = 6, BITS = 64 * LIMBS, TEETH = 8, TABLES = 2 };
enum { SPACING = BITS / TEETH, ROWS = SPACING / TABLES, ENTRIES = (1 << TEETH) - 1 };

typedef unsigned __int128 wide;

/// A number below p, lowest limb first. As an element of the field, it represents its quotient by 2^384 (Montgomery
/// form).
typedef struct {
    uint64_t limbs[LIMBS];
} element;

typedef struct {
    element x, y;
} affine;

/// The point (x / z^2, y / z^3).
typedef struct {
    element x, y, z;
} jacobian;

/// Entry i of table t is the sum, over the bits b of i + 1, of the point times 2^(b * SPACING + t * ROWS). The first
/// tables are for the generator, the second ones for the key.
struct receipt_crypto_multiples {
    affine points[2][TABLES][ENTRIES];
};

// MARK: - The field

/// p = 2^384 - 2^128 - 2^96 + 2^32 - 1 (FIPS 186-4, D.1.2.4), and -1 / p modulo 2^64.
static const element p = {{
    0x00000000FFFFFFFF, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFE, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
static const uint64_t p_inverse = 0x0000000100000001;

static inline bool is_same(element a, element b) {
    uint64_t difference = 0;
    for (int i = 0; i < LIMBS; i++) difference |= a.limbs[i] ^ b.limbs[i];
    return difference == 0;
}

/// Adds b to a modulo 2^384 and returns the carry.
static inline uint64_t increase(element *a, element b) {
    wide carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (wide)a->limbs[i] + b.limbs[i];
        a->limbs[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return (uint64_t)carry;
}

/// Subtracts b from a modulo 2^384 and returns the borrow.
static inline uint64_t decrease(element *a, element b) {
    uint64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        wide limb = (wide)a->limbs[i] - b.limbs[i] - borrow;
        a->limbs[i] = (uint64_t)limb;
        borrow = (uint64_t)(limb >> 64) & 1;
    }
    return borrow;
}

/// Returns a + carry * 2^384 modulo p. The input must be below 2 p.
static inline element reduced(element a, uint64_t carry) {
    element less = a;
    return decrease(&less, p) > carry ? a : less;
}

static inline element sum(element a, element b) {
    uint64_t carry = increase(&a, b);
    return reduced(a, carry);
}

static inline element difference(element a, element b) {
    if (decrease(&a, b) != 0) increase(&a, p);
    return a;
}

static inline element doubled(element a) { return sum(a, a); }

/// Returns a * b / 2^384 modulo p (Montgomery, "Modular multiplication without trial division", 1985).
static inline __attribute__((always_inline)) element product(element a, element b) {
    uint64_t rest[LIMBS + 2] = {0};
    for (int i = 0; i < LIMBS; i++) {
        wide carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            carry += (wide)a.limbs[j] * b.limbs[i] + rest[j];
            rest[j] = (uint64_t)carry;
            carry >>= 64;
        }
        carry += rest[LIMBS];
        rest[LIMBS] = (uint64_t)carry;
        rest[LIMBS + 1] = (uint64_t)(carry >> 64);
        uint64_t factor = rest[0] * p_inverse;
        carry = ((wide)factor * p.limbs[0] + rest[0]) >> 64;
        for (int j = 1; j < LIMBS; j++) {
            carry += (wide)factor * p.limbs[j] + rest[j];
            rest[j - 1] = (uint64_t)carry;
            carry >>= 64;
        }
        carry += rest[LIMBS];
        rest[LIMBS - 1] = (uint64_t)carry;
        rest[LIMBS] = rest[LIMBS + 1] + (uint64_t)(carry >> 64);
    }
    for (int i = 0; i < LIMBS; i++) a.limbs[i] = rest[i];
    return reduced(a, rest[LIMBS]);
}

static inline element square(element a) { return product(a, a); }

/// Reads a number. Returns false if it is negative or too long.
static bool read(element *a, const BIGNUM *number) {
    uint8_t bytes[BITS / 8];
    if (BN_bn2lebinpad(number, bytes, sizeof bytes) != sizeof bytes) return false;
    for (int i = 0; i < LIMBS; i++) {
        a->limbs[i] = 0;
        for (int byte = 7; byte >= 0; byte--) a->limbs[i] = a->limbs[i] << 8 | bytes[8 * i + byte];
    }
    return true;
}

// MARK: - The curve, with formulas from Bernstein and Lange's Explicit-Formulas Database

/// Returns the double of a point with dbl-2001-b, in Jacobian coordinates with a = -3. Infinity, with z = 0, remains
/// infinity.
static jacobian twice(jacobian a) {
    element delta = square(a.z), gamma = square(a.y), beta = doubled(doubled(product(a.x, gamma)));
    element alpha = product(difference(a.x, delta), sum(a.x, delta));
    alpha = sum(doubled(alpha), alpha);
    jacobian b;
    b.x = difference(square(alpha), doubled(beta));
    b.y = difference(product(alpha, difference(beta, b.x)), doubled(doubled(doubled(square(gamma)))));
    b.z = difference(difference(square(sum(a.y, a.z)), gamma), delta);
    return b;
}

/// Returns the sum of a point and an affine point with add-1998-cmo-2. If both have the same x-coordinate, z becomes
/// 0 and remains 0.
static jacobian added(jacobian a, const affine *b) {
    element zz = square(a.z), h = difference(product(b->x, zz), a.x);
    element r = difference(product(product(b->y, a.z), zz), a.y);
    element hh = square(h), hhh = product(h, hh), v = product(a.x, hh);
    jacobian c;
    c.x = difference(difference(square(r), hhh), doubled(v));
    c.y = difference(product(r, difference(v, c.x)), product(a.y, hhh));
    c.z = product(a.z, h);
    return c;
}

// MARK: - The multiples

/// Converts a coordinate to Montgomery form. Overwrites the number.
static bool convert(element *a, BIGNUM *number, const BIGNUM *field, BN_CTX *numbers) {
    return BN_lshift(number, number, BITS) == 1 && BN_nnmod(number, number, field, numbers) == 1 && read(a, number);
}

static bool fill(affine *entries, const EC_GROUP *group, const EC_POINT *point, BN_CTX *numbers) {
    enum { COUNT = TABLES * ENTRIES };
    EC_POINT *points[COUNT] = {NULL}, *power = EC_POINT_dup(point, group);
    const BIGNUM *field = EC_GROUP_get0_field(group);
    BIGNUM *x = BN_CTX_get(numbers), *y = BN_CTX_get(numbers);
    bool done = power != NULL && y != NULL;
    for (int i = 0; i < TEETH * TABLES; i++) {
        // For each tooth of each table, stores the point times a power of two, alone and added to each previous sum.
        int first = 1 << i / TABLES;
        EC_POINT **table = points + i % TABLES * ENTRIES, **sums = table + first - 1;
        for (int j = 0; j < first && done; j++)
            done = (sums[j] = EC_POINT_dup(power, group)) != NULL
                && (j == 0 || EC_POINT_add(group, sums[j], power, table[j - 1], numbers) == 1);
        for (int row = 0; row < ROWS && done; row++) done = EC_POINT_dbl(group, power, power, numbers) == 1;
    }
#if OPENSSL_VERSION_MAJOR < 4 && !defined(OPENSSL_NO_DEPRECATED_3_0)
    // Converts all points at once, because converting them individually takes ten times as long.
    done = done && EC_POINTs_make_affine(group, COUNT, points, numbers) == 1;
#endif
    for (int i = 0; i < COUNT; i++) {
        done = done && EC_POINT_get_affine_coordinates(group, points[i], x, y, numbers) == 1
            && convert(&entries[i].x, x, field, numbers) && convert(&entries[i].y, y, field, numbers);
        EC_POINT_free(points[i]);
    }
    EC_POINT_free(power);
    return done;
}

receipt_crypto_multiples *receipt_crypto_multiples_new(
    const EC_GROUP *group, const EC_POINT *point, BN_CTX *numbers) {
    element field;
    if (!read(&field, EC_GROUP_get0_field(group)) || !is_same(field, p)) return NULL;
    receipt_crypto_multiples *multiples = malloc(sizeof *multiples);
    if (multiples != NULL && fill(multiples->points[0][0], group, EC_GROUP_get0_generator(group), numbers)
        && fill(multiples->points[1][0], group, point, numbers))
        return multiples;
    free(multiples);
    return NULL;
}

void receipt_crypto_multiples_free(receipt_crypto_multiples *multiples) { free(multiples); }

/// Returns the bits of a scalar under the teeth of the comb, with the first tooth at this place.
static int digit(const element *scalar, int place) {
    int bits = 0;
    for (int tooth = 0; tooth < TEETH; tooth++) {
        int bit = tooth * SPACING + place;
        bits |= (int)(scalar->limbs[bit / 64] >> bit % 64 & 1) << tooth;
    }
    return bits;
}

/// Returns scalars[0] * generator + scalars[1] * key. z is 0 if the result is infinite, or if two summands have the
/// same x-coordinate. An attacker cannot cause that without the key's logarithm.
static jacobian multiply(const receipt_crypto_multiples *multiples, const element scalars[2]) {
    // Computes 2^384 - p, which is 1 in Montgomery form.
    element one = {{0}};
    decrease(&one, p);
    jacobian result;
    bool is_infinite = true;
    for (int row = ROWS - 1; row >= 0; row--) {
        if (!is_infinite) result = twice(result);
        for (int i = 0; i < 2 * TABLES; i++) {
            int bits = digit(&scalars[i / TABLES], row + i % TABLES * ROWS);
            if (bits == 0) continue;
            const affine *entry = &multiples->points[i / TABLES][i % TABLES][bits - 1];
            result = is_infinite ? (jacobian){entry->x, entry->y, one} : added(result, entry);
            is_infinite = false;
        }
    }
    return is_infinite ? (jacobian){0} : result;
}

bool receipt_crypto_multiples_refuse(
    const receipt_crypto_multiples *multiples, const EC_GROUP *group, const BIGNUM *u1, const BIGNUM *u2,
    const BIGNUM *r, BN_CTX *numbers) {
    element scalars[2], candidate;
    if (!read(&scalars[0], u1) || !read(&scalars[1], u2)) return false;
    jacobian point = multiply(multiples, scalars);
    // The affine coordinate is x / z^2. It is r modulo the order: r itself or, because the field is larger, r plus
    // the order. The candidates are not in Montgomery form, so neither are products with them.
    const element zz = square(point.z), x = product(point.x, (element){{1}});
    BN_CTX_start(numbers);
    BIGNUM *number = BN_CTX_get(numbers);
    bool done = number != NULL && !is_same(zz, (element){{0}}) && BN_copy(number, r) != NULL, differs = true;
    while (done && differs && BN_cmp(number, EC_GROUP_get0_field(group)) < 0) {
        done = read(&candidate, number) && BN_add(number, number, EC_GROUP_get0_order(group)) == 1;
        differs = done && !is_same(product(candidate, zz), x);
    }
    BN_CTX_end(numbers);
    return done && differs;
}
