// What the files of this module share. OpenSSL's headers stay out of the public header.
//
// What decides about a receipt uses of OpenSSL only what no host can change: numbers, curves, names, and the digests
// of our own provider, called without EVP. EVP, EVP_PKEY, RSA, EC_KEY and X509 look for an ENGINE of the process in
// OpenSSL 3, whatever library context they are given, and read the machine's openssl.cnf on the way; so they are left
// to the second opinion, which can only refuse.
#ifndef C_RECEIPT_CRYPTO_INTERNAL_H
#define C_RECEIPT_CRYPTO_INTERNAL_H

#include "include/CReceiptCrypto.h"

#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/x509_vfy.h>
#include <stdatomic.h>

/// OpenSSL's idle contexts of one kind: making one costs a good part of a short call, so each thread borrows one.
typedef struct {
    _Atomic(void *) items[8];
} receipt_crypto_pool;

/// NULL where none is idle.
void *receipt_crypto_borrow(receipt_crypto_pool *pool);
/// NULL where the pool took it back; otherwise the caller frees it.
void *receipt_crypto_give_back(receipt_crypto_pool *pool, void *item);

/// A digest of our own provider.
typedef struct {
    OSSL_FUNC_digest_newctx_fn *make;
    OSSL_FUNC_digest_init_fn *start;
    OSSL_FUNC_digest_update_fn *update;
    OSSL_FUNC_digest_final_fn *finish;
    OSSL_FUNC_digest_freectx_fn *free;
    receipt_crypto_pool states;
} receipt_crypto_digester;

struct receipt_crypto_context {
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *provider;
    receipt_crypto_digester digesters[RECEIPT_CRYPTO_SHA512 + 1];
    /// Of BN_CTX.
    receipt_crypto_pool numbers;
};

/// NULL without memory.
BN_CTX *receipt_crypto_borrow_numbers(const receipt_crypto_context *context);
void receipt_crypto_give_back_numbers(const receipt_crypto_context *context, BN_CTX *numbers);

// MARK: - DER

/// Takes an element with this tag off the front (X.690, 10: definite, minimal lengths); false where there is none.
/// - element: the whole element, with its header. - content: without. Either may be NULL.
bool receipt_crypto_take(
    receipt_crypto_slice *from, uint8_t tag, receipt_crypto_slice *element, receipt_crypto_slice *content);
/// Takes an INTEGER greater than zero, in the one form that X.690, 8.3 has for it; `number` is without the zero that
/// only says that it is positive.
bool receipt_crypto_take_positive(receipt_crypto_slice *from, receipt_crypto_slice *number);
/// The next element's tag; 0 where there is none.
uint8_t receipt_crypto_next_tag(receipt_crypto_slice from);

/// Tags of X.690, with the bit of constructed ones.
enum {
    DER_BOOLEAN = 0x01, DER_INTEGER, DER_BIT_STRING, DER_OCTET_STRING, DER_NULL, DER_OBJECT_IDENTIFIER,
    DER_UTC_TIME = 0x17, DER_GENERALIZED_TIME, DER_SEQUENCE = 0x30, DER_SET, DER_CONTEXT = 0x80, DER_CONSTRUCTED = 0x20,
};

/// Whether the slice has the bytes of a constant.
#define receipt_crypto_is(slice, constant)                                                                    \
    receipt_crypto_same((slice), (receipt_crypto_slice){(const uint8_t *)(constant), sizeof(constant) - 1})

// MARK: - Certificates

/// A certificate taken apart (RFC 5280, 4.1 and 4.2). What it does not have is an empty slice.
typedef struct {
    receipt_crypto_slice der;
    /// With their headers.
    receipt_crypto_slice tbs, issuer, subject, key;
    /// Content of the INTEGER.
    receipt_crypto_slice serial;
    /// Seconds since 1970, both inclusive.
    int64_t not_before, not_after;
    bool is_authority;
    /// pathLenConstraint; negative where there is none.
    int path_length;
    /// Bits of KeyUsage, the first one highest; all of them where it is not restricted.
    uint16_t key_usage;
    receipt_crypto_slice key_id;
    /// Of the issuer.
    receipt_crypto_slice authority_key_id, authority_issuer, authority_serial;
    /// Content of the extensions.
    receipt_crypto_slice alternative_names, name_constraints;
    bool has_signer_marker, has_intermediate_marker;
    /// Of the transaction receipts of version 2.
    bool has_old_signer_marker, has_old_intermediate_marker;
    /// It is critical and not known here, or a demand that is not processed here.
    bool has_unhandled_extension;
} receipt_crypto_fields;

enum {
    RECEIPT_CRYPTO_DIGITAL_SIGNATURE = 0x8000,
    RECEIPT_CRYPTO_NON_REPUDIATION = 0x4000,
    RECEIPT_CRYPTO_KEY_CERT_SIGN = 0x0400,
};

/// Takes a certificate apart; the fields lie in it. Returns NULL, or the name of what is not as RFC 5280 has it.
const char *receipt_crypto_read_certificate(receipt_crypto_slice der, receipt_crypto_fields *fields);

/// An own copy.
typedef struct {
    receipt_crypto_fields fields;
    uint8_t bytes[];
} receipt_crypto_certificate;

/// NULL without memory, and where the certificate does not read.
receipt_crypto_certificate *receipt_crypto_certificate_copy(receipt_crypto_slice der);
void receipt_crypto_certificate_free(receipt_crypto_certificate *certificate);

// MARK: - Keys and signatures

typedef struct receipt_crypto_key receipt_crypto_key;

/// What RSA keys must have, and what the signers of transaction receipts of version 2 have, and no other key may.
enum { RECEIPT_CRYPTO_MIN_RSA_BITS = 2048, RECEIPT_CRYPTO_OLD_RSA_BITS = 1024 };

/// A key of a SubjectPublicKeyInfo that is on the closed list: RSA of `min_rsa_bits` to 8,192 bits with an odd exponent
/// from 3 to 64 bits, or P-256 or P-384, the curves of Apple's G3 root and the authorities under it.
receipt_crypto_status receipt_crypto_key_new(
    const receipt_crypto_context *context, receipt_crypto_slice subject_public_key_info, int min_rsa_bits,
    receipt_crypto_key **key);
void receipt_crypto_key_free(receipt_crypto_key *key);
bool receipt_crypto_key_is_rsa(const receipt_crypto_key *key);
size_t receipt_crypto_key_bits(const receipt_crypto_key *key);

/// Counts a signature that the key refused. From the sixth on, a key on P-384 refuses others in a seventh of the time: for
/// keys that last as long as their anchors, and never for those that come with a receipt.
void receipt_crypto_key_refused(const receipt_crypto_context *context, receipt_crypto_key *key);

/// value becomes 1 / value modulo an odd number of up to 384 bits; false where it has no inverse, or none is below it.
/// The time it takes depends on both.
bool receipt_crypto_invert(BIGNUM *value, const BIGNUM *modulus);

/// Checks a signature with the key over a digest: PKCS #1 v1.5 (RFC 8017, 8.2.2), or ECDSA (RFC 3279, 2.2.3).
receipt_crypto_status receipt_crypto_verify_digest(
    const receipt_crypto_context *context, const receipt_crypto_key *key, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature);

/// Checks a signature of P-256 over a digest of SHA-256: r and s of 32 bytes each (RFC 7518, 3.4).
receipt_crypto_status receipt_crypto_verify_es256(
    const receipt_crypto_context *context, const receipt_crypto_key *key, const receipt_crypto_digest *digest,
    receipt_crypto_slice signature);

// MARK: - Paths

struct receipt_crypto_anchor {
    receipt_crypto_certificate *certificate;
    receipt_crypto_key *key;
    bool demands_markers;
};

/// An intermediate of which the caller knows that an anchor signed it.
typedef struct {
    size_t anchor;
    receipt_crypto_certificate *certificate;
    receipt_crypto_key *key;
} receipt_crypto_known_intermediate;

struct receipt_crypto_anchors {
    receipt_crypto_context *context;
    struct receipt_crypto_anchor *list;
    size_t count;
    /// Without a certificate where there is none.
    receipt_crypto_known_intermediate known;
};

/// What a search for a chain keeps from one path to the next.
typedef struct {
    const receipt_crypto_anchors *anchors;
    const receipt_crypto_certificate_parts *signer;
    /// What the signer is to sign.
    receipt_crypto_purpose purpose;
    /// What is left of the signature checks that the search may take.
    size_t checks;
} receipt_crypto_search;

/// What a chain of two elliptic keys costs where no anchor vouches for another: there it is the ordinary one, elsewhere
/// anyone could make us pay it.
size_t receipt_crypto_ordinary_checks(const receipt_crypto_anchors *anchors);

/// A path whose signatures hold: signer, perhaps an intermediate, anchor.
typedef struct {
    const receipt_crypto_context *context;
    receipt_crypto_purpose purpose;
    receipt_crypto_fields certificates[3];
    /// 1 where the signer is the anchor; 0 before the signer was read.
    int count;
    receipt_crypto_key *signer_key;
    const struct receipt_crypto_anchor *anchor;
    size_t anchor_index;
    /// How far the search came, to tell which of several failures says most: 0 nobody is named as issuer, 1 an
    /// anchor is, 2 an anchor signed the candidate, 3 all signatures hold.
    int progress;
    /// Distance from the signer of the certificate that was looked at last.
    int depth;
    /// What does not read in it.
    const char *unreadable;
} receipt_crypto_path;

/// Finds the path to the anchor over the candidate, or over none where it is NULL, if its signatures hold. The caller
/// frees the signer's key in every case.
receipt_crypto_status receipt_crypto_find_path(
    receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *candidate,
    receipt_crypto_path *path);

/// Everything of RFC 5280, 6 but the signatures.
receipt_crypto_status receipt_crypto_check_path(
    const receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error);

/// Whether the names of the certificate lie within the constraints of one above it (RFC 5280, 4.2.1.10); otherwise
/// X509_V_ERR_*.
int receipt_crypto_check_names(receipt_crypto_slice name_constraints, const receipt_crypto_fields *certificate);

/// What an anchor demands of a path beyond RFC 5280.
receipt_crypto_status receipt_crypto_check_demands(const receipt_crypto_path *path, receipt_crypto_error *error);

/// Fills `error`; the message is the one given, or OpenSSL's words for x509_error.
receipt_crypto_status receipt_crypto_fail(
    receipt_crypto_error *error, receipt_crypto_status status, int x509_error, int depth, const char *message);

#endif
