// Private declarations of this module: the key handle and shared functions.
#ifndef FORGE_LIBRARY_H
#define FORGE_LIBRARY_H

#include <openssl/evp.h>

#include "CForgeCrypto.h"

struct forge_key {
    EVP_PKEY *pkey;
};

/// Returns this module's own library context with the default provider, unaffected by the machine's configuration
/// (FIPS properties, security levels). NULL if it could not be created.
OSSL_LIB_CTX *forge_library(void);

const char *forge_digest_name(forge_digest_kind digest);

/// Empties OpenSSL's error queue. Returns its first error, or a general error code if the queue was empty.
uint64_t forge_failure(void);

/// Creates a handle that owns the key. If it fails, it frees the key.
uint64_t forge_key_wrap(EVP_PKEY *pkey, forge_key **key);

#endif
