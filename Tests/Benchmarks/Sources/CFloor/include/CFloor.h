// The minimum cost of a verification: only the OpenSSL calls, with everything decoded in advance.
#ifndef C_FLOOR_H
#define C_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct floor_key floor_key;

/// Returns the public key of a DER certificate, ready to check signatures with the named digest.
floor_key *floor_key_new(const uint8_t *certificate, size_t count, const char *digest);

/// Computes one digest of the content and makes one RSA check.
bool floor_verify(
    floor_key *key, const uint8_t *content, size_t content_count, const uint8_t *signature, size_t signature_count);

/// Verifies a chain of leaf, intermediate and root at a time with OpenSSL's own check. Decodes the
/// certificates each time.
bool floor_chain(
    const uint8_t *const *certificates, const size_t *counts, int64_t seconds);

#endif
