// Private declarations of this module.
#ifndef FORGE_LIBRARY_H
#define FORGE_LIBRARY_H

#include <openssl/evp.h>

#include "CForgeCrypto.h"

/// Returns this module's own library context with the default provider, unaffected by the machine's configuration
/// (FIPS properties, security levels). NULL if it could not be created.
OSSL_LIB_CTX *forge_library(void);

/// Empties OpenSSL's error queue. Returns 0 for success, otherwise the queue's first error, or a general error code if
/// the queue was empty.
uint64_t forge_outcome(int succeeded);

/// Signs with an elliptic key, as forge_sign.
uint64_t forge_sign_ecdsa(
    const forge_key *key, const char *digest, const uint8_t *bytes, size_t byte_count, uint8_t *output,
    size_t *count);

#endif
