#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#include "library.h"

static uint64_t give(EVP_PKEY *pkey, forge_key **key) {
    *key = pkey;
    return forge_outcome(pkey != NULL);
}

uint64_t forge_key_generate_rsa(unsigned bits, uint32_t exponent, forge_key **key) {
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(forge_library(), "RSA", NULL);
    BIGNUM *e = BN_new();
    if (context && e && BN_set_word(e, exponent) && EVP_PKEY_keygen_init(context) > 0
        && EVP_PKEY_CTX_set_rsa_keygen_bits(context, (int)bits) > 0
        && EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, e) > 0)
        EVP_PKEY_generate(context, &pkey);
    BN_free(e);
    EVP_PKEY_CTX_free(context);
    return give(pkey, key);
}

uint64_t forge_key_generate_ec(unsigned curve_bits, forge_key **key) {
    return give(EVP_PKEY_Q_keygen(forge_library(), NULL, "EC", curve_bits == 384 ? "P-384" : "P-256"), key);
}

uint64_t forge_key_import(const uint8_t *bytes, size_t count, forge_key **key) {
    EVP_PKEY *pkey = NULL;
    BIO *bio = BIO_new_mem_buf(bytes, (int)count);
    if (bio && count > 0 && bytes[0] == '-')
        pkey = PEM_read_bio_PrivateKey_ex(bio, NULL, NULL, NULL, forge_library(), NULL);
    else if (bio)
        pkey = d2i_PrivateKey_ex_bio(bio, NULL, forge_library(), NULL);
    BIO_free(bio);
    return give(pkey, key);
}

void forge_key_free(forge_key *key) {
    EVP_PKEY_free(key);
}

int forge_key_is_rsa(const forge_key *key) {
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA;
}

unsigned forge_key_bits(const forge_key *key) {
    return (unsigned)EVP_PKEY_get_bits(key);
}

/// Copies the content of a BIO, if it fits.
static uint64_t take(BIO *bio, int written, uint8_t *output, size_t *count) {
    char *bytes = NULL;
    long length = bio && written ? BIO_get_mem_data(bio, &bytes) : 0;
    int fits = length > 0 && (size_t)length <= *count;
    if (fits) {
        memcpy(output, bytes, (size_t)length);
        *count = (size_t)length;
    }
    BIO_free(bio);
    return forge_outcome(fits);
}

uint64_t forge_key_export(const forge_key *key, int pem, uint8_t *output, size_t *count) {
    BIO *bio = BIO_new(BIO_s_mem());
    int written = 0;
    if (bio)
        written = pem ? PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)
                      : i2d_PKCS8PrivateKey_bio(bio, key, NULL, NULL, 0, NULL, NULL);
    return take(bio, written, output, count);
}

uint64_t forge_key_public(const forge_key *key, uint8_t *output, size_t *count) {
    BIO *bio = BIO_new(BIO_s_mem());
    return take(bio, bio && i2d_PUBKEY_bio(bio, key), output, count);
}
