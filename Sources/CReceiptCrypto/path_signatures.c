// First part of the checks of a path from a signer to an anchor (RFC 5280, 6): signatures.
//
// Signatures are checked first, from the anchor down, over the bytes that the caller's parser found. Certificates are
// parsed here only after a trusted key has signed them.

#include "internal.h"

/// Returns the cost of a check with this key, in units of checks with RSA of 2,048 bits.
static size_t cost_of_check(const receipt_crypto_key *key) {
    return receipt_crypto_key_is_rsa(key) ? (receipt_crypto_key_bits(key) + 2047) / 2048 : RECEIPT_CRYPTO_ELLIPTIC_CHECKS;
}

/// Subtracts the cost of a check from the budget of the search. Returns false if the budget is too small.
static bool charge(receipt_crypto_search *search, size_t cost) {
    if (cost > search->checks) return false;
    search->checks -= cost;
    return true;
}

/// Checks a certificate's signature with the issuer's key (RFC 5280, 6.1.3, step a 1).
static receipt_crypto_status check_signed(
    receipt_crypto_search *search, const receipt_crypto_certificate_parts *certificate,
    const receipt_crypto_key *issuer_key, size_t cost) {
    const receipt_crypto_context *context = search->anchors->context;
    if (certificate->digest == 0 || certificate->is_ecdsa == receipt_crypto_key_is_rsa(issuer_key))
        return RECEIPT_CRYPTO_BAD_ALGORITHM;
    if (!charge(search, cost)) return RECEIPT_CRYPTO_TOO_MANY_CHECKS;
    receipt_crypto_digest digest;
    receipt_crypto_slice nothing = {NULL, 0};
    receipt_crypto_status status =
        receipt_crypto_digest_of(context, certificate->digest, certificate->tbs, nothing, nothing, &digest);
    if (status != RECEIPT_CRYPTO_OK) return status;
    return receipt_crypto_verify_digest(context, issuer_key, certificate->digest, &digest, certificate->signature);
}

/// Returns whether the certificate is, byte for byte, the known intermediate of this anchor.
static bool is_known(
    const receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *certificate) {
    const receipt_crypto_known_intermediate *known = &search->anchors->known;
    return known->certificate != NULL && known->anchor == anchor
        && receipt_crypto_same(known->certificate->fields.der, certificate->der);
}

/// Returns whether the certificate is, byte for byte, this anchor.
static bool is_anchor(
    const receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *certificate) {
    return receipt_crypto_same(search->anchors->list[anchor].certificate->fields.der, certificate->der);
}

/// Returns whether the certificate has the signed part of the anchor or of the known intermediate. Only its signature
/// can then differ.
static bool is_variant(
    const receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *certificate) {
    const receipt_crypto_known_intermediate *known = &search->anchors->known;
    return receipt_crypto_same(search->anchors->list[anchor].certificate->fields.tbs, certificate->tbs)
        || (known->certificate != NULL && known->anchor == anchor
            && receipt_crypto_same(known->certificate->fields.tbs, certificate->tbs));
}

/// Checks that the anchor signed the certificate. With `or_is`, the anchor itself counts as a path of one certificate.
static receipt_crypto_status check_anchor(
    receipt_crypto_search *search, size_t index, const receipt_crypto_certificate_parts *certificate, bool or_is,
    receipt_crypto_path *path) {
    const receipt_crypto_fields *anchor = &search->anchors->list[index].certificate->fields;
    path->anchor = &search->anchors->list[index];
    path->anchor_index = index;
    if (or_is && is_anchor(search, index, certificate)) {
        path->count = 1;
        return RECEIPT_CRYPTO_OK;
    }
    if (!receipt_crypto_same(anchor->subject, certificate->issuer)) return RECEIPT_CRYPTO_UNTRUSTED;
    path->progress = 1;
    if (is_known(search, index, certificate)) return RECEIPT_CRYPTO_OK;
    receipt_crypto_key *key = search->anchors->list[index].key;
    // A copy of the anchor needs no signature check, because its bytes are trusted.
    if (is_anchor(search, index, certificate))
        return charge(search, cost_of_check(key)) ? RECEIPT_CRYPTO_OK : RECEIPT_CRYPTO_TOO_MANY_CHECKS;
    // An attacker can derive a second valid ECDSA signature, (r, n - s), from (r, s). Only the published one is
    // accepted.
    if (is_variant(search, index, certificate)) return RECEIPT_CRYPTO_BAD_SIGNATURE;
    receipt_crypto_status status = check_signed(search, certificate, key, cost_of_check(key));
    if (status == RECEIPT_CRYPTO_BAD_SIGNATURE) receipt_crypto_key_refused(search->anchors->context, key);
    return status;
}

/// Parses a certificate of the path, and its key unless `key` is NULL. A trusted key must have signed the certificate.
static receipt_crypto_status read(
    receipt_crypto_path *path, int depth, const receipt_crypto_certificate_parts *parts, receipt_crypto_key **key) {
    receipt_crypto_fields *fields = &path->certificates[depth];
    path->unreadable = receipt_crypto_read_certificate(parts->der, fields);
    // The parsed bytes must be the signed ones.
    if (path->unreadable == NULL && (!receipt_crypto_same(fields->tbs, parts->tbs)
            || !receipt_crypto_same(fields->issuer, parts->issuer)
            || !receipt_crypto_same(fields->subject, parts->subject)))
        path->unreadable = "ambiguous encoding: the parsed fields are not the signed ones";
    if (path->unreadable != NULL) return RECEIPT_CRYPTO_BAD_CERTIFICATE;
    if (key == NULL) return RECEIPT_CRYPTO_OK;
    bool is_old_signer = depth == 0 && path->purpose == RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS;
    return receipt_crypto_key_new(
        path->context, fields->key, is_old_signer ? RECEIPT_CRYPTO_OLD_RSA_BITS : RECEIPT_CRYPTO_MIN_RSA_BITS, key);
}

receipt_crypto_status receipt_crypto_find_path(
    receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *candidate,
    receipt_crypto_path *path) {
    path->context = search->anchors->context;
    path->purpose = search->purpose;
    // RFC 5280, 6.1.3, a 4. The certificates in a JWS do not necessarily form a path.
    if (candidate != NULL && !receipt_crypto_same(candidate->subject, search->signer->issuer))
        return RECEIPT_CRYPTO_UNTRUSTED;
    path->depth = candidate != NULL ? 1 : 0;
    receipt_crypto_status status = check_anchor(
        search, anchor, candidate != NULL ? candidate : search->signer, candidate == NULL, path);
    if (status != RECEIPT_CRYPTO_OK) return status;
    if (candidate != NULL) {
        bool known = is_known(search, anchor, candidate);
        // The stored key of this certificate, which lives as long as the anchors, or NULL if there is none.
        receipt_crypto_key *lasting =
            known ? search->anchors->known.key : is_anchor(search, anchor, candidate) ? path->anchor->key : NULL;
        receipt_crypto_key *key = lasting;
        path->progress = 2;
        status = read(path, 1, candidate, lasting != NULL ? NULL : &key);
        if (status != RECEIPT_CRYPTO_OK) return status;
        path->depth = 0;
        status = check_signed(search, search->signer, key, known ? RECEIPT_CRYPTO_KNOWN_CHECKS : cost_of_check(key));
        if (lasting == NULL) {
            receipt_crypto_key_free(key);
        } else if (status == RECEIPT_CRYPTO_BAD_SIGNATURE) {
            receipt_crypto_key_refused(path->context, lasting);
        }
        if (status != RECEIPT_CRYPTO_OK) return status;
    }
    status = read(path, 0, search->signer, &path->signer_key);
    if (status != RECEIPT_CRYPTO_OK) return status;
    if (path->count != 1) {
        path->count = candidate != NULL ? 3 : 2;
        path->certificates[path->count - 1] = path->anchor->certificate->fields;
    }
    path->progress = 3;
    return RECEIPT_CRYPTO_OK;
}
