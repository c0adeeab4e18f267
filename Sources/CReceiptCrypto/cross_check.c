// The cross-check with OpenSSL's own PKCS #7 code.
//
// It uses X509 and EVP, which the process's engines and configuration can change. It runs after the verdict and can
// only refuse: a host that manipulates it can get genuine receipts refused, but cannot get forged ones accepted.

#include "internal.h"

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <string.h>

/// Creates a separate store, because PKCS7_verify takes time and purpose from the store.
static X509_STORE *store_at(const receipt_crypto_anchors *anchors, int64_t seconds) {
    X509_STORE *store = X509_STORE_new();
    X509_VERIFY_PARAM *parameters = store != NULL ? X509_STORE_get0_param(store) : NULL;
    bool complete = parameters != NULL && X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1;
    for (size_t i = 0; complete && i < anchors->count; i++) {
        receipt_crypto_slice der = anchors->list[i].certificate->fields.der;
        X509 *anchor = X509_new_ex(anchors->context->library, NULL);
        // On failure d2i_X509 frees the object and sets anchor to NULL.
        complete = anchor != NULL && d2i_X509(&anchor, &der.bytes, (long)der.count) != NULL
            && X509_STORE_add_cert(store, anchor) == 1;
        X509_free(anchor);
    }
    if (complete) {
        X509_VERIFY_PARAM_set_time(parameters, (time_t)seconds);
        // Apple's own chains have SHA-1 signatures.
        X509_VERIFY_PARAM_set_auth_level(parameters, 0);
        return store;
    }
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

/// Returns the status for the errors that PKCS7_verify left in the queue.
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

/// Moves all errors of the queue into the message. Returns whether memory ran out.
static bool drain(char *message, size_t size) {
    bool was_out_of_memory = false;
    size_t used = 0;
    const char *data;
    int flags;
    unsigned long code;
    message[0] = '\0';
    while ((code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags)) != 0) {
        const char *reason = ERR_reason_error_string(code);
        was_out_of_memory = was_out_of_memory || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
        const char *parts[] = {
            used > 0 ? "; " : "",
            reason != NULL ? reason : "error without a reason",
            (flags & ERR_TXT_STRING) != 0 && data[0] != '\0' ? ": " : "",
            (flags & ERR_TXT_STRING) != 0 ? data : "",
        };
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            size_t length = strlen(parts[i]);
            if (length > size - 1 - used) length = size - 1 - used;
            memcpy(message + used, parts[i], length);
            used += length;
        }
        message[used] = '\0';
    }
    return was_out_of_memory;
}

/// The arguments and the result of a cross-check.
typedef struct {
    const receipt_crypto_anchors *anchors;
    receipt_crypto_slice container, content;
    int64_t seconds;
    receipt_crypto_error *error;
    receipt_crypto_status status;
} question;

static receipt_crypto_status compare(const question *question) {
    PKCS7 *pkcs7 = decode(question->anchors->context, question->container);
    if (pkcs7 == NULL) return RECEIPT_CRYPTO_DISAGREES;
    X509_STORE *store = store_at(question->anchors, question->seconds);
    BIO *read = BIO_new(BIO_s_mem());
    receipt_crypto_status status = RECEIPT_CRYPTO_OK;
    if (store == NULL || read == NULL) {
        status = RECEIPT_CRYPTO_UNAVAILABLE;
    } else if (PKCS7_verify(pkcs7, NULL, store, NULL, read, PKCS7_BINARY) != 1) {
        status = status_of_queue();
    } else {
        char *bytes = NULL;
        long count = BIO_get_mem_data(read, &bytes);
        if (!receipt_crypto_same((receipt_crypto_slice){(uint8_t *)bytes, (size_t)count}, question->content))
            status = RECEIPT_CRYPTO_DISAGREES;
    }
    BIO_free(read);
    X509_STORE_free(store);
    PKCS7_free(pkcs7);
    return status;
}

static void *answer(void *argument) {
    question *question = argument;
    char message[RECEIPT_CRYPTO_MESSAGE];
    receipt_crypto_status status = compare(question);
    // Out of memory is not an error of the input.
    if (drain(message, sizeof message)) status = RECEIPT_CRYPTO_UNAVAILABLE;
    if (status != RECEIPT_CRYPTO_OK) receipt_crypto_fail(question->error, status, 0, -1, message);
    question->status = status;
    return NULL;
}

receipt_crypto_status receipt_crypto_cross_check(
    const receipt_crypto_anchors *anchors, receipt_crypto_slice container, receipt_crypto_slice content,
    int64_t seconds, receipt_crypto_error *error) {
    question question = {anchors, container, content, seconds, error, RECEIPT_CRYPTO_UNAVAILABLE};
    pthread_t thread;
    // PKCS7_verify leaves several errors, and a queue holds fifteen. A separate thread has its own queue, so they do
    // not displace the caller's errors, and all of them can be reported. If the caller's thread were canceled while it
    // waits, the arguments would be destroyed, so cancellation is disabled.
    int canceling;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &canceling);
    bool is_answered = pthread_create(&thread, NULL, answer, &question) == 0 && pthread_join(thread, NULL) == 0;
    pthread_setcancelstate(canceling, NULL);
    if (!is_answered)
        return receipt_crypto_fail(error, RECEIPT_CRYPTO_UNAVAILABLE, 0, -1, NULL);
    return question.status;
}
