// Copies of certificates, for the anchors.

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
