#include "include/COpinion.h"

#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

struct opinion_container {
    PKCS7 *pkcs7;
};

struct opinion_roots {
    STACK_OF(X509) * certificates;
};

opinion_container *opinion_decode(const uint8_t *bytes, size_t count) {
    const unsigned char *position = bytes;
    PKCS7 *pkcs7 = count > INT32_MAX ? NULL : d2i_PKCS7(NULL, &position, (long)count);
    ERR_clear_error();
    opinion_container *container =
        pkcs7 != NULL && PKCS7_type_is_signed(pkcs7) ? malloc(sizeof *container) : NULL;
    if (container == NULL) {
        PKCS7_free(pkcs7);
        return NULL;
    }
    container->pkcs7 = pkcs7;
    return container;
}

void opinion_container_free(opinion_container *container) {
    if (container != NULL) PKCS7_free(container->pkcs7);
    free(container);
}

/// Returns a copy of the memory BIO's content.
static opinion_bytes bytes_of(BIO *memory) {
    opinion_bytes content = {NULL, 0};
    char *bytes = NULL;
    long length = BIO_get_mem_data(memory, &bytes);
    content.bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (content.bytes != NULL && length > 0) memcpy(content.bytes, bytes, (size_t)length);
    if (content.bytes != NULL) content.count = (size_t)length;
    return content;
}

opinion_bytes opinion_content(const opinion_container *container) {
    opinion_bytes content = {NULL, 0};
    BIO *read = BIO_new(BIO_s_mem());
    int flags = PKCS7_BINARY | PKCS7_NOVERIFY | PKCS7_NOSIGS;
    if (read != NULL && PKCS7_verify(container->pkcs7, NULL, NULL, NULL, read, flags) == 1) content = bytes_of(read);
    BIO_free(read);
    ERR_clear_error();
    return content;
}

void opinion_free(opinion_bytes bytes) { free(bytes.bytes); }

opinion_roots *opinion_roots_decode(const uint8_t *bytes, size_t count) {
    opinion_roots *roots = malloc(sizeof *roots);
    if (roots == NULL || (roots->certificates = sk_X509_new_null()) == NULL) abort();
    const unsigned char *position = bytes;
    while (position < bytes + count) {
        X509 *root = d2i_X509(NULL, &position, (long)(bytes + count - position));
        if (root == NULL || sk_X509_push(roots->certificates, root) == 0) abort();
    }
    return roots;
}

/// Creates a store of the roots that verifies at this time. Receipts need auth level 0, because Apple's older
/// chains use SHA-1, and any purpose, because OpenSSL defines none for them.
static X509_STORE *store_of(const opinion_roots *roots, int64_t seconds) {
    X509_STORE *store = X509_STORE_new();
    if (store == NULL) return NULL;
    for (int index = 0; index < sk_X509_num(roots->certificates); index++)
        X509_STORE_add_cert(store, sk_X509_value(roots->certificates, index));
    X509_VERIFY_PARAM *parameters = X509_STORE_get0_param(store);
    X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY);
    return store;
}

bool opinion_verify(const opinion_container *container, const opinion_roots *roots, int64_t seconds) {
    X509_STORE *store = store_of(roots, seconds);
    BIO *read = BIO_new(BIO_s_mem());
    int result = store == NULL ? 0 : PKCS7_verify(container->pkcs7, NULL, store, NULL, read, PKCS7_BINARY);
    BIO_free(read);
    X509_STORE_free(store);
    ERR_clear_error();
    return result == 1;
}

opinion_bytes opinion_name(const uint8_t *bytes, size_t count) {
    opinion_bytes text = {NULL, 0};
    const unsigned char *position = bytes;
    X509_NAME *name = d2i_X509_NAME(NULL, &position, (long)count);
    BIO *memory = BIO_new(BIO_s_mem());
    unsigned long style = (XN_FLAG_RFC2253 & ~(XN_FLAG_DN_REV | ASN1_STRFLGS_ESC_MSB)) | ASN1_STRFLGS_ESC_CTRL;
    if (name != NULL && memory != NULL && X509_NAME_print_ex(memory, name, 0, style) >= 0) text = bytes_of(memory);
    BIO_free(memory);
    X509_NAME_free(name);
    ERR_clear_error();
    return text;
}

bool opinion_configure(const uint8_t *bytes, size_t count) {
    if (count > INT32_MAX || OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) != 1) return false;
    CONF *configuration = NCONF_new(NULL);
    BIO *text = BIO_new_mem_buf(bytes, (int)count);
    long line = 0;
    bool is_read = configuration != NULL && text != NULL && NCONF_load_bio(configuration, text, &line) == 1;
    // An error in one section must not stop the other sections from taking effect.
    if (is_read)
        CONF_modules_load(
            configuration, NULL, CONF_MFLAGS_IGNORE_ERRORS | CONF_MFLAGS_IGNORE_RETURN_CODES | CONF_MFLAGS_SILENT);
    BIO_free(text);
    NCONF_free(configuration);
    ERR_clear_error();
    return is_read;
}
