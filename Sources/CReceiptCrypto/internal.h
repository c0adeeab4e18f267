// What the files of this module share. OpenSSL's headers stay out of the public header.
#ifndef C_RECEIPT_CRYPTO_INTERNAL_H
#define C_RECEIPT_CRYPTO_INTERNAL_H

#include "include/CReceiptCrypto.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>

/// OpenSSL's idle contexts of one kind: making one costs a good part of a short call, so each thread borrows one.
typedef struct {
    _Atomic(void *) items[8];
} receipt_crypto_pool;

/// NULL where none is idle.
void *receipt_crypto_borrow(receipt_crypto_pool *pool);
/// NULL where the pool took it back; otherwise the caller frees it.
void *receipt_crypto_give_back(receipt_crypto_pool *pool, void *item);

struct receipt_crypto_context {
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *provider;
    EVP_MD *digests[RECEIPT_CRYPTO_SHA512 + 1];
    receipt_crypto_pool digest_states[RECEIPT_CRYPTO_SHA512 + 1];
};

struct receipt_crypto_anchor {
    X509 *certificate;
    bool demands_markers;
};

struct receipt_crypto_anchors {
    receipt_crypto_context *context;
    struct receipt_crypto_anchor *list;
    size_t count;
};

struct receipt_crypto_certificate {
    X509 *x509;
};

/// A path whose signatures hold.
typedef struct {
    const receipt_crypto_context *context;
    /// What the signer is to sign.
    receipt_crypto_purpose purpose;
    X509 *signer;
    /// NULL where an anchor signed, or is, the signer.
    X509 *intermediate;
    const struct receipt_crypto_anchor *anchor;
    size_t anchor_index;
    /// How far the search came, to tell which of several failures says most: 0 nobody is named as issuer, 1 an
    /// anchor is, 2 an anchor signed the candidate, 3 all signatures hold.
    int progress;
    /// Whose signature does not hold, and its distance from the signer.
    const receipt_crypto_certificate_parts *at_fault;
    int at_fault_depth;
    /// Our status, for the reasons that OpenSSL has no name for.
    receipt_crypto_status status;
} receipt_crypto_path;

/// How many certificates the path has, signer and anchor included.
int receipt_crypto_path_count(const receipt_crypto_path *path);

/// Finds the path to the anchor over the candidate, or over none where it is NULL, if its signatures hold. The caller
/// frees signer and intermediate in every case.
receipt_crypto_status receipt_crypto_find_path(
    const receipt_crypto_anchors *anchors, size_t anchor, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *candidate, receipt_crypto_path *path);

/// Fills `error` for a certificate that is no part of a path, and decodes it for this account alone.
void receipt_crypto_refuse_certificate(
    receipt_crypto_error *error, const receipt_crypto_context *context, receipt_crypto_status status, int depth,
    const receipt_crypto_certificate_parts *certificate);

/// Everything of RFC 5280, 6 but the signatures. The only trusted certificate is the anchor that was found.
receipt_crypto_status receipt_crypto_check_path(
    receipt_crypto_path *path, int64_t seconds, receipt_crypto_error *error);

/// What an anchor demands of a path beyond RFC 5280.
receipt_crypto_status receipt_crypto_check_demands(const receipt_crypto_path *path, receipt_crypto_error *error);

/// A chain of the path's certificates; NULL where memory runs out.
receipt_crypto_chain *receipt_crypto_chain_of_path(const receipt_crypto_path *path);

/// Narrows a time window to the validity of the path's certificates: nothing but the question whether the time lies
/// in it depends on the time. Outside, the window is empty.
void receipt_crypto_narrow(int64_t *first, int64_t *last, const receipt_crypto_path *path, int64_t seconds);

/// RSA of 2,048 bits or more.
bool receipt_crypto_is_allowed_rsa(const EVP_PKEY *key);

/// The elliptic curves of Apple's G3 root and the authorities under it, for issuers alone.
bool receipt_crypto_is_allowed_ec(const EVP_PKEY *key);

/// Decodes one certificate, all of the bytes; NULL otherwise.
X509 *receipt_crypto_decode(const receipt_crypto_context *context, receipt_crypto_slice der);

/// Fills `error`, with everything from OpenSSL's queue and the certificate, and empties the queue.
receipt_crypto_status receipt_crypto_fail(
    receipt_crypto_error *error, receipt_crypto_status status, int x509_error, int depth, X509 *certificate);

/// Seconds since 1970 of a certificate's time; false where it is none.
bool receipt_crypto_seconds(const ASN1_TIME *time, int64_t *seconds);

/// Checks a signature with the key over a digest, without telling OpenSSL which digest it is: a policy of the
/// machine that refuses SHA-1 must not turn the genuine receipts of 2012 to 2023 into forgeries.
receipt_crypto_status receipt_crypto_verify_digest(
    EVP_PKEY_CTX *verifier, receipt_crypto_digest_algorithm algorithm, const receipt_crypto_digest *digest,
    receipt_crypto_slice signature);

/// A context for receipt_crypto_verify_digest with this key; NULL where the key cannot verify.
EVP_PKEY_CTX *receipt_crypto_verifier_new(const receipt_crypto_context *context, EVP_PKEY *key);

/// Empties OpenSSL's queue and says whether memory ran out. Every function that the caller sees begins by emptying
/// it, so that what a host left there decides nothing.
bool receipt_crypto_was_out_of_memory(void);

/// The certificate's key; NULL with the reason in `status`. Of a certificate that a trusted key signed, an RSA or
/// elliptic key that does not decode is no attack: OpenSSL drops a key without a word when memory runs out.
EVP_PKEY *receipt_crypto_key(const X509 *certificate, receipt_crypto_status *status);

/// Parameters of a path check: time, any purpose, auth level 0 because SHA-1 links are Apple's own history and
/// the closed list of algorithms is ours to enforce.
bool receipt_crypto_set_path_parameters(X509_VERIFY_PARAM *parameters, int64_t seconds);

#endif
