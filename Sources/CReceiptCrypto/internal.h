// Declarations that the files of this module share. The public header does not include OpenSSL's headers.
//
// Verdicts use only the parts of OpenSSL that a host cannot change: numbers, curves, names, and the digests of our own
// provider, without EVP. In OpenSSL 3, EVP, EVP_PKEY, RSA, EC_KEY and X509 use engines of the process and read the
// machine's openssl.cnf, even with a separate library context. So only the cross-check uses them, which can only
// refuse, and the signature of the caller's own distrust list.
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

/// A pool of idle OpenSSL contexts of one type. Creating a context takes a large part of a short call, so threads
/// reuse them.
typedef struct {
    _Atomic(void *) items[8];
} receipt_crypto_pool;

/// Returns a context, or NULL if none is idle.
void *receipt_crypto_borrow(receipt_crypto_pool *pool);
/// Returns NULL if the pool accepted the item. Otherwise, returns the item, which the caller frees.
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
    /// A pool of BN_CTX.
    receipt_crypto_pool numbers;
    /// The number of keys that have, or are about to have, OpenSSL's table of their multiples.
    atomic_uint tables;
};

/// Returns an idle or a new BN_CTX, or NULL if memory is exhausted.
BN_CTX *receipt_crypto_borrow_numbers(const receipt_crypto_context *context);
void receipt_crypto_give_back_numbers(const receipt_crypto_context *context, BN_CTX *numbers);

// MARK: - DER

/// Removes an element with this tag from the front (X.690, 10: definite, minimal lengths). Returns false if there is
/// none.
/// - element: receives the whole element, including tag and length. May be NULL.
/// - content: receives the content of the element. May be NULL.
bool receipt_crypto_take(
    receipt_crypto_slice *from, uint8_t tag, receipt_crypto_slice *element, receipt_crypto_slice *content);
/// Removes a positive INTEGER in its only valid encoding (X.690, 8.3). `number` receives it without a leading zero
/// octet.
bool receipt_crypto_take_positive(receipt_crypto_slice *from, receipt_crypto_slice *number);
/// Returns the tag of the next element, or 0 if there is none.
uint8_t receipt_crypto_next_tag(receipt_crypto_slice from);

/// Tags of X.690, and the bit that marks a constructed element.
enum {
    DER_BOOLEAN = 0x01, DER_INTEGER, DER_BIT_STRING, DER_OCTET_STRING, DER_NULL, DER_OBJECT_IDENTIFIER,
    DER_UTC_TIME = 0x17, DER_GENERALIZED_TIME, DER_SEQUENCE = 0x30, DER_SET, DER_CONTEXT = 0x80, DER_CONSTRUCTED = 0x20,
};

/// Whether the slice equals a constant.
#define receipt_crypto_is(slice, constant)                                                                    \
    receipt_crypto_same((slice), (receipt_crypto_slice){(const uint8_t *)(constant), sizeof(constant) - 1})

// MARK: - Certificates

/// A parsed certificate (RFC 5280, 4.1 and 4.2). Absent fields are empty slices.
typedef struct {
    receipt_crypto_slice der;
    /// The fields, including tag and length.
    receipt_crypto_slice tbs, issuer, subject, key;
    /// The content of the INTEGER.
    receipt_crypto_slice serial;
    /// The validity in seconds since 1970, both ends inclusive.
    int64_t not_before, not_after;
    bool is_authority;
    /// pathLenConstraint, or a negative number if it is absent.
    int path_length;
    /// The bits of KeyUsage, the first one as the most significant. All bits are set if the extension is absent.
    uint16_t key_usage;
    receipt_crypto_slice key_id;
    /// The identifiers of the issuer.
    receipt_crypto_slice authority_key_id, authority_issuer, authority_serial;
    bool has_signer_marker, has_intermediate_marker;
    /// The markers of version 2 of transaction receipts.
    bool has_old_signer_marker, has_old_intermediate_marker;
    /// Whether there is a critical extension that is unknown, or a requirement that this code does not process.
    bool has_unhandled_extension;
} receipt_crypto_fields;

enum {
    RECEIPT_CRYPTO_DIGITAL_SIGNATURE = 0x8000,
    RECEIPT_CRYPTO_NON_REPUDIATION = 0x4000,
    RECEIPT_CRYPTO_KEY_CERT_SIGN = 0x0400,
    RECEIPT_CRYPTO_CRL_SIGN = 0x0200,
};

/// Parses a certificate into fields that refer to `der`. Returns NULL, or the name of the field that violates RFC
/// 5280.
const char *receipt_crypto_read_certificate(receipt_crypto_slice der, receipt_crypto_fields *fields);

/// A copy of a certificate with its fields.
typedef struct {
    receipt_crypto_fields fields;
    uint8_t bytes[];
} receipt_crypto_certificate;

/// Copies and parses a certificate. Returns NULL if memory is exhausted, or if the certificate cannot be read.
receipt_crypto_certificate *receipt_crypto_certificate_copy(receipt_crypto_slice der);
void receipt_crypto_certificate_free(receipt_crypto_certificate *certificate);

// MARK: - Keys and signatures

typedef struct receipt_crypto_key receipt_crypto_key;

/// The minimum size of RSA keys, and the size of the signers' keys in version 2 of transaction receipts. No other key
/// may have the smaller size.
enum { RECEIPT_CRYPTO_MIN_RSA_BITS = 2048, RECEIPT_CRYPTO_OLD_RSA_BITS = 1024 };

/// Creates a key from a SubjectPublicKeyInfo on the allowed list. RSA keys have `min_rsa_bits` to 8,192 bits and an
/// odd exponent of at least 3 and at most 64 bits. Elliptic keys are on P-256 or P-384, the curves of Apple's G3 root
/// and its authorities. The context must outlive the key.
receipt_crypto_status receipt_crypto_key_new(
    const receipt_crypto_context *context, receipt_crypto_slice subject_public_key_info, int min_rsa_bits,
    receipt_crypto_key **key);
void receipt_crypto_key_free(receipt_crypto_key *key);
bool receipt_crypto_key_is_rsa(const receipt_crypto_key *key);
size_t receipt_crypto_key_bits(const receipt_crypto_key *key);

/// Counts an invalid signature. After the sixth, a P-384 key rejects further ones in a seventh of the time. Only for
/// keys that live as long as their anchors, not for keys from receipts.
void receipt_crypto_key_refused(const receipt_crypto_context *context, receipt_crypto_key *key);

/// Counts a valid signature. After the thousandth, a P-256 key accepts further ones in a third of the time. Only for keys of
/// valid chains, because the table for that takes 150 KB and as much time as 400 checks. At most sixteen keys of a context
/// have a table at the same time.
void receipt_crypto_key_accepted(const receipt_crypto_context *context, receipt_crypto_key *key);

/// Replaces value with 1 / value modulo an odd number of up to 384 bits. Returns false if value has no inverse or is
/// not below the modulus. Its running time depends on both numbers.
bool receipt_crypto_invert(BIGNUM *value, const BIGNUM *modulus);

/// Checks a signature over a digest with the key: PKCS #1 v1.5 (RFC 8017, 8.2.2), or ECDSA (RFC 3279, 2.2.3).
receipt_crypto_status receipt_crypto_verify_digest(
    const receipt_crypto_context *context, const receipt_crypto_key *key, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature);

/// Checks a P-256 signature over a SHA-256 digest: r and s of 32 bytes each (RFC 7518, 3.4).
receipt_crypto_status receipt_crypto_verify_es256(
    const receipt_crypto_context *context, const receipt_crypto_key *key, const receipt_crypto_digest *digest,
    receipt_crypto_slice signature);

/// Encodes a digest with EMSA-PKCS1-v1_5 (RFC 8017, 9.2) in `count` bytes, at least 128. Returns false if the digest is
/// not of the algorithm's length.
bool receipt_crypto_encode_message(
    receipt_crypto_digest_algorithm algorithm, const receipt_crypto_digest *digest, uint8_t *message, size_t count);

// MARK: - Paths

/// A valid path, with the times at which the same search finds it.
struct receipt_crypto_chain {
    const receipt_crypto_context *context;
    size_t count;
    size_t anchor;
    int64_t first, last;
    receipt_crypto_key *signer_key;
};

struct receipt_crypto_anchor {
    receipt_crypto_certificate *certificate;
    receipt_crypto_key *key;
    bool requires_markers;
};

/// An intermediate that the caller knows to be signed by an anchor.
typedef struct {
    size_t anchor;
    receipt_crypto_certificate *certificate;
    receipt_crypto_key *key;
} receipt_crypto_known_intermediate;

struct receipt_crypto_anchors {
    receipt_crypto_context *context;
    struct receipt_crypto_anchor *list;
    size_t count;
    /// The known intermediate, without a certificate if there is none.
    receipt_crypto_known_intermediate known;
};

/// The state of a search for a chain.
typedef struct {
    const receipt_crypto_anchors *anchors;
    const receipt_crypto_certificate_parts *signer;
    /// The kind of object that the signer signs.
    receipt_crypto_purpose purpose;
    /// The remaining budget of signature checks.
    size_t checks;
} receipt_crypto_search;

/// Returns the number of checks to add to the limit. If all anchors are elliptic, this is the cost of a chain with two
/// elliptic keys, because a normal chain then has them. Otherwise, it is 0, because any client could cause that cost.
size_t receipt_crypto_ordinary_checks(const receipt_crypto_anchors *anchors);

/// A path with valid signatures: signer, optional intermediate, anchor.
typedef struct {
    const receipt_crypto_context *context;
    receipt_crypto_purpose purpose;
    receipt_crypto_fields certificates[3];
    /// The number of certificates: 1 if the signer is the anchor, 0 before the signer was read.
    int count;
    receipt_crypto_key *signer_key;
    const struct receipt_crypto_anchor *anchor;
    size_t anchor_index;
    /// The progress of the search, to select the most informative of several failures. 0: no certificate is named as
    /// issuer. 1: an anchor is named. 2: an anchor signed the candidate. 3: all signatures are valid.
    int progress;
    /// The position of the last certificate examined, counted from the signer at 0.
    int depth;
    /// The name of the field that cannot be read in the certificate at `depth`, or NULL.
    const char *unreadable;
} receipt_crypto_path;

/// Finds the path to the anchor through the candidate, or directly if it is NULL, if its signatures are valid. The
/// caller always frees the signer's key.
receipt_crypto_status receipt_crypto_find_path(
    receipt_crypto_search *search, size_t anchor, const receipt_crypto_certificate_parts *candidate,
    receipt_crypto_path *path);

/// Checks everything in RFC 5280, 6 except signatures.
receipt_crypto_status receipt_crypto_check_path(
    const receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error);

/// Checks the requirements of an anchor that go beyond RFC 5280.
receipt_crypto_status receipt_crypto_check_anchor_rules(const receipt_crypto_path *path, receipt_crypto_error *error);

/// Fills `error` with the message, or with OpenSSL's text for x509_error.
receipt_crypto_status receipt_crypto_fail(
    receipt_crypto_error *error, receipt_crypto_status status, int x509_error, int depth, const char *message);

#endif
