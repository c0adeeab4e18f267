// The trusted roots of a verifier.

#include "internal.h"

#include <stdlib.h>

receipt_crypto_anchors *receipt_crypto_anchors_new(receipt_crypto_context *context) {
    receipt_crypto_anchors *anchors = calloc(1, sizeof *anchors);
    if (anchors != NULL) anchors->context = context;
    return anchors;
}

static void forget(receipt_crypto_known_intermediate *known) {
    receipt_crypto_certificate_free(known->certificate);
    receipt_crypto_key_free(known->key);
}

void receipt_crypto_anchors_free(receipt_crypto_anchors *anchors) {
    if (anchors == NULL) return;
    for (size_t i = 0; i < anchors->count; i++) {
        receipt_crypto_certificate_free(anchors->list[i].certificate);
        receipt_crypto_key_free(anchors->list[i].key);
    }
    free(anchors->list);
    forget(&anchors->known);
    free(anchors);
}

size_t receipt_crypto_ordinary_checks(const receipt_crypto_anchors *anchors) {
    for (size_t i = 0; i < anchors->count; i++)
        if (receipt_crypto_key_is_rsa(anchors->list[i].key)) return 0;
    return 2 * RECEIPT_CRYPTO_ELLIPTIC_CHECKS;
}

receipt_crypto_status receipt_crypto_anchors_add(
    receipt_crypto_anchors *anchors, receipt_crypto_slice der, bool requires_markers, receipt_crypto_error *error) {
    receipt_crypto_fields fields;
    struct receipt_crypto_anchor anchor = {.requires_markers = requires_markers};
    ERR_set_mark();
    const char *unreadable = receipt_crypto_read_certificate(der, &fields);
    // Every path to this root would be refused.
    if (unreadable == NULL && fields.has_unhandled_extension) unreadable = "an unsupported critical extension";
    receipt_crypto_status status = unreadable == NULL
        ? receipt_crypto_key_new(anchors->context, fields.key, RECEIPT_CRYPTO_MIN_RSA_BITS, &anchor.key)
        : RECEIPT_CRYPTO_BAD_CERTIFICATE;
    if (status == RECEIPT_CRYPTO_OK) {
        anchor.certificate = receipt_crypto_certificate_copy(der);
        struct receipt_crypto_anchor *list = realloc(anchors->list, (anchors->count + 1) * sizeof *list);
        if (list != NULL) anchors->list = list;
        if (list == NULL || anchor.certificate == NULL) status = RECEIPT_CRYPTO_UNAVAILABLE;
    }
    if (status == RECEIPT_CRYPTO_OK) {
        anchors->list[anchors->count++] = anchor;
    } else {
        receipt_crypto_certificate_free(anchor.certificate);
        receipt_crypto_key_free(anchor.key);
        receipt_crypto_fail(error, status, 0, 0, unreadable);
    }
    ERR_pop_to_mark();
    return status;
}

receipt_crypto_status receipt_crypto_anchors_know(
    receipt_crypto_anchors *anchors, receipt_crypto_slice intermediate, size_t anchor) {
    receipt_crypto_known_intermediate known = {.anchor = anchor};
    ERR_set_mark();
    known.certificate = receipt_crypto_certificate_copy(intermediate);
    receipt_crypto_status status = known.certificate != NULL
        ? receipt_crypto_key_new(
            anchors->context, known.certificate->fields.key, RECEIPT_CRYPTO_MIN_RSA_BITS, &known.key)
        : RECEIPT_CRYPTO_UNAVAILABLE;
    if (status == RECEIPT_CRYPTO_OK) {
        forget(&anchors->known);
        anchors->known = known;
    } else {
        forget(&known);
    }
    ERR_pop_to_mark();
    return status;
}
