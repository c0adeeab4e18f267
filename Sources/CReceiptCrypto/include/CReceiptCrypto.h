// Chains, digests and signatures of App Store receipts, over OpenSSL's libcrypto.
//
// Everything happens in a library context of its own: no configuration file, no engine and no provider
// of the machine takes part, but for the second opinion. The caller's queue of OpenSSL's errors stays as it is. Objects are opaque; who makes one frees it. A context, its anchors and its
// chains may be used from many threads at once. Certificates handed in are DER and nothing else.
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

/// Bytes that belong to the caller.
typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} receipt_crypto_slice;

static inline bool receipt_crypto_same(receipt_crypto_slice left, receipt_crypto_slice right) {
    return left.count == right.count && (left.count == 0 || memcmp(left.bytes, right.bytes, left.count) == 0);
}

/// Index of the first such byte; the count where there is none.
static inline size_t receipt_crypto_index_of(receipt_crypto_slice slice, uint8_t byte) {
    const uint8_t *found = slice.count > 0 ? memchr(slice.bytes, byte, slice.count) : NULL;
    return found != NULL ? (size_t)(found - slice.bytes) : slice.count;
}

/// Whether all bytes are ASCII, and no control character but white space. Each is looked at, so that the compiler may take
/// many at once.
static inline bool receipt_crypto_is_plain_text(receipt_crypto_slice slice) {
    uint8_t others = 0;
    for (size_t i = 0; i < slice.count; i++) {
        uint8_t byte = slice.bytes[i];
        others |= (uint8_t)((byte < 0x20 && (uint8_t)(byte - 0x09) > 4) || byte > 0x7E);
    }
    return others == 0;
}

/// How a call ended.
typedef enum {
    RECEIPT_CRYPTO_OK = 0,
    /// OpenSSL failed where nothing of the input is to blame: out of memory, a missing algorithm.
    RECEIPT_CRYPTO_UNAVAILABLE,
    /// A certificate does not decode, or bytes follow it.
    RECEIPT_CRYPTO_BAD_CERTIFICATE,
    /// There is no valid path to an anchor; x509_error says why.
    RECEIPT_CRYPTO_UNTRUSTED,
    /// No path was found within the signature checks that the search may take; those that would take more were left out.
    RECEIPT_CRYPTO_TOO_MANY_CHECKS,
    /// A certificate of the path was not valid at the given time.
    RECEIPT_CRYPTO_NOT_VALID_AT_TIME,
    /// A certificate is signed, or the second opinion found a signature made, with an algorithm off the list.
    RECEIPT_CRYPTO_BAD_ALGORITHM,
    /// A key is not what the list allows.
    RECEIPT_CRYPTO_BAD_KEY,
    /// An issuer is no certificate authority by its basic constraints.
    RECEIPT_CRYPTO_NOT_AN_AUTHORITY,
    /// The path does not have the length that the anchor's demands imply.
    RECEIPT_CRYPTO_BAD_PATH_LENGTH,
    /// The signer lacks the marker of App Store receipt signing.
    RECEIPT_CRYPTO_NO_SIGNER_MARKER,
    /// The intermediate lacks the marker of Apple's worldwide developer relations.
    RECEIPT_CRYPTO_NO_INTERMEDIATE_MARKER,
    /// The signer's key usage does not include digital signatures.
    RECEIPT_CRYPTO_BAD_KEY_USAGE,
    /// The signer is a certificate authority by its basic constraints.
    RECEIPT_CRYPTO_SIGNER_IS_AUTHORITY,
    /// The signature does not hold.
    RECEIPT_CRYPTO_BAD_SIGNATURE,
    /// OpenSSL's own decoder does not take the container, or reads another content from it.
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

/// What went wrong. Whose fault it was is said by place: what a certificate says of itself, the caller's reader knows,
/// and OpenSSL need not decode what nobody has signed.
typedef struct {
    receipt_crypto_status status;
    /// X509_V_ERR_* of OpenSSL, or 0.
    int x509_error;
    /// Distance of the certificate at fault from the signer on the path that was tried, or -1 …
    int depth;
    /// … and the path: over the candidate of this index, over none where it is candidate_count, to this anchor.
    size_t candidate, anchor;
    /// Of a chain: the same certificates fail in the same way at every time from `first` to `last`, in seconds since
    /// 1970. `last` is before `first` where that cannot be said: the time decided, or the machine failed.
    int64_t first, last;
    /// What does not read in a certificate, OpenSSL's words for x509_error, or everything that it had to say.
    char message[RECEIPT_CRYPTO_MESSAGE];
} receipt_crypto_error;

// MARK: - Context

/// NULL where OpenSSL cannot give a library context with its default provider.
receipt_crypto_context *_Nullable receipt_crypto_context_new(void);
void receipt_crypto_context_free(receipt_crypto_context *_Nullable context);

/// Keeps OpenSSL from reading its configuration file into this process, also for others' use of it.
/// For programs, before anything else; a library has no business to decide this for its host.
void receipt_crypto_ignore_configuration(void);

/// OpenSSL's version and its date: of the headers that this was compiled with, and of the library that runs. Both texts
/// live as long as the process.
const char *receipt_crypto_version_at_build_time(void);
const char *receipt_crypto_version_at_run_time(void);

// MARK: - Digests

/// Digest of three slices one after the other, any of which may be empty.
receipt_crypto_status receipt_crypto_digest_of(
    const receipt_crypto_context *context, receipt_crypto_digest_algorithm algorithm, receipt_crypto_slice first,
    receipt_crypto_slice second, receipt_crypto_slice third, receipt_crypto_digest *digest);

/// A SHA-256 of what comes in pieces, for one thread at a time. The context outlives it.
typedef struct receipt_crypto_stream receipt_crypto_stream;

/// NULL where OpenSSL fails.
receipt_crypto_stream *_Nullable receipt_crypto_stream_new(const receipt_crypto_context *context);
void receipt_crypto_stream_free(receipt_crypto_stream *_Nullable stream);
bool receipt_crypto_stream_add(receipt_crypto_stream *stream, receipt_crypto_slice bytes);
/// Once, at the end.
bool receipt_crypto_stream_finish(receipt_crypto_stream *stream, receipt_crypto_digest *digest);

/// Compares in a time that depends on the counts alone.
bool receipt_crypto_digest_equals(const receipt_crypto_digest *digest, receipt_crypto_slice bytes);

// MARK: - Base64

/// Decodes characters of RFC 4648's standard alphabet, 32 at a time, for as long as there are no others and `room` is
/// 32 bytes; it may write eight bytes more than it decodes.
/// Returns how many characters it took: three bytes for each four of them.
size_t receipt_crypto_base64(receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash);

// MARK: - Anchors and chains

receipt_crypto_anchors *_Nullable receipt_crypto_anchors_new(receipt_crypto_context *context);
void receipt_crypto_anchors_free(receipt_crypto_anchors *_Nullable anchors);

/// Adds a root. With `demands_markers` a chain to it is leaf, intermediate, root, with Apple's marker extensions.
receipt_crypto_status receipt_crypto_anchors_add(
    receipt_crypto_anchors *anchors, receipt_crypto_slice certificate, bool demands_markers,
    receipt_crypto_error *error);

/// A certificate that nobody vouches for yet, taken apart by the caller's reader (RFC 5280, 4.1).
typedef struct {
    receipt_crypto_slice der;
    /// tbsCertificate, with its header: what is signed.
    receipt_crypto_slice tbs;
    /// Names, with their headers.
    receipt_crypto_slice issuer, subject;
    /// signatureAlgorithm, from the closed list; 0 where it is not on it.
    receipt_crypto_digest_algorithm digest;
    bool is_ecdsa;
    /// signatureValue, without the count of unused bits.
    receipt_crypto_slice signature;
} receipt_crypto_certificate_parts;

/// Keeps a copy of an intermediate of which the caller knows that this anchor signed it: its signature is not checked
/// again, and a check of a signer with its key counts for RECEIPT_CRYPTO_KNOWN_CHECKS. Everything else is checked of it as of
/// any other. With P-384, a key that has refused six signatures refuses others in a seventh of the time.
/// - anchor: its index, in the order of receipt_crypto_anchors_add.
receipt_crypto_status receipt_crypto_anchors_know(
    receipt_crypto_anchors *anchors, receipt_crypto_slice intermediate, size_t anchor);

/// What a check with an elliptic key counts for: with the curves of Apple's G3 root it takes forty times as long as one
/// with RSA of 2,048 bits.
enum { RECEIPT_CRYPTO_ELLIPTIC_CHECKS = 40 };

/// What a check with the key of the known intermediate counts for.
enum { RECEIPT_CRYPTO_KNOWN_CHECKS = 5 };

/// Finds and checks the path from the signer, over one of the candidates or none, to an anchor. Anchors that demand
/// markers come before those that do not, then candidates in their order, then anchors in theirs: the first path that
/// is good in every respect.
/// - candidates: those whose subject is the signer's issuer, each once.
/// - seconds: the time at which every certificate must be valid, since 1970.
/// - checks: how many signature checks the search may take; one counts for each 2,048 bits of an RSA key, and
///   RECEIPT_CRYPTO_ELLIPTIC_CHECKS with another, but for the known intermediate's. Where every anchor is elliptic, two of
///   those come on top.
/// - intermediate: index of the candidate that the path goes over; candidate_count where it goes over none.
/// Returns NULL with `error` filled where there is no such path.
receipt_crypto_chain *_Nullable receipt_crypto_chain_new(
    const receipt_crypto_anchors *anchors, const receipt_crypto_certificate_parts *signer,
    const receipt_crypto_certificate_parts *_Nullable candidates, size_t candidate_count, int64_t seconds,
    size_t checks, size_t *intermediate, receipt_crypto_error *error);
void receipt_crypto_chain_free(receipt_crypto_chain *_Nullable chain);

/// What a signer signs; it decides which key it must have, and which markers it and its intermediate.
typedef enum {
    /// PKCS #7 receipts: RSA of 2,048 bits or more; under an anchor that demands markers also P-256 and P-384. Transaction
    /// receipts of versions 3 and 4: RSA.
    RECEIPT_CRYPTO_RECEIPTS = 0,
    /// JWS: P-256.
    RECEIPT_CRYPTO_JWS,
    /// Transaction receipts of version 2: RSA of 1,024 bits.
    RECEIPT_CRYPTO_OLD_TRANSACTION_RECEIPTS,
} receipt_crypto_purpose;

/// What two checks with elliptic keys count for: a path that is named has no others.
enum { RECEIPT_CRYPTO_NAMED_CHECKS = 2 * RECEIPT_CRYPTO_ELLIPTIC_CHECKS };

/// Checks the one path from the signer, over the intermediate or over none where it is NULL, to the anchor of this
/// index: every certificate is named, so there is nothing to search. Returns NULL with `error` filled where it does not
/// hold; the intermediate is its candidate 0.
receipt_crypto_chain *_Nullable receipt_crypto_chain_of(
    const receipt_crypto_anchors *anchors, size_t anchor, receipt_crypto_purpose purpose,
    const receipt_crypto_certificate_parts *signer, const receipt_crypto_certificate_parts *_Nullable intermediate,
    int64_t seconds, receipt_crypto_error *error);

/// Index of the anchor that ends the chain, in the order of receipt_crypto_anchors_add.
size_t receipt_crypto_chain_anchor(const receipt_crypto_chain *chain);
/// How many certificates the chain has, signer and anchor included.
size_t receipt_crypto_chain_count(const receipt_crypto_chain *chain);
/// When the same search finds this chain: at every time from `first` to `last`, in seconds since 1970. `last` is before
/// `first` where that cannot be said, because the machine failed on the way.
void receipt_crypto_chain_times(const receipt_crypto_chain *chain, int64_t *first, int64_t *last);

/// Whether the signer's key is on an elliptic curve; otherwise it is RSA.
bool receipt_crypto_chain_is_elliptic(const receipt_crypto_chain *chain);

/// Checks a signature of the chain's signer over a digest: PKCS #1 v1.5 (RFC 8017, 8.2.2), or with `is_ecdsa` an
/// Ecdsa-Sig-Value (RFC 3279, 2.2.3). RECEIPT_CRYPTO_BAD_SIGNATURE where the key is of the other kind.
receipt_crypto_status receipt_crypto_chain_verify(
    const receipt_crypto_chain *chain, receipt_crypto_digest_algorithm algorithm, bool is_ecdsa,
    const receipt_crypto_digest *digest, receipt_crypto_slice signature);

/// Checks an ES256 signature of the chain's signer: r and s of 32 bytes each, big endian (RFC 7518, 3.4).
receipt_crypto_status receipt_crypto_chain_verify_es256(
    const receipt_crypto_chain *chain, const receipt_crypto_digest *digest, receipt_crypto_slice signature);

// MARK: - Second opinion

/// OpenSSL's own PKCS7_verify over the whole container, with the same anchors and time, and its content
/// compared with the bytes that the caller read. It knows nothing of marker extensions, and it decodes every certificate
/// of the container: the caller leaves none in it but those of a chain that was found.
receipt_crypto_status receipt_crypto_second_opinion(
    const receipt_crypto_anchors *anchors, receipt_crypto_slice container, receipt_crypto_slice content,
    int64_t seconds, receipt_crypto_error *error);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
