// The library context that everything happens in, and the account of what went wrong in it.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

receipt_crypto_context *receipt_crypto_context_new(void) {
    static const char *const names[] = {
        [RECEIPT_CRYPTO_SHA1] = "SHA1",
        [RECEIPT_CRYPTO_SHA256] = "SHA256",
        [RECEIPT_CRYPTO_SHA384] = "SHA384",
        [RECEIPT_CRYPTO_SHA512] = "SHA512",
    };
    receipt_crypto_context *context = calloc(1, sizeof *context);
    if (context == NULL) return NULL;
    context->library = OSSL_LIB_CTX_new();
    if (context->library != NULL) context->provider = OSSL_PROVIDER_load(context->library, "default");
    bool complete = context->provider != NULL;
    for (int i = RECEIPT_CRYPTO_SHA1; complete && i <= RECEIPT_CRYPTO_SHA512; i++) {
        context->digests[i] = EVP_MD_fetch(context->library, names[i], NULL);
        complete = context->digests[i] != NULL;
    }
    if (complete) return context;
    receipt_crypto_context_free(context);
    ERR_clear_error();
    return NULL;
}

void receipt_crypto_context_free(receipt_crypto_context *context) {
    if (context == NULL) return;
    for (int i = RECEIPT_CRYPTO_SHA1; i <= RECEIPT_CRYPTO_SHA512; i++) {
        void *state;
        while ((state = receipt_crypto_borrow(&context->digest_states[i])) != NULL) EVP_MD_CTX_free(state);
        EVP_MD_free(context->digests[i]);
    }
    if (context->provider != NULL) OSSL_PROVIDER_unload(context->provider);
    OSSL_LIB_CTX_free(context->library);
    free(context);
}

void *receipt_crypto_borrow(receipt_crypto_pool *pool) {
    void *item = NULL;
    for (size_t i = 0; i < sizeof pool->items / sizeof *pool->items && item == NULL; i++)
        item = atomic_exchange(&pool->items[i], NULL);
    return item;
}

void *receipt_crypto_give_back(receipt_crypto_pool *pool, void *item) {
    for (size_t i = 0; i < sizeof pool->items / sizeof *pool->items && item != NULL; i++) {
        void *empty = NULL;
        if (atomic_compare_exchange_strong(&pool->items[i], &empty, item)) item = NULL;
    }
    return item;
}

void receipt_crypto_ignore_configuration(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

bool receipt_crypto_was_out_of_memory(void) {
    bool was = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0) was = was || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
    return was;
}

/// Empties the queue into the message; says whether memory ran out.
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

receipt_crypto_status receipt_crypto_fail(
    receipt_crypto_error *error, receipt_crypto_status status, int x509_error, int depth) {
    // Whatever failed for want of memory says nothing about the input.
    if (drain(error->message, sizeof error->message) || x509_error == X509_V_ERR_OUT_OF_MEM)
        status = RECEIPT_CRYPTO_UNAVAILABLE;
    error->status = status;
    error->x509_error = x509_error;
    error->depth = depth;
    if (error->message[0] == '\0' && x509_error != 0) {
        const char *reason = X509_verify_cert_error_string(x509_error);
        size_t length = strnlen(reason, sizeof error->message - 1);
        memcpy(error->message, reason, length);
        error->message[length] = '\0';
    }
    return status;
}

receipt_crypto_status receipt_crypto_digest_of(
    const receipt_crypto_context *context, receipt_crypto_digest_algorithm algorithm, receipt_crypto_slice first,
    receipt_crypto_slice second, receipt_crypto_slice third, receipt_crypto_digest *digest) {
    unsigned int count = 0;
    receipt_crypto_pool *states = &((receipt_crypto_context *)context)->digest_states[algorithm];
    EVP_MD_CTX *state = receipt_crypto_borrow(states);
    if (state == NULL) state = EVP_MD_CTX_new();
    bool done = state != NULL && EVP_DigestInit_ex2(state, context->digests[algorithm], NULL) == 1
        && EVP_DigestUpdate(state, first.bytes, first.count) == 1
        && EVP_DigestUpdate(state, second.bytes, second.count) == 1
        && EVP_DigestUpdate(state, third.bytes, third.count) == 1
        && EVP_DigestFinal_ex(state, digest->bytes, &count) == 1;
    if (done) state = receipt_crypto_give_back(states, state);
    EVP_MD_CTX_free(state);
    if (!done) ERR_clear_error();
    digest->count = count;
    return done ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_UNAVAILABLE;
}

bool receipt_crypto_digest_equals(const receipt_crypto_digest *digest, receipt_crypto_slice bytes) {
    return digest->count == bytes.count && CRYPTO_memcmp(digest->bytes, bytes.bytes, bytes.count) == 0;
}
