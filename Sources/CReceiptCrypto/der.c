// Elements of DER (X.690, 10), for certificates that a trusted key signed.

#include "internal.h"

uint8_t receipt_crypto_next_tag(receipt_crypto_slice from) { return from.count > 0 ? from.bytes[0] : 0; }

bool receipt_crypto_take(
    receipt_crypto_slice *from, uint8_t tag, receipt_crypto_slice *element, receipt_crypto_slice *content) {
    // Tags of more than one octet do not occur in certificates.
    if (from->count < 2 || from->bytes[0] != tag || (tag & 0x1F) == 0x1F) return false;
    size_t header = 2, count = from->bytes[1];
    if (count >= 0x80) {
        size_t octets = count & 0x7F;
        if (octets == 0 || octets > 4 || from->count < 2 + octets || from->bytes[2] == 0) return false;
        count = 0;
        for (; header < 2 + octets; header++) count = count << 8 | from->bytes[header];
        if (count < 0x80) return false;
    }
    if (count > from->count - header) return false;
    if (element != NULL) *element = (receipt_crypto_slice){from->bytes, header + count};
    if (content != NULL) *content = (receipt_crypto_slice){from->bytes + header, count};
    from->bytes += header + count;
    from->count -= header + count;
    return true;
}

bool receipt_crypto_take_positive(receipt_crypto_slice *from, receipt_crypto_slice *number) {
    if (!receipt_crypto_take(from, DER_INTEGER, NULL, number) || number->count == 0 || number->bytes[0] >= 0x80)
        return false;
    if (number->bytes[0] != 0) return true;
    if (number->count < 2 || number->bytes[1] < 0x80) return false;
    number->bytes++;
    number->count--;
    return true;
}
