// ECDSA signatures as JWS writes them.

#include "internal.h"

enum { FIELD = 32 };

// Ecdsa-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }
//
// RFC 3279, 2.2.3. JWS writes the two numbers side by side, in their full width (RFC 7518, 3.4).

/// Writes a number without its leading zeros, with one in front where it would be negative; returns how many bytes.
static size_t write_integer(uint8_t *out, const uint8_t *number) {
    size_t zeros = 0;
    while (zeros < FIELD - 1 && number[zeros] == 0) zeros++;
    size_t count = FIELD - zeros, sign = number[zeros] >> 7;
    out[0] = 0x02;
    out[1] = (uint8_t)(count + sign);
    out[2] = 0;
    memcpy(out + 2 + sign, number + zeros, count);
    return 2 + sign + count;
}

receipt_crypto_status receipt_crypto_chain_verify_es256(
    const receipt_crypto_chain *chain, const receipt_crypto_digest *digest, receipt_crypto_slice signature) {
    if (signature.count != 2 * FIELD) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    uint8_t der[2 + 2 * (3 + FIELD)] = {0x30};
    size_t r = write_integer(der + 2, signature.bytes);
    size_t s = write_integer(der + 2 + r, signature.bytes + FIELD);
    der[1] = (uint8_t)(r + s);
    return receipt_crypto_chain_verify(chain, RECEIPT_CRYPTO_SHA256, digest, (receipt_crypto_slice){der, 2 + r + s});
}
