// What the forge needs of OpenSSL's libcrypto, and nothing more: keys, signatures, digests.
//
// Every function that can fail returns 0 for success, otherwise OpenSSL's error code (see
// forge_error_text). OpenSSL's error queue is empty afterwards. Everything is safe to call from
// any thread; a key is never changed after it was made, and its owner frees it.
#ifndef C_FORGE_CRYPTO_H
#define C_FORGE_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

typedef struct forge_key forge_key;

typedef enum { FORGE_MD5, FORGE_SHA1, FORGE_SHA256, FORGE_SHA384, FORGE_SHA512 } forge_digest_kind;

/// How an RSA signature is made.
typedef enum { FORGE_PADDING_DEFAULT, FORGE_PADDING_PSS } forge_padding;

/// Writes the text of an error code, NUL-terminated, at most capacity bytes.
void forge_error_text(uint64_t error, char *text, size_t capacity);

/// exponent: odd, 3 or more.
uint64_t forge_key_generate_rsa(unsigned bits, uint32_t exponent, forge_key **key);

/// curve_bits: 256 (P-256) or 384 (P-384).
uint64_t forge_key_generate_ec(unsigned curve_bits, forge_key **key);

/// Reads a private key from PKCS#8 (or traditional) PEM or DER, unencrypted.
uint64_t forge_key_import(const uint8_t *bytes, size_t count, forge_key **key);

void forge_key_free(forge_key *key);

/// Whether the key is an RSA key; otherwise it is an elliptic curve key.
int forge_key_is_rsa(const forge_key *key);

/// The modulus or the curve's order, in bits.
unsigned forge_key_bits(const forge_key *key);

/// PKCS#8, PEM (pem != 0) or DER. *count: capacity in, bytes written out.
uint64_t forge_key_export(const forge_key *key, int pem, uint8_t *output, size_t *count);

/// The DER of SubjectPublicKeyInfo. *count: capacity in, bytes written out.
uint64_t forge_key_public(const forge_key *key, uint8_t *output, size_t *count);

/// Signs the digest of bytes with an RSA key: PKCS#1 v1.5, or PSS with an empty salt, so that the same
/// input gives the same signature.
uint64_t forge_sign(
    const forge_key *key, forge_digest_kind digest, forge_padding padding, const uint8_t *bytes,
    size_t byte_count, uint8_t *output, size_t *count);

/// Signs the digest of bytes with a key on an elliptic curve: a DER ECDSA-Sig-Value, the same for the same
/// input (RFC 6979).
uint64_t forge_sign_ecdsa(
    const forge_key *key, forge_digest_kind digest, const uint8_t *bytes, size_t byte_count, uint8_t *output,
    size_t *count);

/// RSA without padding: input (as many bytes as the modulus) to the power of the private exponent.
uint64_t forge_rsa_private(
    const forge_key *key, const uint8_t *input, size_t input_count, uint8_t *output, size_t *count);

uint64_t forge_digest(
    forge_digest_kind digest, const uint8_t *bytes, size_t byte_count, uint8_t *output, size_t *count);

/// The smallest integer whose cube is input or more, big-endian, left-padded to input_count bytes.
uint64_t forge_cube_root(const uint8_t *input, size_t input_count, uint8_t *output, size_t *count);

#endif
