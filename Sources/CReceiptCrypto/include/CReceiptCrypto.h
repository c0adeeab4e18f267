// Chains, digests and signatures of App Store receipts, with OpenSSL's libcrypto.
//
// This module uses its own library context. Configuration files, engines and providers of the machine have no effect,
// except on the cross-check. The caller's queue of OpenSSL errors remains unchanged.
//
// Objects are opaque, and the caller frees them. Several threads may use a context, its anchors and its chains at the
// same time. Certificates must be DER.
#ifndef C_RECEIPT_CRYPTO_H
#define C_RECEIPT_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct receipt_crypto_context receipt_crypto_context;
typedef struct receipt_crypto_anchors receipt_crypto_anchors;
typedef struct receipt_crypto_chain receipt_crypto_chain;

/// Bytes owned by the caller.
typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} receipt_crypto_slice;

static inline bool receipt_crypto_same(receipt_crypto_slice left, receipt_crypto_slice right) {
    return left.count == right.count && (left.count == 0 || memcmp(left.bytes, right.bytes, left.count) == 0);
}

/// Returns the index of the first such byte, or the count if there is none.
static inline size_t receipt_crypto_index_of(receipt_crypto_slice slice, uint8_t byte) {
    const uint8_t *found = slice.count > 0 ? memchr(slice.bytes, byte, slice.count) : NULL;
    return found != NULL ? (size_t)(found - slice.bytes) : slice.count;
}

/// Returns whether all bytes are ASCII without control characters other than white space. The loop has no early exit,
/// so that the compiler can vectorize it.
static inline bool receipt_crypto_is_plain_text(receipt_crypto_slice slice) {
    uint8_t others = 0;
    for (size_t i = 0; i < slice.count; i++) {
        uint8_t byte = slice.bytes[i];
        others |= (uint8_t)((byte < 0x20 && (uint8_t)(byte - 0x09) > 4) || byte > 0x7E);
    }
    return others == 0;
}

/// Returns the number of bytes before the first quote, backslash, control character except DEL, or byte outside ASCII.
/// The result may be smaller, and is 0 on processors without AVX-512.
size_t receipt_crypto_plain_stretch(receipt_crypto_slice text);

/// A certificate of the folder `Certificates`.
typedef enum {
    RECEIPT_CRYPTO_APPLE_INC_ROOT,
    RECEIPT_CRYPTO_APPLE_ROOT_G2,
    RECEIPT_CRYPTO_APPLE_ROOT_G3,
    RECEIPT_CRYPTO_APPLE_ITUNES_STORE,
    RECEIPT_CRYPTO_APPLE_WWDR,
    RECEIPT_CRYPTO_APPLE_WWDR_G5,
    RECEIPT_CRYPTO_APPLE_WWDR_G6,
    RECEIPT_CRYPTO_APPLE_WWDR_G7,
    RECEIPT_CRYPTO_APPLE_WWDR_G8,
} receipt_crypto_apple_name;

/// Returns the certificate, which is part of the binary.
receipt_crypto_slice receipt_crypto_apple_certificate(receipt_crypto_apple_name name);

/// The result of a call.
typedef enum {
    RECEIPT_CRYPTO_OK = 0,
    /// OpenSSL failed for a reason other than the input: out of memory, or an algorithm is missing.
    RECEIPT_CRYPTO_UNAVAILABLE,
    /// A certificate does not decode, or bytes follow it.
    RECEIPT_CRYPTO_BAD_CERTIFICATE,
    /// No valid path leads to an anchor; see x509_error.
    RECEIPT_CRYPTO_UNTRUSTED,
    /// No path was found within the limit of signature checks. Paths that need more were skipped.
    RECEIPT_CRYPTO_TOO_MANY_CHECKS,
    /// A certificate of the path was not valid at the given time.
    RECEIPT_CRYPTO_NOT_VALID_AT_TIME,
    /// The algorithm of a certificate's signature, or of a signature in the cross-check, is not on the allowed list.
    RECEIPT_CRYPTO_BAD_ALGORITHM,
    /// A key is not on the allowed list.
    RECEIPT_CRYPTO_BAD_KEY,
    /// The basic constraints of an issuer do not make it a certificate authority.
    RECEIPT_CRYPTO_NOT_AN_AUTHORITY,
    /// The length of the path differs from the requirements of the anchor.
    RECEIPT_CRYPTO_BAD_PATH_LENGTH,
    /// The signer lacks the marker extension for App Store receipts.
    RECEIPT_CRYPTO_NO_SIGNER_MARKER,
    /// The intermediate lacks the marker extension of Apple's Worldwide Developer Relations.
    RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER,
    /// The signer's key usage does not include digital signatures.
    RECEIPT_CRYPTO_BAD_KEY_USAGE,
    /// The basic constraints of the signer make it a certificate authority.
    RECEIPT_CRYPTO_SIGNER_IS_AUTHORITY,
    /// The signature is invalid.
    RECEIPT_CRYPTO_BAD_SIGNATURE,
    /// OpenSSL's own decoder rejects the container, or reads other content from it.
    RECEIPT_CRYPTO_DISAGREES,
} receipt_crypto_status;

typedef enum {
    RECEIPT_CRYPTO_SHA1 = 1,
    RECEIPT_CRYPTO_SHA256,
    RECEIPT_CRYPTO_SHA384,
    RECEIPT_CRYPTO_SHA512,
} receipt_crypto_digest_algorithm;

enum { RECEIPT_CRYPTO_MAX_DIGEST = 64, RECEIPT_CRYPTO_MESSAGE = 512 };

typedef struct {
    uint8_t bytes[RECEIPT_CRYPTO_MAX_DIGEST];
    size_t count;
} receipt_crypto_digest;

/// The details of an error. They identify the faulty certificate by its position. The caller parses that certificate
/// itself, so OpenSSL never decodes unsigned certificates.
typedef struct {
    receipt_crypto_status status;
    /// An X509_V_ERR_* code of OpenSSL, or 0.
    int x509_error;
    /// The position of the faulty certificate on the path, counted from the signer at 0, or -1.
    int depth;
    /// The path, as the indexes of its candidate and its anchor. `candidate` is candidate_count for a path without
    /// one.
    size_t candidate, anchor;
    /// The times, in seconds since 1970, at which the same certificates fail in the same way: from `first` to `last`.
    /// `last` is before `first` if this is unknown, because OpenSSL failed.
    int64_t first, last;
    /// The name of the certificate field that cannot be read, OpenSSL's text for x509_error, or all messages of
    /// OpenSSL.
    char message[RECEIPT_CRYPTO_MESSAGE];
} receipt_crypto_error;

// MARK: - Context

/// Creates a context. Returns NULL if OpenSSL cannot create a library context with its default provider.
receipt_crypto_context *_Nullable receipt_crypto_context_new(void);
void receipt_crypto_context_free(receipt_crypto_context *_Nullable context);

/// Prevents OpenSSL from reading its configuration file into this process and from freeing its memory at exit, for all
/// users of OpenSSL. Programs call this before anything else. Libraries must leave the decision to their hosts.
void receipt_crypto_ignore_configuration(void);

/// Returns OpenSSL's version and date, of the headers at build time and of the library at run time. Both texts live
/// as long as the process.
const char *receipt_crypto_version_at_build_time(void);
const char *receipt_crypto_version_at_run_time(void);

// MARK: - Digests

/// Computes the digest of three concatenated slices. Each may be empty.
receipt_crypto_status receipt_crypto_digest_of(
    const receipt_crypto_context *context, receipt_crypto_digest_algorithm algorithm, receipt_crypto_slice first,
    receipt_crypto_slice second, receipt_crypto_slice third, receipt_crypto_digest *digest);

/// Computes the SHA-256 digests of several messages, sixteen at once. One message takes five times as long as with
/// OpenSSL, and sixteen of similar lengths take a third of the time. If the longest come first, they take the least time.
/// Returns false if the processor does not support this. The arithmetic is our own, so signatures must not depend on these
/// digests.
bool receipt_crypto_sha256_each(const receipt_crypto_slice *messages, size_t count, receipt_crypto_digest *digests);

/// A SHA-256 computation over bytes that are added in parts. Not thread-safe. The context must outlive it.
typedef struct receipt_crypto_stream receipt_crypto_stream;

/// Creates a stream, or returns NULL if OpenSSL fails.
receipt_crypto_stream *_Nullable receipt_crypto_stream_new(const receipt_crypto_context *context);
void receipt_crypto_stream_free(receipt_crypto_stream *_Nullable stream);
bool receipt_crypto_stream_add(receipt_crypto_stream *stream, receipt_crypto_slice bytes);
/// Computes the digest. Call once, after the last part.
bool receipt_crypto_stream_finish(receipt_crypto_stream *stream, receipt_crypto_digest *digest);

/// Compares in a time that depends only on the lengths.
bool receipt_crypto_digest_equals(const receipt_crypto_digest *digest, receipt_crypto_slice bytes);

// MARK: - Base64

/// Decodes characters of RFC 4648's standard alphabet, 32 or 64 at a time. Stops if another character occurs among them,
/// or if less than 32 characters or 32 bytes of `room` are left. May write sixteen bytes beyond the decoded ones, within
/// `room`. Returns the number of decoded characters. Every four characters yield three bytes.
size_t receipt_crypto_base64(receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash);

// MARK: - Anchors and chains

receipt_crypto_anchors *_Nullable receipt_crypto_anchors_new(receipt_crypto_context *context);
void receipt_crypto_anchors_free(receipt_crypto_anchors *_Nullable anchors);

/// Adds a root. With `requires_markers`, a chain to it must be leaf, intermediate, root, with Apple's marker
/// extensions.
receipt_crypto_status receipt_crypto_anchors_add(
    receipt_crypto_anchors *anchors, receipt_crypto_slice certificate, bool requires_markers,
    receipt_crypto_error *error);

/// An unverified certificate, parsed by the caller (RFC 5280, 4.1).
typedef struct {
    receipt_crypto_slice der;
    /// tbsCertificate, including tag and length, which the signature covers.
    receipt_crypto_slice tbs;
    /// The names, including tag and length.
    receipt_crypto_slice issuer, subject;
    /// signatureAlgorithm, or 0 if it is not on the allowed list.
    receipt_crypto_digest_algorithm digest;
    bool is_ecdsa;
    /// signatureValue, without the count of unused bits.
    receipt_crypto_slice signature;
} receipt_crypto_certificate_parts;

/// Stores a copy of an intermediate that the caller knows to be signed by this anchor. Its signature is not checked
/// again, and a check with its key counts as RECEIPT_CRYPTO_KNOWN_CHECKS. All other checks apply to it. After six
/// invalid signatures, a P-384 key rejects further ones in a seventh of the time.
/// - anchor: the index of the anchor, in the order of receipt_crypto_anchors_add.
receipt_crypto_status receipt_crypto_anchors_know(
    receipt_crypto_anchors *anchors, receipt_crypto_slice intermediate, size_t anchor);

/// The cost of a check with an elliptic key. With the curves of Apple's G3 root, it takes forty times as long as a
/// check with RSA of 2,048 bits.
enum { RECEIPT_CRYPTO_ELLIPTIC_CHECKS = 40 };

/// The cost of a check with the key of the known intermediate.
enum { RECEIPT_CRYPTO_KNOWN_CHECKS = 5 };

/// Finds the first valid path from the signer to an anchor, through one of the candidates or directly. Anchors that
/// require markers come before the others; then candidates and anchors are tried in their order.
/// - candidates: the certificates whose subject is the signer's issuer, without duplicates.
/// - seconds: the time at which every certificate must be valid, in seconds since 1970.
/// - checks: the maximum number of signature checks. A check with an RSA key counts as one for each 2,048 bits. Checks
///   with other keys count as RECEIPT_CRYPTO_ELLIPTIC_CHECKS, except for the known intermediate's key. If every anchor
///   is elliptic, two checks with elliptic keys are added to the maximum.
/// - intermediate: receives the index of the path's candidate, or candidate_count without one.
/// Returns NULL and fills `error` if there is no such path.
receipt_crypto_chain *_Nullable receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *_Nullable candidates, size_t candidate_count, int64_t seconds,
    size_t checks, size_t *intermediate, receipt_crypto_error *error);
void receipt_crypto_chain_free(receipt_crypto_chain *_Nullable chain);

/// The kind of signed object, which determines the signer's key and the markers of signer and intermediate.
typedef enum {
    /// PKCS #7 receipts: RSA of at least 2,048 bits; P-256 and P-384 if the anchor requires markers. Transaction
    /// receipts of versions 3 and 4: RSA.
    RECEIPT_CRYPTO_RECEIPTS = 0,
    /// JWS: P-256.
    RECEIPT_CRYPTO_JWS,
    /// Transaction receipts of version 2: RSA of 1,024 bits.
    RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS,
} receipt_crypto_purpose;

/// The cost of two checks with elliptic keys. A named path needs no others.
enum { RECEIPT_CRYPTO_NAMED_CHECKS = 2 * RECEIPT_CRYPTO_ELLIPTIC_CHECKS };

/// Checks the only path from the signer to this anchor, through the intermediate, or directly if it is NULL. Every
/// certificate is named, so there is no search. Returns NULL and fills `error` if the path is not valid, with the
/// intermediate as candidate 0.
receipt_crypto_chain *_Nullable receipt_crypto_chain_of(
    const receipt_crypto_anchors *anchors, size_t anchor, receipt_crypto_purpose purpose,
    const receipt_crypto_certificate_parts *signer, const receipt_crypto_certificate_parts *_Nullable intermediate,
    int64_t seconds, receipt_crypto_error *error);

/// Returns the index of the chain's anchor, in the order of receipt_crypto_anchors_add.
size_t receipt_crypto_chain_anchor(const receipt_crypto_chain *chain);
/// Returns the number of certificates in the chain, including signer and anchor.
size_t receipt_crypto_chain_count(const receipt_crypto_chain *chain);
/// Returns the times at which the same search finds this chain: from `first` to `last`, in seconds since 1970. `last`
/// is before `first` if this is unknown, because OpenSSL failed during the search.
void receipt_crypto_chain_times(const receipt_crypto_chain *chain, int64_t *first, int64_t *last);

/// Returns whether the signer's key is on an elliptic curve. Otherwise, it is RSA.
bool receipt_crypto_chain_is_elliptic(const receipt_crypto_chain *chain);

/// Checks a signature of the chain's signer over a digest: PKCS #1 v1.5 (RFC 8017, 8.2.2), or with `is_ecdsa` an
/// Ecdsa-Sig-Value (RFC 3279, 2.2.3). Returns RECEIPT_CRYPTO_BAD_SIGNATURE if the key is of the other type.
receipt_crypto_status receipt_crypto_chain_verify(
    const receipt_crypto_chain *chain, receipt_crypto_digest_algorithm algorithm, bool is_ecdsa,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature);

/// Checks an ES256 signature of the chain's signer: r and s of 32 bytes each, big endian (RFC 7518, 3.4).
receipt_crypto_status receipt_crypto_chain_verify_es256(
    const receipt_crypto_chain *chain, const receipt_crypto_digest *digest, receipt_crypto_slice signature);

// MARK: - Revocation lists

/// Checks the signature of a certificate revocation list with the key of its issuer.
/// - issuer: the certificate of the issuer, from a valid chain.
/// - tbs: tbsCertList, including tag and length.
/// Returns RECEIPT_CRYPTO_BAD_KEY_USAGE if the issuer must not sign such lists.
receipt_crypto_status receipt_crypto_verify_list(
    const receipt_crypto_context *context, receipt_crypto_slice issuer, receipt_crypto_digest_algorithm algorithm,
    bool is_ecdsa, receipt_crypto_slice tbs, receipt_crypto_slice signature);

/// Returns whether an Ed25519 signature over the message was made with the key of 32 bytes (RFC 8032, 5.1.7).
bool receipt_crypto_verify_ed25519(
    const receipt_crypto_context *context, receipt_crypto_slice key, receipt_crypto_slice message,
    receipt_crypto_slice signature);

/// Computes the BLAKE2b digest of 64 bytes (RFC 7693). Returns false if OpenSSL fails.
bool receipt_crypto_blake2b512(
    const receipt_crypto_context *context, receipt_crypto_slice message, receipt_crypto_digest *digest);

// MARK: - Several RSA signatures at once

/// A check of a signature with RSASSA-PKCS1-V1_5 (RFC 8017, 8.2.2).
typedef struct {
    const receipt_crypto_chain *chain;
    receipt_crypto_digest_algorithm algorithm;
    receipt_crypto_digest digest;
    receipt_crypto_slice signature;
    /// Whether the signature is proven to be valid. False proves nothing.
    bool is_accepted;
} receipt_crypto_rsa_check;

/// The maximum number of checks at once.
enum { RECEIPT_CRYPTO_LANES = 8 };

/// Returns whether several signatures can be checked at once: the processor supports it, and the system has random
/// numbers.
bool receipt_crypto_has_lanes(void);

/// Returns whether signatures of the chain's signer can be checked together with others. The processor must support it,
/// and the key must be RSA of 2,048 bits with the exponent 65,537.
bool receipt_crypto_chain_has_lanes(const receipt_crypto_chain *chain);

/// Checks up to RECEIPT_CRYPTO_LANES signatures, of any chains. Sets is_accepted of all. If the keys were used before, it
/// takes as long as two calls of receipt_crypto_chain_verify, for any number of signatures. Callers then use
/// receipt_crypto_chain_verify for every signature that is not accepted. Such a signature may be valid: its key may be
/// unsuitable, or its proof may have failed.
void receipt_crypto_accept_rsa(receipt_crypto_rsa_check *checks, size_t count);

// MARK: - Cross-check with OpenSSL

/// Runs OpenSSL's own PKCS7_verify on the whole container, with the same anchors and time, and compares its content
/// with the bytes that the caller read. OpenSSL does not check marker extensions, and it decodes every certificate of
/// the container. So the caller first removes all certificates that are not part of a verified chain.
receipt_crypto_status receipt_crypto_cross_check(
    const receipt_crypto_anchors *anchors, receipt_crypto_slice container, receipt_crypto_slice content,
    int64_t seconds, receipt_crypto_error *error);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
