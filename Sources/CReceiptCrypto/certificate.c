// Facts of a certificate, for the account of a verdict.

#include "internal.h"

#include <openssl/bio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CERTIFICATE = 64 << 10 };

X509 *receipt_crypto_decode(const receipt_crypto_context *context, receipt_crypto_slice der) {
    // Thirty times the size of Apple's: OpenSSL takes 3 µs for each extension, so 16 MiB of them cost five seconds,
    // and nobody needs to have signed them.
    if (der.bytes == NULL || der.count > MAX_CERTIFICATE) return NULL;
    X509 *x509 = X509_new_ex(context->library, NULL);
    if (x509 == NULL) return NULL;
    const unsigned char *position = der.bytes;
    // On failure d2i_X509 frees the object and sets x509 to NULL.
    if (d2i_X509(&x509, &position, (long)der.count) == NULL) return NULL;
    if (position == der.bytes + der.count) return x509;
    X509_free(x509);
    return NULL;
}

void receipt_crypto_certificate_free(receipt_crypto_certificate *certificate) {
    if (certificate == NULL) return;
    X509_free(certificate->x509);
    free(certificate);
}

/// Days between 1970-01-01 and a date of the Gregorian calendar, counted in years that begin in March.
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day) {
    if (month <= 2) year--;
    int64_t month_from_march = (month + 9) % 12;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month_from_march + 2) / 5 + day - 1 - 719468;
}

bool receipt_crypto_seconds(const ASN1_TIME *time, int64_t *seconds) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return false;
    *seconds = days_since_1970(parts.tm_year + 1900LL, parts.tm_mon + 1, parts.tm_mday) * 86400
        + parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec;
    return true;
}

void receipt_crypto_certificate_validity(
    const receipt_crypto_certificate *certificate, int64_t *not_before, int64_t *not_after) {
    // An unreadable time is an empty validity.
    if (!receipt_crypto_seconds(X509_get0_notBefore(certificate->x509), not_before)) *not_before = INT64_MAX;
    if (!receipt_crypto_seconds(X509_get0_notAfter(certificate->x509), not_after)) *not_after = INT64_MIN;
}

static void copy_text(const char *from, size_t count, char *text, size_t size) {
    if (size == 0) return;
    if (count > size - 1) {
        count = size - 1;
        // Not in the middle of a UTF-8 sequence.
        while (count > 0 && ((unsigned char)from[count] & 0xC0) == 0x80) count--;
    }
    if (count > 0) memcpy(text, from, count);
    text[count] = '\0';
}

static void name_text(const X509_NAME *name, char *text, size_t size) {
    copy_text("", 0, text, size);
    BIO *memory = BIO_new(BIO_s_mem());
    unsigned long style = (XN_FLAG_RFC2253 & ~(XN_FLAG_DN_REV | ASN1_STRFLGS_ESC_MSB)) | ASN1_STRFLGS_ESC_CTRL;
    if (memory != NULL && name != NULL && X509_NAME_print_ex(memory, name, 0, style) >= 0) {
        char *printed = NULL;
        long count = BIO_get_mem_data(memory, &printed);
        if (count > 0) copy_text(printed, (size_t)count, text, size);
    }
    BIO_free(memory);
    ERR_clear_error();
}

void receipt_crypto_certificate_subject(const receipt_crypto_certificate *certificate, char *text, size_t size) {
    name_text(X509_get_subject_name(certificate->x509), text, size);
}

void receipt_crypto_certificate_issuer(const receipt_crypto_certificate *certificate, char *text, size_t size) {
    name_text(X509_get_issuer_name(certificate->x509), text, size);
}

void receipt_crypto_certificate_serial(const receipt_crypto_certificate *certificate, char *text, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const ASN1_INTEGER *serial = X509_get0_serialNumber(certificate->x509);
    const unsigned char *bytes = ASN1_STRING_get0_data(serial);
    int count = ASN1_STRING_length(serial);
    size_t used = 0;
    if (size == 0) return;
    if (ASN1_STRING_type(serial) == V_ASN1_NEG_INTEGER && used + 1 < size) text[used++] = '-';
    for (int i = 0; i < count && used + 2 < size; i++) {
        text[used++] = digits[bytes[i] >> 4];
        text[used++] = digits[bytes[i] & 15];
    }
    text[used] = '\0';
}

receipt_crypto_digest receipt_crypto_certificate_sha256(
    const receipt_crypto_context *context, const receipt_crypto_certificate *certificate) {
    receipt_crypto_digest digest = {{0}, 0};
    unsigned int count = 0;
    if (X509_digest(certificate->x509, context->digests[RECEIPT_CRYPTO_SHA256], digest.bytes, &count) == 1)
        digest.count = count;
    else
        ERR_clear_error();
    return digest;
}
