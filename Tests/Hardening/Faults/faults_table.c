// Makes each call fail in turn while a key gets OpenSSL's table of its multiples, and while the module uses that table. A
// genuine signature must be accepted or reported as unavailable. Forged ones must not be accepted, then or later.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "faults.h"

#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 32, SIGNATURE = 2 * NUMBER, ACCEPTANCES = 1000, SECONDS = 1717236000 };
enum { BY_GENERATOR, BY_DIGEST_ALONE, BY_KEY_ALONE, FORGED };

/// A trusted certificate, and signatures over one digest and another.
static struct {
    X509 *certificate;
    /// Its names point into the certificate.
    receipt_crypto_certificate_parts parts;
    receipt_crypto_digest digest, other_digest;
    uint8_t genuine[SIGNATURE];
    /// Signatures that a defect after a failed call could accept. The first one would pass with a table of the generator
    /// instead of the key's. Each of the others would pass if one of the summands u1 * generator and u2 * key were missing.
    uint8_t forged[FORGED][SIGNATURE];
} given;

static void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "tables: %s\n", what);
    exit(1);
}

static void sign(EC_KEY *key, uint8_t *bytes) {
    ECDSA_SIG *signature = ECDSA_do_sign(given.digest.bytes, NUMBER, key);
    require(signature != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes, NUMBER) == NUMBER
            && BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes + NUMBER, NUMBER) == NUMBER, "cannot sign");
    ECDSA_SIG_free(signature);
}

/// Makes r and s such that r is the x-coordinate of one summand alone: u1 * generator or u2 * key. That summand is the point
/// times k, and s is e / k or r / k.
static void forge(const EC_KEY *key, const EC_POINT *point, bool is_of_digest, uint8_t *bytes) {
    const EC_GROUP *group = EC_KEY_get0_group(key);
    const BIGNUM *order = EC_GROUP_get0_order(group);
    BN_CTX *numbers = BN_CTX_new();
    BIGNUM *k = BN_new(), *r = BN_new(), *s = BN_new(), *e = BN_bin2bn(given.digest.bytes, NUMBER, NULL);
    EC_POINT *multiple = EC_POINT_new(group);
    require(BN_rand_range(k, order) == 1 && EC_POINT_mul(group, multiple, NULL, point, k, numbers) == 1
            && EC_POINT_get_affine_coordinates(group, multiple, r, NULL, numbers) == 1
            && BN_nnmod(r, r, order, numbers) == 1 && BN_mod_inverse(s, k, order, numbers) != NULL
            && BN_mod_mul(s, s, is_of_digest ? e : r, order, numbers) == 1
            && BN_bn2binpad(r, bytes, NUMBER) == NUMBER && BN_bn2binpad(s, bytes + NUMBER, NUMBER) == NUMBER, "cannot forge");
    EC_POINT_free(multiple);
    BN_free(k);
    BN_free(r);
    BN_free(s);
    BN_free(e);
    BN_CTX_free(numbers);
}

static void prepare(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1), *generator = EC_KEY_dup(key);
    require(EC_KEY_generate_key(key) == 1 && EC_KEY_set_private_key(generator, BN_value_one()) == 1, "no keys");
    given.digest.count = given.other_digest.count = NUMBER;
    require(RAND_bytes(given.digest.bytes, NUMBER) == 1, "no digest");
    given.other_digest = given.digest;
    given.other_digest.bytes[0] ^= 1;
    sign(key, given.genuine);
    sign(generator, given.forged[BY_GENERATOR]);
    forge(key, EC_GROUP_get0_generator(EC_KEY_get0_group(key)), true, given.forged[BY_DIGEST_ALONE]);
    forge(key, EC_KEY_get0_public_key(key), false, given.forged[BY_KEY_ALONE]);
    EVP_PKEY *wrapped = EVP_PKEY_new();
    X509 *x509 = given.certificate = X509_new();
    require(EVP_PKEY_set1_EC_KEY(wrapped, key) == 1 && X509_set_version(x509, 2) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(x509), 1) == 1 && X509_set_pubkey(x509, wrapped) == 1
            && ASN1_TIME_set(X509_getm_notBefore(x509), SECONDS - 1) != NULL
            && ASN1_TIME_set(X509_getm_notAfter(x509), SECONDS + 1) != NULL
            && X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC, (const uint8_t *)"Key", -1, -1, 0) == 1
            && X509_set_issuer_name(x509, X509_get_subject_name(x509)) == 1
            && X509_sign(x509, wrapped, EVP_sha256()) > 0, "no certificate");
    given.parts = fault_parts_of(x509);
    EVP_PKEY_free(wrapped);
    EC_KEY_free(key);
    EC_KEY_free(generator);
}

static receipt_crypto_status check(const receipt_crypto_chain *chain, bool is_other, const uint8_t *signature) {
    return receipt_crypto_chain_verify_es256(
        chain, is_other ? &given.other_digest : &given.digest, (receipt_crypto_slice){signature, SIGNATURE});
}

/// Checks the genuine signature and the forged ones. Returns the number of unavailable results.
static int check_all(const receipt_crypto_chain *chain) {
    int unavailable = 0;
    const receipt_crypto_status genuine = check(chain, false, given.genuine);
    require(genuine == RECEIPT_CRYPTO_OK || genuine == RECEIPT_CRYPTO_UNAVAILABLE, "refuses a genuine signature");
    unavailable += genuine == RECEIPT_CRYPTO_UNAVAILABLE;
    for (int i = 0; i <= FORGED; i++) {
        const bool is_other = i == FORGED;
        const receipt_crypto_status forged = check(chain, is_other, is_other ? given.genuine : given.forged[i]);
        require(forged == RECEIPT_CRYPTO_BAD_SIGNATURE || forged == RECEIPT_CRYPTO_UNAVAILABLE, "accepts a forged signature");
        unavailable += forged == RECEIPT_CRYPTO_UNAVAILABLE;
    }
    return unavailable;
}

/// A trusted key of its own context.
typedef struct {
    receipt_crypto_context *context;
    receipt_crypto_anchors *anchors;
    receipt_crypto_chain *chain;
} trust;

static trust trust_new(void) {
    receipt_crypto_error error = {0};
    trust trust = {.context = receipt_crypto_context_new()};
    trust.anchors = receipt_crypto_anchors_new(trust.context);
    require(receipt_crypto_anchors_add(trust.anchors, given.parts.der, false, &error) == RECEIPT_CRYPTO_OK, "no anchor");
    trust.chain = receipt_crypto_chain_of(trust.anchors, 0, RECEIPT_CRYPTO_JWS, &given.parts, NULL, SECONDS, &error);
    require(trust.chain != NULL, error.message);
    return trust;
}

static void trust_free(trust trust) {
    receipt_crypto_chain_free(trust.chain);
    receipt_crypto_anchors_free(trust.anchors);
    receipt_crypto_context_free(trust.context);
}

/// Checks that exactly the thousandth valid signature creates a table, however many invalid ones there are.
static void count_tables(void) {
    trust trust = trust_new();
    fault_large_allocations = 0;
    for (int i = 0; i < ACCEPTANCES; i++) {
        require(fault_large_allocations == 0, "creates a table too early");
        require(check(trust.chain, false, given.forged[i % FORGED]) == RECEIPT_CRYPTO_BAD_SIGNATURE, "accepts");
        require(check(trust.chain, false, given.genuine) == RECEIPT_CRYPTO_OK, "refuses");
    }
    require(fault_large_allocations == 1, "creates no table");
    trust_free(trust);
}

/// Lets call `number` fail, and with `is_lasting` all calls after it. Returns whether there was such a call.
static bool attempt(long number, bool is_lasting, long *unavailable) {
    trust trust = trust_new();
    for (int i = 1; i < ACCEPTANCES; i++) require(check(trust.chain, false, given.genuine) == RECEIPT_CRYPTO_OK, "refuses");
    // An error of the host, which must remain the only one.
    ERR_clear_error();
    ERR_raise(ERR_LIB_USER, 1);
    const unsigned long host = ERR_peek_error();
    fault_is_lasting = is_lasting;
    fault_countdown = number;
    // The first check creates the table, if nothing fails.
    *unavailable += check_all(trust.chain);
    *unavailable += check_all(trust.chain);
    bool is_over = fault_countdown >= 0;
    fault_countdown = -1;
    fault_is_lasting = false;
    require(check_all(trust.chain) == 0, "unavailable without a fault");
    require(ERR_get_error() == host && ERR_peek_error() == 0, "changes the host's errors");
    trust_free(trust);
    return !is_over;
}

void fault_tables(const char *name, long step) {
    prepare();
    count_tables();
    for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
        // Lasting failures differ less from each other.
        long number = 0, unavailable = 0, distance = is_lasting ? 5 * step : step;
        while (attempt(number, is_lasting, &unavailable)) number += distance;
        printf("tables: %ld %s, every %ld. failed%s: no wrong answer, %ld unavailable\n", number, name, distance,
            is_lasting ? " with all after it" : "", unavailable);
    }
    OPENSSL_free((void *)given.parts.der.bytes);
    X509_free(given.certificate);
}
