// What OpenSSL's own PKCS #7 code says of the same container.

#include "internal.h"

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <string.h>

/// A store of its own, because PKCS7_verify takes time and purpose from the store.
static X509_STORE *store_at(const receipt_crypto_anchors *anchors, int64_t seconds) {
    X509_STORE *store = X509_STORE_new();
    bool complete = store != NULL && receipt_crypto_set_path_parameters(X509_STORE_get0_param(store), seconds);
    for (size_t i = 0; complete && i < anchors->count; i++)
        complete = X509_STORE_add_cert(store, anchors->list[i].certificate) == 1;
    if (complete) return store;
    X509_STORE_free(store);
    return NULL;
}

static PKCS7 *decode(const receipt_crypto_context *context, receipt_crypto_slice container) {
    if (container.bytes == NULL || container.count > INT32_MAX) return NULL;
    PKCS7 *pkcs7 = PKCS7_new_ex(context->library, NULL);
    if (pkcs7 == NULL) return NULL;
    const unsigned char *position = container.bytes;
    // On failure d2i_PKCS7 frees the object and sets pkcs7 to NULL.
    if (d2i_PKCS7(&pkcs7, &position, (long)container.count) == NULL) return NULL;
    if (position == container.bytes + container.count && PKCS7_type_is_signed(pkcs7)) return pkcs7;
    PKCS7_free(pkcs7);
    return NULL;
}

/// Which of our words fits what PKCS7_verify left in the queue.
static receipt_crypto_status status_of_queue(void) {
    unsigned long error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) != ERR_LIB_PKCS7) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    switch (ERR_GET_REASON(error)) {
    case PKCS7_R_CERTIFICATE_VERIFY_ERROR:
    case PKCS7_R_SIGNER_CERTIFICATE_NOT_FOUND:
    case PKCS7_R_NO_SIGNERS: return RECEIPT_CRYPTO_UNTRUSTED;
    default: return RECEIPT_CRYPTO_BAD_SIGNATURE;
    }
}

receipt_crypto_status receipt_crypto_second_opinion(
    const receipt_crypto_anchors *anchors, receipt_crypto_slice container, receipt_crypto_slice content,
    int64_t seconds, receipt_crypto_error *error) {
    ERR_clear_error();
    PKCS7 *pkcs7 = decode(anchors->context, container);
    if (pkcs7 == NULL) return receipt_crypto_fail(error, RECEIPT_CRYPTO_DISAGREES, 0, -1);
    X509_STORE *store = store_at(anchors, seconds);
    BIO *read = BIO_new(BIO_s_mem());
    receipt_crypto_status status = RECEIPT_CRYPTO_OK;
    if (store == NULL || read == NULL) {
        status = RECEIPT_CRYPTO_UNAVAILABLE;
    } else if (PKCS7_verify(pkcs7, NULL, store, NULL, read, PKCS7_BINARY) != 1) {
        status = status_of_queue();
    } else {
        char *bytes = NULL;
        long count = BIO_get_mem_data(read, &bytes);
        if (count < 0 || (size_t)count != content.count
            || (count > 0 && memcmp(bytes, content.bytes, content.count) != 0))
            status = RECEIPT_CRYPTO_DISAGREES;
    }
    if (status != RECEIPT_CRYPTO_OK) status = receipt_crypto_fail(error, status, 0, -1);
    BIO_free(read);
    X509_STORE_free(store);
    PKCS7_free(pkcs7);
    ERR_clear_error();
    return status;
}
