// Certificates that a trusted key has signed: their encoding and their times.

#include "internal.h"

#include <time.h>

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

/// Days between 1970-01-01 and a date of the Gregorian calendar, counted in years that begin in March.
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day) {
    if (month <= 2) year--;
    int64_t month_from_march = (month + 9) % 12;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month_from_march + 2) / 5 + day - 1 - 719468;
}

bool receipt_crypto_seconds(const ASN1_TIME *time, int64_t *seconds) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return false;
    // RFC 5280, 4.1.2.5: with seconds and "Z", without fractions; no other form has as many characters.
    if (ASN1_STRING_length(time) != (ASN1_STRING_type(time) == V_ASN1_UTCTIME ? 13 : 15)) return false;
    *seconds = days_since_1970(parts.tm_year + 1900LL, parts.tm_mon + 1, parts.tm_mday) * 86400
        + parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec;
    return true;
}
