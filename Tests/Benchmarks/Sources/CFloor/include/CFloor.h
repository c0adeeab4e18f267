// The least that a verification can cost: OpenSSL's own calls, with everything decoded beforehand.
#ifndef C_FLOOR_H
#define C_FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct floor_key floor_key;

/// The public key of a certificate in DER, ready to check signatures over digests of this name.
floor_key *floor_key_new(const uint8_t *certificate, size_t count, const char *digest);

/// One digest of the content and one RSA check.
bool floor_verify(
    floor_key *key, const uint8_t *content, size_t content_count, const uint8_t *signature, size_t signature_count);

/// OpenSSL's own check of a chain of leaf, intermediate and root at a time, certificates decoded each time.
bool floor_chain(
    const uint8_t *const *certificates, const size_t *counts, int64_t seconds);

#endif
