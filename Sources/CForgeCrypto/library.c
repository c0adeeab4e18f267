#include "library.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static OSSL_LIB_CTX *library;

static void make_library(void) {
    OSSL_LIB_CTX *fresh = OSSL_LIB_CTX_new();
    if (fresh && OSSL_PROVIDER_load(fresh, "default"))
        library = fresh;
    else
        OSSL_LIB_CTX_free(fresh);
}

OSSL_LIB_CTX *forge_library(void) {
    return CRYPTO_THREAD_run_once(&once, make_library) ? library : NULL;
}

uint64_t forge_outcome(int succeeded) {
    unsigned long error = ERR_get_error();
    ERR_clear_error();
    if (succeeded) return 0;
    return error ? error : ERR_PACK(ERR_LIB_USER, 0, ERR_R_OPERATION_FAIL);
}

void forge_error_text(uint64_t error, char *text, size_t capacity) {
    ERR_error_string_n((unsigned long)error, text, capacity);
    ERR_clear_error();
}
