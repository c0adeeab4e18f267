// What OpenSSL makes of a receipt on its own: nothing of this package takes part. For tests only.
#ifndef C_OPINION_H
#define C_OPINION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t count;
} opinion_bytes;

/// A PKCS #7 signedData as OpenSSL decodes it, once for all questions: that is most of the time.
typedef struct opinion_container opinion_container;

/// NULL where OpenSSL's decoder does not take it. Bytes behind the container are ignored.
opinion_container *opinion_decode(const uint8_t *bytes, size_t count);
void opinion_container_free(opinion_container *container);

/// The content, nothing checked; free it with opinion_free. Without bytes where there is none that OpenSSL can read.
opinion_bytes opinion_content(const opinion_container *container);
void opinion_free(opinion_bytes bytes);

/// Trusted certificates, kept until the process ends. Aborts where the bytes are no concatenated DER.
typedef struct opinion_roots opinion_roots;
opinion_roots *opinion_roots_decode(const uint8_t *bytes, size_t count);

/// Whether PKCS7_verify holds under the roots at a time in seconds since 1970.
bool opinion_verify(const opinion_container *container, const opinion_roots *roots, int64_t seconds);

/// What OpenSSL prints for a Name in DER (RFC 4514, in order, control characters escaped, UTF-8); free it with
/// opinion_free. Without bytes where it does not decode or print.
opinion_bytes opinion_name(const uint8_t *bytes, size_t count);

/// Makes this text OpenSSL's configuration, as a host does that has a configuration of its own: for the whole process,
/// and beside what was there before. False where it does not read.
bool opinion_configure(const uint8_t *bytes, size_t count);

#endif
