// Facts of a certificate, for the account of a verdict.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

receipt_crypto_certificate *receipt_crypto_certificate_copy(receipt_crypto_slice der) {
    receipt_crypto_certificate *certificate = malloc(sizeof *certificate + der.count);
    if (certificate == NULL) return NULL;
    if (der.count > 0) memcpy(certificate->bytes, der.bytes, der.count);
    const char *unreadable =
        receipt_crypto_read_certificate((receipt_crypto_slice){certificate->bytes, der.count}, &certificate->fields);
    if (unreadable == NULL) return certificate;
    free(certificate);
    return NULL;
}

void receipt_crypto_certificate_free(receipt_crypto_certificate *certificate) { free(certificate); }

void receipt_crypto_certificate_validity(
    const receipt_crypto_certificate *certificate, int64_t *not_before, int64_t *not_after) {
    *not_before = certificate->fields.not_before;
    *not_after = certificate->fields.not_after;
}

receipt_crypto_slice receipt_crypto_certificate_subject(const receipt_crypto_certificate *certificate) {
    return certificate->fields.subject;
}

receipt_crypto_slice receipt_crypto_certificate_issuer(const receipt_crypto_certificate *certificate) {
    return certificate->fields.issuer;
}

void receipt_crypto_certificate_serial(const receipt_crypto_certificate *certificate, char *text, size_t size) {
    static const char digits[] = "0123456789abcdef";
    receipt_crypto_slice serial = certificate->fields.serial;
    bool is_negative = serial.count > 0 && serial.bytes[0] >= 0x80;
    size_t used = 0;
    if (size == 0) return;
    if (is_negative && used + 1 < size) text[used++] = '-';
    // The magnitude: two's complement, from the last octet that is not zero on. A zero in front is but the sign.
    size_t first = serial.count > 1 && serial.bytes[0] == 0 ? 1 : 0, last = serial.count;
    while (last > 1 && serial.bytes[last - 1] == 0) last--;
    for (size_t i = first; i < serial.count && used + 2 < size; i++) {
        uint8_t octet = serial.bytes[i];
        if (is_negative && i < last) octet = (uint8_t)(~octet + (i == last - 1));
        text[used++] = digits[octet >> 4];
        text[used++] = digits[octet & 15];
    }
    text[used] = '\0';
}

receipt_crypto_digest receipt_crypto_certificate_sha256(
    const receipt_crypto_context *context, const receipt_crypto_certificate *certificate) {
    receipt_crypto_digest digest = {{0}, 0};
    receipt_crypto_slice nothing = {NULL, 0};
    receipt_crypto_digest_of(
        context, RECEIPT_CRYPTO_SHA256, certificate->fields.der, nothing, nothing, &digest);
    return digest;
}
