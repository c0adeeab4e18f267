#include "CFloor.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <stdlib.h>

struct floor_key {
    EVP_PKEY_CTX *verifier;
    EVP_MD *digest;
};

static X509 *decode(const uint8_t *der, size_t count) { return d2i_X509(NULL, &der, (long)count); }

floor_key *floor_key_new(const uint8_t *certificate, size_t count, const char *digest) {
    floor_key *key = calloc(1, sizeof *key);
    X509 *x509 = decode(certificate, count);
    key->digest = EVP_MD_fetch(NULL, digest, NULL);
    key->verifier = EVP_PKEY_CTX_new(X509_get0_pubkey(x509), NULL);
    EVP_PKEY_verify_init(key->verifier);
    if (EVP_PKEY_is_a(X509_get0_pubkey(x509), "RSA")) EVP_PKEY_CTX_set_rsa_padding(key->verifier, RSA_PKCS1_PADDING);
    EVP_PKEY_CTX_set_signature_md(key->verifier, key->digest);
    X509_free(x509);
    return key;
}

bool floor_verify(
    floor_key *key, const uint8_t *content, size_t content_count, const uint8_t *signature, size_t signature_count) {
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int digest_count;
    return EVP_Digest(content, content_count, digest, &digest_count, key->digest, NULL) == 1
        && EVP_PKEY_verify(key->verifier, signature, signature_count, digest, digest_count) == 1;
}

bool floor_chain(const uint8_t *const *certificates, const size_t *counts, int64_t seconds) {
    static X509_STORE *store;
    static X509 *root;
    if (store == NULL) {
        store = X509_STORE_new();
        root = decode(certificates[2], counts[2]);
        X509_STORE_add_cert(store, root);
    }
    X509 *leaf = decode(certificates[0], counts[0]), *intermediate = decode(certificates[1], counts[1]);
    STACK_OF(X509) *untrusted = sk_X509_new_null();
    sk_X509_push(untrusted, intermediate);
    X509_STORE_CTX *check = X509_STORE_CTX_new();
    X509_STORE_CTX_init(check, store, leaf, untrusted);
    X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(check), (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(check), 0);
    bool good = X509_verify_cert(check) == 1;
    X509_STORE_CTX_free(check);
    sk_X509_pop_free(untrusted, X509_free);
    X509_free(leaf);
    return good;
}
