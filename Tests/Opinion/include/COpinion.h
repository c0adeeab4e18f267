// What OpenSSL makes of a receipt on its own: nothing of this package takes part. For tests only.
#ifndef C_OPINION_H
#define C_OPINION_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t count;
} opinion_bytes;

typedef enum {
    OPINION_GENUINE = 1,
    OPINION_REFUSED,
    /// OpenSSL's decoder does not take the container.
    OPINION_UNDECODABLE,
} opinion_verdict;

/// The content of a PKCS #7 signedData, nothing checked; free it with opinion_free. Without bytes where there is
/// none that OpenSSL can read.
opinion_bytes opinion_content(const uint8_t *container, size_t count);
void opinion_free(opinion_bytes bytes);

/// PKCS7_verify under the roots, concatenated DER, at a time in seconds since 1970. Bytes behind the container
/// are ignored.
opinion_verdict opinion_verify(
    const uint8_t *container, size_t count, const uint8_t *roots, size_t roots_count, int64_t seconds);

#endif
