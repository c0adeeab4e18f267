// The functions of OpenSSL's libcrypto that the forge needs: keys, signatures, digests.
//
// Every function that can fail returns 0 for success, otherwise OpenSSL's error code (see forge_error_text).
// OpenSSL's error queue is empty afterwards. Any thread may call any function. A key does not change after its
// creation, and its owner frees it.
#ifndef C_FORGE_CRYPTO_H
#define C_FORGE_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

/// OpenSSL's EVP_PKEY.
typedef struct evp_pkey_st forge_key;

/// Writes the NUL-terminated text of an error code, at most capacity bytes.
void forge_error_text(uint64_t error, char *text, size_t capacity);

/// Generates an RSA key. exponent: odd, at least 3.
uint64_t forge_key_generate_rsa(unsigned bits, uint32_t exponent, forge_key **key);

/// Generates an elliptic key. curve_bits: 256 (P-256) or 384 (P-384).
uint64_t forge_key_generate_ec(unsigned curve_bits, forge_key **key);

/// Reads a private key from PKCS#8 (or traditional) PEM or DER, unencrypted.
uint64_t forge_key_import(const uint8_t *bytes, size_t count, forge_key **key);

void forge_key_free(forge_key *key);

/// Returns the text of test-keys.pem, NUL-terminated.
const char *forge_test_keys(void);

/// Returns whether the key is an RSA key. Otherwise, it is an elliptic key.
int forge_key_is_rsa(const forge_key *key);

/// Returns the size of the modulus or the curve's order, in bits.
unsigned forge_key_bits(const forge_key *key);

/// Writes PKCS#8 as PEM (pem != 0) or DER. *count: capacity in bytes in, written bytes out.
uint64_t forge_key_export(const forge_key *key, int pem, uint8_t *output, size_t *count);

/// Writes the DER of SubjectPublicKeyInfo. *count: capacity in bytes in, written bytes out.
uint64_t forge_key_public(const forge_key *key, uint8_t *output, size_t *count);

/// Signs the digest of bytes. The same input gives the same signature. An RSA key uses PKCS#1 v1.5, or PSS with an empty
/// salt. An elliptic key writes a DER ECDSA-Sig-Value (RFC 6979). digest: OpenSSL's name.
uint64_t forge_sign(
    forge_key *key, const char *digest, int pss, const uint8_t *bytes, size_t byte_count, uint8_t *output,
    size_t *count);

/// Computes RSA without padding: raises the input to the power of the private exponent. The input must be as long as
/// the modulus.
uint64_t forge_rsa_private(
    forge_key *key, const uint8_t *input, size_t input_count, uint8_t *output, size_t *count);

uint64_t forge_digest(
    const char *digest, const uint8_t *bytes, size_t byte_count, uint8_t *output, size_t *count);

/// Computes the smallest integer whose cube is at least the input, big endian, left-padded to input_count bytes.
uint64_t forge_cube_root(const uint8_t *input, size_t input_count, uint8_t *output, size_t *count);

#endif
