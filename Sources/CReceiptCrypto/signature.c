// Signatures over a digest, with algorithms from an allowed list. The checks run the public-key operation itself and
// compare its complete result. They call no methods of key objects, because a host can replace those.

#include "key.h"

#include <string.h>

// DigestInfo ::= SEQUENCE { digestAlgorithm AlgorithmIdentifier, digest OCTET STRING }
//
// RFC 8017, 9.2, note 1: everything before the digest is constant.
static const uint8_t sha1_info[] = {
    0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14};
static const uint8_t sha256_info[] = {
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
static const uint8_t sha384_info[] = {
    0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30};
static const uint8_t sha512_info[] = {
    0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40};

static const struct {
    const uint8_t *info;
    size_t info_count, digest_count;
} formats[] = {
    [RECEIPT_CRYPTO_SHA1] = {sha1_info, sizeof sha1_info, 20},
    [RECEIPT_CRYPTO_SHA256] = {sha256_info, sizeof sha256_info, 32},
    [RECEIPT_CRYPTO_SHA384] = {sha384_info, sizeof sha384_info, 48},
    [RECEIPT_CRYPTO_SHA512] = {sha512_info, sizeof sha512_info, 64},
};

/// Returns whether the algorithm is known and the digest has its length.
static bool is_digest(receipt_crypto_digest_algorithm algorithm, const receipt_crypto_digest *digest) {
    return algorithm >= RECEIPT_CRYPTO_SHA1 && algorithm <= RECEIPT_CRYPTO_SHA512
        && digest->count == formats[algorithm].digest_count;
}

bool receipt_crypto_encode_message(
    receipt_crypto_digest_algorithm algorithm, const receipt_crypto_digest *digest, uint8_t *message, size_t count) {
    if (!is_digest(algorithm, digest)) return false;
    // EM = 0x00 || 0x01 || PS || 0x00 || T. Even the smallest modulus has more room than the longest T needs.
    size_t info_count = formats[algorithm].info_count;
    uint8_t *end = message + count - digest->count - info_count;
    memset(message, 0xFF, count);
    message[0] = 0;
    message[1] = 1;
    end[-1] = 0;
    memcpy(end, formats[algorithm].info, info_count);
    memcpy(end + info_count, digest->bytes, digest->count);
    return true;
}

/// Computes RSAVP1 (RFC 8017, 5.2.2): m = s^e mod n. Apple's exponent of 65537 takes sixteen squarings and a
/// multiplication by s. Because s is not in Montgomery form, the multiplication also converts the result from that
/// form. BN_mod_exp_mont needs two more multiplications, by 1.
static bool verify_primitive(
    const receipt_crypto_key *key, const BIGNUM *s, BIGNUM *m, BN_CTX *numbers) {
    if (!BN_is_word(key->exponent, 65537))
        return BN_mod_exp_mont(m, s, key->exponent, key->modulus, numbers, key->montgomery) == 1;
    bool done = BN_to_montgomery(m, s, key->montgomery, numbers) == 1;
    for (int bit = 0; bit < 16 && done; bit++) done = BN_mod_mul_montgomery(m, m, m, key->montgomery, numbers) == 1;
    return done && BN_mod_mul_montgomery(m, m, s, key->montgomery, numbers) == 1;
}

/// Runs RSASSA-PKCS1-V1_5-VERIFY (RFC 8017, 8.2.2): encodes the message again and compares all of it. So neither
/// garbage after the digest (Bleichenbacher, 2006) nor an alternative encoding is accepted.
static receipt_crypto_status verify_rsa(
    const receipt_crypto_key *key, receipt_crypto_digest_algorithm algorithm, const receipt_crypto_digest *digest,
    receipt_crypto_slice signature, BN_CTX *numbers) {
    size_t count = (size_t)BN_num_bytes(key->modulus);
    uint8_t expected[MAX_RSA_BITS / 8], found[MAX_RSA_BITS / 8];
    // Step 1: "If the length of the signature S is not k octets, output 'invalid signature'".
    if (signature.count != count) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    BIGNUM *representative = BN_CTX_get(numbers), *message = BN_CTX_get(numbers);
    if (message == NULL || BN_bin2bn(signature.bytes, (int)count, representative) == NULL)
        return RECEIPT_CRYPTO_UNAVAILABLE;
    // 5.2.2: "If the signature representative s is not between 0 and n - 1, output 'signature representative out of range'".
    if (BN_ucmp(representative, key->modulus) >= 0) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    if (!verify_primitive(key, representative, message, numbers)
        || BN_bn2binpad(message, found, (int)count) != (int)count)
        return RECEIPT_CRYPTO_UNAVAILABLE;
    if (!receipt_crypto_encode_message(algorithm, digest, expected, count)) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    return memcmp(expected, found, count) == 0 ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_BAD_SIGNATURE;
}

/// Checks an ECDSA signature (SEC 1, 4.1.4) with its two numbers, big endian.
static receipt_crypto_status verify_elliptic(
    const receipt_crypto_key *key, const receipt_crypto_digest *digest, receipt_crypto_slice r_octets,
    receipt_crypto_slice s_octets, BN_CTX *numbers) {
    const BIGNUM *order = EC_GROUP_get0_order(key->group);
    size_t count = (size_t)BN_num_bytes(order);
    BIGNUM *r = BN_CTX_get(numbers), *s = BN_CTX_get(numbers), *e = BN_CTX_get(numbers), *x = BN_CTX_get(numbers);
    if (x == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    if (r_octets.count > count || s_octets.count > count) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    if (BN_bin2bn(r_octets.bytes, (int)r_octets.count, r) == NULL
        || BN_bin2bn(s_octets.bytes, (int)s_octets.count, s) == NULL)
        return RECEIPT_CRYPTO_UNAVAILABLE;
    // Step 1: "If r and s are not both integers in the interval [1, n - 1], output 'invalid' and stop."
    if (BN_is_zero(r) || BN_is_zero(s) || BN_ucmp(r, order) >= 0 || BN_ucmp(s, order) >= 0)
        return RECEIPT_CRYPTO_BAD_SIGNATURE;
    // Step 3: the leftmost bits of the digest. The orders of both curves fill whole octets.
    if (count > digest->count) count = digest->count;
    if (BN_bin2bn(digest->bytes, (int)count, e) == NULL || !receipt_crypto_invert(s, order)
        || BN_mod_mul(e, e, s, order, numbers) != 1 || BN_mod_mul(s, r, s, order, numbers) != 1)
        return RECEIPT_CRYPTO_UNAVAILABLE;
    // The table of the key can only accept a signature.
    const EC_GROUP *own_group = atomic_load(&key->own_group);
    if (own_group != NULL && receipt_crypto_own_group_accepts(key, own_group, e, s, r, numbers)) return RECEIPT_CRYPTO_OK;
    // The multiples can only reject a signature.
    const receipt_crypto_multiples *multiples = atomic_load(&key->multiples);
    if (multiples != NULL && receipt_crypto_multiples_refuse(multiples, key->group, e, s, r, numbers))
        return RECEIPT_CRYPTO_BAD_SIGNATURE;
    EC_POINT *sum = EC_POINT_new(key->group);
    bool done = sum != NULL && EC_POINT_mul(key->group, sum, e, key->point, s, numbers) == 1;
    bool is_infinite = done && EC_POINT_is_at_infinity(key->group, sum) == 1;
    if (done && !is_infinite)
        done = EC_POINT_get_affine_coordinates(key->group, sum, x, NULL, numbers) == 1
            && BN_nnmod(x, x, order, numbers) == 1;
    EC_POINT_free(sum);
    if (!done) return RECEIPT_CRYPTO_UNAVAILABLE;
    return !is_infinite && BN_ucmp(x, r) == 0 ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_BAD_SIGNATURE;
}

/// Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER } (RFC 3279, 2.2.3).
static receipt_crypto_status verify_elliptic_value(
    const receipt_crypto_key *key, const receipt_crypto_digest *digest, receipt_crypto_slice signature,
    BN_CTX *numbers) {
    receipt_crypto_slice fields, r, s;
    if (!receipt_crypto_take(&signature, DER_SEQUENCE, NULL, &fields) || signature.count != 0
        || !receipt_crypto_take_positive(&fields, &r) || !receipt_crypto_take_positive(&fields, &s)
        || fields.count != 0)
        return RECEIPT_CRYPTO_BAD_SIGNATURE;
    return verify_elliptic(key, digest, r, s, numbers);
}

receipt_crypto_status receipt_crypto_verify_digest(
    const receipt_crypto_context *context, const receipt_crypto_key *key, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    if (!is_digest(algorithm, digest)) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    if (numbers == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    receipt_crypto_status status = receipt_crypto_key_is_rsa(key)
        ? verify_rsa(key, algorithm, digest, signature, numbers)
        : verify_elliptic_value(key, digest, signature, numbers);
    receipt_crypto_give_back_numbers(context, numbers);
    return status;
}

receipt_crypto_status receipt_crypto_verify_es256(
    const receipt_crypto_context *context, const receipt_crypto_key *key, const receipt_crypto_digest *digest,
    receipt_crypto_slice signature) {
    enum { NUMBER = 32 };
    if (receipt_crypto_key_is_rsa(key) || receipt_crypto_key_bits(key) != 8 * NUMBER || signature.count != 2 * NUMBER
        || digest->count != formats[RECEIPT_CRYPTO_SHA256].digest_count)
        return RECEIPT_CRYPTO_BAD_SIGNATURE;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    if (numbers == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    receipt_crypto_slice r = {signature.bytes, NUMBER}, s = {signature.bytes + NUMBER, NUMBER};
    receipt_crypto_status status = verify_elliptic(key, digest, r, s, numbers);
    receipt_crypto_give_back_numbers(context, numbers);
    return status;
}
