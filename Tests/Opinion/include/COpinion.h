// OpenSSL's own result for a receipt, computed without this package's code. For tests only.
#ifndef C_OPINION_H
#define C_OPINION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t count;
} opinion_bytes;

/// A PKCS #7 signedData that OpenSSL decoded. Decoding takes most of the time, so it is done once for all
/// questions.
typedef struct opinion_container opinion_container;

/// Decodes a container. Returns NULL if OpenSSL refuses it. Ignores bytes after the container.
opinion_container *opinion_decode(const uint8_t *bytes, size_t count);
void opinion_container_free(opinion_container *container);

/// Returns the content without verification, or no bytes if OpenSSL cannot read any. Free it with
/// opinion_free.
opinion_bytes opinion_content(const opinion_container *container);
void opinion_free(opinion_bytes bytes);

/// Trusted certificates, kept until the process ends. opinion_roots_decode aborts if the bytes are not
/// concatenated DER.
typedef struct opinion_roots opinion_roots;
opinion_roots *opinion_roots_decode(const uint8_t *bytes, size_t count);

/// Returns whether PKCS7_verify succeeds under the roots at a time in seconds since 1970.
bool opinion_verify(const opinion_container *container, const opinion_roots *roots, int64_t seconds);

/// Returns OpenSSL's text for a DER-encoded Name: RFC 4514, in the encoded order, control characters escaped,
/// UTF-8. Returns no bytes if OpenSSL cannot decode or print it. Free the text with opinion_free.
opinion_bytes opinion_name(const uint8_t *bytes, size_t count);

/// Loads this text as OpenSSL configuration for the whole process, as a host with its own configuration does.
/// Existing settings stay. Returns false if OpenSSL cannot parse the text.
bool opinion_configure(const uint8_t *bytes, size_t count);

#endif
