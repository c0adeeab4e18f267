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

/// A trusted certificate, and signatures over one digest and another.
static struct {
    X509 *certificate;
    /// Its names point into the certificate.
    receipt_crypto_certificate_parts parts;
    receipt_crypto_digest digest, other_digest;
    /// The second one is by the key whose point is the curve's generator. A table of the wrong point could accept it.
    uint8_t genuine[SIGNATURE], by_generator[SIGNATURE];
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

static void prepare(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1), *generator = EC_KEY_dup(key);
    require(EC_KEY_generate_key(key) == 1 && EC_KEY_set_private_key(generator, BN_value_one()) == 1, "no keys");
    given.digest.count = given.other_digest.count = NUMBER;
    require(RAND_bytes(given.digest.bytes, NUMBER) == 1, "no digest");
    given.other_digest = given.digest;
    given.other_digest.bytes[0] ^= 1;
    sign(key, given.genuine);
    sign(generator, given.by_generator);
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
    for (int is_other = 0; is_other < 2; is_other++) {
        const receipt_crypto_status forged = check(chain, is_other, is_other ? given.genuine : given.by_generator);
        require(forged == RECEIPT_CRYPTO_BAD_SIGNATURE || forged == RECEIPT_CRYPTO_UNAVAILABLE, "accepts a forged signature");
        unavailable += forged == RECEIPT_CRYPTO_UNAVAILABLE;
    }
    return unavailable;
}

/// Lets call `number` fail, and with `is_lasting` all calls after it. Returns whether there was such a call.
static bool attempt(long number, bool is_lasting, long *unavailable) {
    receipt_crypto_error error = {0};
    receipt_crypto_context *context = receipt_crypto_context_new();
    receipt_crypto_anchors *anchors = receipt_crypto_anchors_new(context);
    require(receipt_crypto_anchors_add(anchors, given.parts.der, false, &error) == RECEIPT_CRYPTO_OK, "no anchor");
    receipt_crypto_chain *chain =
        receipt_crypto_chain_of(anchors, 0, RECEIPT_CRYPTO_JWS, &given.parts, NULL, SECONDS, &error);
    require(chain != NULL, error.message);
    for (int i = 1; i < ACCEPTANCES; i++) require(check(chain, false, given.genuine) == RECEIPT_CRYPTO_OK, "refuses");
    // An error of the host, which must remain the only one.
    ERR_clear_error();
    ERR_raise(ERR_LIB_USER, 1);
    const unsigned long host = ERR_peek_error();
    fault_is_lasting = is_lasting;
    fault_countdown = number;
    // The first check creates the table, if nothing fails.
    *unavailable += check_all(chain);
    *unavailable += check_all(chain);
    bool is_over = fault_countdown >= 0;
    fault_countdown = -1;
    fault_is_lasting = false;
    require(check_all(chain) == 0, "unavailable without a fault");
    require(ERR_get_error() == host && ERR_peek_error() == 0, "changes the host's errors");
    receipt_crypto_chain_free(chain);
    receipt_crypto_anchors_free(anchors);
    receipt_crypto_context_free(context);
    return !is_over;
}

void fault_tables(const char *name, long step) {
    prepare();
    for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
        long number = 0, unavailable = 0;
        while (attempt(number, is_lasting, &unavailable)) number += step;
        printf("tables: %ld %s, every %ld. failed%s: no wrong answer, %ld unavailable\n", number, name, step,
            is_lasting ? " with all after it" : "", unavailable);
    }
    OPENSSL_free((void *)given.parts.der.bytes);
    X509_free(given.certificate);
}
