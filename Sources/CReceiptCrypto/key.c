// Public keys: SubjectPublicKeyInfo (RFC 5280, 4.1.2.7; RFC 3279, 2.3.1; RFC 5480).

#include "key.h"

#include <openssl/obj_mac.h>
#include <stdlib.h>

enum { MAX_RSA_EXPONENT_BITS = 64 };

static BIGNUM *number(receipt_crypto_slice bytes) { return BN_bin2bn(bytes.bytes, (int)bytes.count, NULL); }

/// RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER } (RFC 8017, A.1.1).
static receipt_crypto_status read_rsa(
    const receipt_crypto_context *context, receipt_crypto_slice bits, int min_rsa_bits, receipt_crypto_key *key) {
    receipt_crypto_slice fields, modulus, exponent;
    if (!receipt_crypto_take(&bits, DER_SEQUENCE, NULL, &fields) || bits.count != 0 || !receipt_crypto_take_positive(&fields, &modulus)
        || !receipt_crypto_take_positive(&fields, &exponent) || fields.count != 0 || modulus.count > MAX_RSA_BITS / 8)
        return RECEIPT_CRYPTO_BAD_KEY;
    if ((key->modulus = number(modulus)) == NULL || (key->exponent = number(exponent)) == NULL)
        return RECEIPT_CRYPTO_UNAVAILABLE;
    if (BN_num_bits(key->modulus) < min_rsa_bits || !BN_is_odd(key->modulus)
        || BN_num_bits(key->exponent) > MAX_RSA_EXPONENT_BITS || !BN_is_odd(key->exponent) || BN_is_one(key->exponent))
        return RECEIPT_CRYPTO_BAD_KEY;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    key->montgomery = numbers != NULL ? BN_MONT_CTX_new() : NULL;
    bool is_set = key->montgomery != NULL && BN_MONT_CTX_set(key->montgomery, key->modulus, numbers) == 1;
    receipt_crypto_give_back_numbers(context, numbers);
    return is_set ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_UNAVAILABLE;
}

/// Reads a named curve and an uncompressed point. Rejects compressed points. Also rejects explicit curve parameters,
/// because an attacker can choose them.
static receipt_crypto_status read_elliptic(
    const receipt_crypto_context *context, receipt_crypto_slice curve, receipt_crypto_slice point,
    receipt_crypto_key *key) {
    bool is_p256 = receipt_crypto_is(curve, "\x2A\x86\x48\xCE\x3D\x03\x01\x07");
    bool is_p384 = receipt_crypto_is(curve, "\x2B\x81\x04\x00\x22");
    if ((!is_p256 && !is_p384) || point.count != (is_p256 ? 65 : 97) || point.bytes[0] != 4)
        return RECEIPT_CRYPTO_BAD_KEY;
    key->group = EC_GROUP_new_by_curve_name_ex(context->library, NULL, is_p256 ? NID_X9_62_prime256v1 : NID_secp384r1);
    key->point = key->group != NULL ? EC_POINT_new(key->group) : NULL;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    receipt_crypto_status status = RECEIPT_CRYPTO_UNAVAILABLE;
    if (key->point != NULL && numbers != NULL) {
        bool is_on_curve = EC_POINT_oct2point(key->group, key->point, point.bytes, point.count, numbers) == 1;
        // If memory runs out, the last error can come from any function. Only these two errors mean that the point is
        // invalid.
        int reason = is_on_curve ? 0 : ERR_GET_REASON(ERR_peek_last_error());
        bool is_bad = reason == EC_R_POINT_IS_NOT_ON_CURVE || reason == EC_R_INVALID_ENCODING;
        status = is_on_curve ? RECEIPT_CRYPTO_OK : is_bad ? RECEIPT_CRYPTO_BAD_KEY : RECEIPT_CRYPTO_UNAVAILABLE;
    }
    receipt_crypto_give_back_numbers(context, numbers);
    return status;
}

receipt_crypto_status receipt_crypto_key_new(
    const receipt_crypto_context *context, receipt_crypto_slice info, int min_rsa_bits, receipt_crypto_key **key) {
    receipt_crypto_slice fields, algorithm, identifier, curve = {NULL, 0}, bits, nothing;
    *key = NULL;
    // SubjectPublicKeyInfo ::= SEQUENCE { algorithm AlgorithmIdentifier, subjectPublicKey BIT STRING }
    if (!receipt_crypto_take(&info, DER_SEQUENCE, NULL, &fields) || info.count != 0
        || !receipt_crypto_take(&fields, DER_SEQUENCE, NULL, &algorithm)
        || !receipt_crypto_take(&algorithm, DER_OBJECT_IDENTIFIER, NULL, &identifier)
        || !receipt_crypto_take(&fields, DER_BIT_STRING, NULL, &bits) || fields.count != 0
        || bits.count == 0 || bits.bytes[0] != 0)
        return RECEIPT_CRYPTO_BAD_KEY;
    bits.bytes++;
    bits.count--;
    // RFC 3279, 2.3.1: for RSA, "the parameters field MUST have ASN.1 type NULL".
    bool is_rsa = receipt_crypto_is(identifier, "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01")
        && receipt_crypto_take(&algorithm, DER_NULL, NULL, &nothing) && nothing.count == 0;
    bool is_elliptic = receipt_crypto_is(identifier, "\x2A\x86\x48\xCE\x3D\x02\x01")
        && receipt_crypto_take(&algorithm, DER_OBJECT_IDENTIFIER, NULL, &curve);
    if ((!is_rsa && !is_elliptic) || algorithm.count != 0) return RECEIPT_CRYPTO_BAD_KEY;
    receipt_crypto_key *new = calloc(1, sizeof *new);
    if (new == NULL) return RECEIPT_CRYPTO_UNAVAILABLE;
    new->context = (receipt_crypto_context *)context;
    receipt_crypto_status status =
        is_rsa ? read_rsa(context, bits, min_rsa_bits, new) : read_elliptic(context, curve, bits, new);
    if (status == RECEIPT_CRYPTO_OK)
        *key = new;
    else
        receipt_crypto_key_free(new);
    return status;
}

void receipt_crypto_key_free(receipt_crypto_key *key) {
    if (key == NULL) return;
    BN_free(key->modulus);
    BN_free(key->exponent);
    BN_MONT_CTX_free(key->montgomery);
    free(key->lane_key);
    receipt_crypto_multiples_free(key->multiples);
    if (key->own_group != NULL) atomic_fetch_sub(&key->context->tables, 1);
    EC_GROUP_free(key->own_group);
    EC_POINT_free(key->point);
    EC_GROUP_free(key->group);
    free(key);
}

bool receipt_crypto_key_is_rsa(const receipt_crypto_key *key) { return key->modulus != NULL; }

size_t receipt_crypto_key_bits(const receipt_crypto_key *key) {
    return (size_t)(receipt_crypto_key_is_rsa(key) ? BN_num_bits(key->modulus) : EC_GROUP_order_bits(key->group));
}

void receipt_crypto_key_refused(const receipt_crypto_context *context, receipt_crypto_key *key) {
    // Computing the multiples takes as long as six checks. The total time is therefore at most twice that of the better
    // choice: computing them at once, or never.
    enum { REFUSALS = 6 };
    if (receipt_crypto_key_is_rsa(key) || atomic_load(&key->multiples) != NULL
        || atomic_fetch_add(&key->refusals, 1) + 1 < REFUSALS)
        return;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    receipt_crypto_multiples *none = NULL;
    receipt_crypto_multiples *multiples =
        numbers != NULL ? receipt_crypto_multiples_new(key->group, key->point, numbers) : NULL;
    receipt_crypto_give_back_numbers(context, numbers);
    // If memory is exhausted, tries again after six more invalid signatures.
    if (multiples == NULL) atomic_store(&key->refusals, 0);
    // Another thread may have been first.
    if (!atomic_compare_exchange_strong(&key->multiples, &none, multiples)) receipt_crypto_multiples_free(multiples);
}

void receipt_crypto_key_accepted(const receipt_crypto_context *context, receipt_crypto_key *key) {
    // Creating the table takes as long as some 400 checks.
    enum { ACCEPTANCES = 1000, MAX_TABLES = 16 };
    // Only the thread that counts this number creates the table.
    if (receipt_crypto_key_is_rsa(key) || atomic_load(&key->own_group) != NULL
        || atomic_fetch_add(&key->acceptances, 1) + 1 != ACCEPTANCES)
        return;
    BN_CTX *numbers = receipt_crypto_borrow_numbers(context);
    EC_GROUP *group = NULL;
    if (atomic_fetch_add(&key->context->tables, 1) < MAX_TABLES && numbers != NULL)
        group = receipt_crypto_own_group_new(key, numbers);
    receipt_crypto_give_back_numbers(context, numbers);
    atomic_store(&key->own_group, group);
    if (group != NULL) return;
    // There are too many tables, or memory is exhausted. Tries again after as many valid signatures.
    atomic_fetch_sub(&key->context->tables, 1);
    atomic_store(&key->acceptances, 0);
}
