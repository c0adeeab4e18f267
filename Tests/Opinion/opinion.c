#include "include/COpinion.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

static PKCS7 *decode(const uint8_t *container, size_t count) {
    const unsigned char *position = container;
    PKCS7 *pkcs7 = count > INT32_MAX ? NULL : d2i_PKCS7(NULL, &position, (long)count);
    if (pkcs7 != NULL && PKCS7_type_is_signed(pkcs7)) return pkcs7;
    PKCS7_free(pkcs7);
    return NULL;
}

opinion_bytes opinion_content(const uint8_t *container, size_t count) {
    opinion_bytes content = {NULL, 0};
    PKCS7 *pkcs7 = decode(container, count);
    BIO *read = BIO_new(BIO_s_mem());
    int flags = PKCS7_BINARY | PKCS7_NOVERIFY | PKCS7_NOSIGS;
    if (pkcs7 != NULL && read != NULL && PKCS7_verify(pkcs7, NULL, NULL, NULL, read, flags) == 1) {
        char *bytes = NULL;
        long length = BIO_get_mem_data(read, &bytes);
        content.bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
        if (content.bytes != NULL && length > 0) memcpy(content.bytes, bytes, (size_t)length);
        if (content.bytes != NULL) content.count = (size_t)length;
    }
    BIO_free(read);
    PKCS7_free(pkcs7);
    ERR_clear_error();
    return content;
}

void opinion_free(opinion_bytes bytes) { free(bytes.bytes); }

/// A store of these roots that judges at this time. Auth level 0 and any purpose, as receipts need: SHA-1 links
/// are Apple's own history, and no purpose of OpenSSL's is theirs.
static X509_STORE *store_of(const uint8_t *roots, size_t roots_count, int64_t seconds) {
    X509_STORE *store = X509_STORE_new();
    if (store == NULL) return NULL;
    const unsigned char *position = roots;
    while (position < roots + roots_count) {
        X509 *root = d2i_X509(NULL, &position, (long)(roots + roots_count - position));
        if (root == NULL) break;
        X509_STORE_add_cert(store, root);
        X509_free(root);
    }
    X509_VERIFY_PARAM *parameters = X509_STORE_get0_param(store);
    X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY);
    return store;
}

opinion_verdict opinion_verify(
    const uint8_t *container, size_t count, const uint8_t *roots, size_t roots_count, int64_t seconds) {
    PKCS7 *pkcs7 = decode(container, count);
    if (pkcs7 == NULL) {
        ERR_clear_error();
        return OPINION_UNDECODABLE;
    }
    X509_STORE *store = store_of(roots, roots_count, seconds);
    BIO *read = BIO_new(BIO_s_mem());
    int result = store == NULL ? 0 : PKCS7_verify(pkcs7, NULL, store, NULL, read, PKCS7_BINARY);
    BIO_free(read);
    X509_STORE_free(store);
    PKCS7_free(pkcs7);
    ERR_clear_error();
    return result == 1 ? OPINION_GENUINE : OPINION_REFUSED;
}
