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

struct receipt_crypto_context {
    OSSL_LIB_CTX *library;
    OSSL_PROVIDER *provider;
    EVP_MD *digests[RECEIPT_CRYPTO_SHA512 + 1];
};

struct receipt_crypto_anchors {
    receipt_crypto_context *context;
    X509_STORE *store;
    STACK_OF(X509) *certificates;
    bool *demands_markers;
};

struct receipt_crypto_certificate {
    X509 *x509;
};

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
    EVP_PKEY_CTX *verifier, bool is_rsa, receipt_crypto_digest_algorithm algorithm,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature);

/// A context for receipt_crypto_verify_digest with this key; NULL where the key cannot verify.
EVP_PKEY_CTX *receipt_crypto_verifier_new(const receipt_crypto_context *context, EVP_PKEY *key, bool is_rsa);

/// Parameters of a path check: time, any purpose, auth level 0 because SHA-1 links are Apple's own history and
/// the closed list of algorithms is ours to enforce.
bool receipt_crypto_set_path_parameters(X509_VERIFY_PARAM *parameters, int64_t seconds);

#endif
