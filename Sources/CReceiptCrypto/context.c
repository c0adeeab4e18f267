// The library context of this module, its digests, and error messages.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

/// Finds the provider's digest by the first of its names. Does not use EVP_MD_fetch, because EVP tries the engines of
/// the process before it starts a digest.
static bool find_digest(const OSSL_ALGORITHM *algorithms, const char *name, receipt_crypto_digester *digester) {
    size_t count = strlen(name);
    while (algorithms->algorithm_names != NULL
           && (strncmp(algorithms->algorithm_names, name, count) != 0
               || (algorithms->algorithm_names[count] != ':' && algorithms->algorithm_names[count] != '\0')))
        algorithms++;
    if (algorithms->algorithm_names == NULL) return false;
    for (const OSSL_DISPATCH *entry = algorithms->implementation; entry->function_id != 0; entry++) {
        switch (entry->function_id) {
        case OSSL_FUNC_DIGEST_NEWCTX: digester->make = OSSL_FUNC_digest_newctx(entry); break;
        case OSSL_FUNC_DIGEST_INIT: digester->start = OSSL_FUNC_digest_init(entry); break;
        case OSSL_FUNC_DIGEST_UPDATE: digester->update = OSSL_FUNC_digest_update(entry); break;
        case OSSL_FUNC_DIGEST_FINAL: digester->finish = OSSL_FUNC_digest_final(entry); break;
        case OSSL_FUNC_DIGEST_FREECTX: digester->free = OSSL_FUNC_digest_freectx(entry); break;
        }
    }
    return digester->make != NULL && digester->start != NULL && digester->update != NULL && digester->finish != NULL
        && digester->free != NULL;
}

/// Returns the library context of the process, which has the default provider, and neither configuration nor engines.
/// Returns NULL if OpenSSL fails. It is never freed, because each thread that used its random numbers refers to it until the
/// thread ends (OpenSSL 3.0, rand_delete_thread_state).
static OSSL_LIB_CTX *shared_library(void) {
    static _Atomic(OSSL_LIB_CTX *) shared;
    OSSL_LIB_CTX *library = atomic_load(&shared), *other = NULL;
    if (library != NULL) return library;
    library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *provider = library != NULL ? OSSL_PROVIDER_load(library, "default") : NULL;
    if (provider != NULL && atomic_compare_exchange_strong(&shared, &other, library)) return library;
    // Another thread was first, or OpenSSL failed. This library context was never used.
    if (provider != NULL) OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(library);
    return other;
}

receipt_crypto_context *receipt_crypto_context_new(void) {
    static const char *const names[] = {
        [RECEIPT_CRYPTO_SHA1] = "SHA1",
        [RECEIPT_CRYPTO_SHA256] = "SHA2-256",
        [RECEIPT_CRYPTO_SHA384] = "SHA2-384",
        [RECEIPT_CRYPTO_SHA512] = "SHA2-512",
    };
    receipt_crypto_context *context = calloc(1, sizeof *context);
    if (context == NULL) return NULL;
    ERR_set_mark();
    context->library = shared_library();
    if (context->library != NULL) context->provider = OSSL_PROVIDER_load(context->library, "default");
    bool complete = context->provider != NULL;
    int is_temporary = 0;
    const OSSL_ALGORITHM *algorithms =
        complete ? OSSL_PROVIDER_query_operation(context->provider, OSSL_OP_DIGEST, &is_temporary) : NULL;
    complete = algorithms != NULL;
    for (int i = RECEIPT_CRYPTO_SHA1; complete && i <= RECEIPT_CRYPTO_SHA512; i++)
        complete = find_digest(algorithms, names[i], &context->digesters[i]);
    if (algorithms != NULL) OSSL_PROVIDER_unquery_operation(context->provider, OSSL_OP_DIGEST, algorithms);
    if (!complete) {
        receipt_crypto_context_free(context);
        context = NULL;
    }
    ERR_pop_to_mark();
    return context;
}

void receipt_crypto_context_free(receipt_crypto_context *context) {
    if (context == NULL) return;
    void *item;
    for (int i = RECEIPT_CRYPTO_SHA1; i <= RECEIPT_CRYPTO_SHA512; i++)
        while ((item = receipt_crypto_borrow(&context->digesters[i].states)) != NULL) context->digesters[i].free(item);
    while ((item = receipt_crypto_borrow(&context->numbers)) != NULL) BN_CTX_free(item);
    if (context->provider != NULL) OSSL_PROVIDER_unload(context->provider);
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

BN_CTX *receipt_crypto_borrow_numbers(const receipt_crypto_context *context) {
    BN_CTX *numbers = receipt_crypto_borrow(&((receipt_crypto_context *)context)->numbers);
    if (numbers == NULL) numbers = BN_CTX_new_ex(context->library);
    if (numbers != NULL) BN_CTX_start(numbers);
    return numbers;
}

void receipt_crypto_give_back_numbers(const receipt_crypto_context *context, BN_CTX *numbers) {
    if (numbers == NULL) return;
    BN_CTX_end(numbers);
    BN_CTX_free(receipt_crypto_give_back(&((receipt_crypto_context *)context)->numbers, numbers));
}

void receipt_crypto_ignore_configuration(void) {
    // At exit, threads may still verify, for example after an audit found a full disk. They must not lose their memory.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

receipt_crypto_status receipt_crypto_fail(
    receipt_crypto_error *error, receipt_crypto_status status, int x509_error, int depth, const char *message) {
    error->status = status;
    error->x509_error = x509_error;
    error->depth = depth;
    if (message == NULL) message = x509_error != 0 ? X509_verify_cert_error_string(x509_error) : "";
    size_t length = strnlen(message, sizeof error->message - 1);
    memcpy(error->message, message, length);
    error->message[length] = '\0';
    return status;
}

static bool update(const receipt_crypto_digester *digester, void *state, receipt_crypto_slice bytes) {
    return bytes.count == 0 || digester->update(state, bytes.bytes, bytes.count) == 1;
}

receipt_crypto_status receipt_crypto_digest_of(
    const receipt_crypto_context *context, receipt_crypto_digest_algorithm algorithm, receipt_crypto_slice first,
    receipt_crypto_slice second, receipt_crypto_slice third, receipt_crypto_digest *digest) {
    receipt_crypto_digester *digester = &((receipt_crypto_context *)context)->digesters[algorithm];
    ERR_set_mark();
    digest->count = 0;
    void *state = receipt_crypto_borrow(&digester->states);
    if (state == NULL) state = digester->make(OSSL_PROVIDER_get0_provider_ctx(context->provider));
    bool done = state != NULL && digester->start(state, NULL) == 1 && update(digester, state, first)
        && update(digester, state, second) && update(digester, state, third)
        && digester->finish(state, digest->bytes, &digest->count, sizeof digest->bytes) == 1;
    if (done) state = receipt_crypto_give_back(&digester->states, state);
    if (state != NULL) digester->free(state);
    if (!done) digest->count = 0;
    ERR_pop_to_mark();
    return done ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_UNAVAILABLE;
}

struct receipt_crypto_stream {
    const receipt_crypto_digester *digester;
    void *state;
};

receipt_crypto_stream *receipt_crypto_stream_new(const receipt_crypto_context *context) {
    receipt_crypto_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    ERR_set_mark();
    stream->digester = &context->digesters[RECEIPT_CRYPTO_SHA256];
    stream->state = stream->digester->make(OSSL_PROVIDER_get0_provider_ctx(context->provider));
    if (stream->state == NULL || stream->digester->start(stream->state, NULL) != 1) {
        receipt_crypto_stream_free(stream);
        stream = NULL;
    }
    ERR_pop_to_mark();
    return stream;
}

void receipt_crypto_stream_free(receipt_crypto_stream *stream) {
    if (stream == NULL) return;
    if (stream->state != NULL) stream->digester->free(stream->state);
    free(stream);
}

bool receipt_crypto_stream_add(receipt_crypto_stream *stream, receipt_crypto_slice bytes) {
    return update(stream->digester, stream->state, bytes);
}

bool receipt_crypto_stream_finish(receipt_crypto_stream *stream, receipt_crypto_digest *digest) {
    return stream->digester->finish(stream->state, digest->bytes, &digest->count, sizeof digest->bytes) == 1;
}

bool receipt_crypto_digest_equals(const receipt_crypto_digest *digest, receipt_crypto_slice bytes) {
    return digest->count == bytes.count && CRYPTO_memcmp(digest->bytes, bytes.bytes, bytes.count) == 0;
}

// The versions of OpenSSL, for bug reports.

const char *receipt_crypto_version_at_build_time(void) { return OPENSSL_VERSION_TEXT; }

const char *receipt_crypto_version_at_run_time(void) { return OpenSSL_version(OPENSSL_VERSION); }
