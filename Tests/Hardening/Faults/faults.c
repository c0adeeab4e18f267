// Makes each call below the C module fail in turn: allocations and every OpenSSL call that can fail. The
// answer must be an error or the right one, nothing invalid may be accepted, and nothing may leak. Build it
// with AddressSanitizer, or run it under valgrind.
//
//     faults ROOT SECONDS {genuine|refused} RECEIPT…      all DER; see Tests/Hardening/sanitizers
//     faults tables                                       the table of a key's multiples; see faults_table.c
//
// FAULT_KIND is allocations or calls, by default both. FAULT_STEP is the distance between allocations that
// fail.

#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long fault_countdown = -1;
bool fault_is_lasting = false;
long fault_large_allocations = 0;

bool fault_due(void) {
    // A lasting fault has begun if the countdown is over.
    if (fault_countdown < 0) return fault_is_lasting;
    return fault_countdown-- == 0;
}

static receipt_crypto_slice read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);
    if (file == NULL || bytes == NULL) exit(2);
    size_t count = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return (receipt_crypto_slice){bytes, count};
}

enum { MAX_CERTIFICATES = 16 };

/// A receipt that OpenSSL parsed before any call fails.
typedef struct {
    PKCS7 *pkcs7;
    receipt_crypto_slice container, content, signature;
    receipt_crypto_certificate_parts certificates[MAX_CERTIFICATES];
    size_t count;
} parts;

static receipt_crypto_slice name_of(const X509_NAME *name) {
    receipt_crypto_slice slice = {NULL, 0};
    if (X509_NAME_get0_der(name, &slice.bytes, &slice.count) != 1) exit(2);
    return slice;
}

static receipt_crypto_digest_algorithm digest_of(int signature_algorithm) {
    switch (signature_algorithm) {
    case NID_sha1WithRSAEncryption: return RECEIPT_CRYPTO_SHA1;
    case NID_sha256WithRSAEncryption: return RECEIPT_CRYPTO_SHA256;
    default: return 0;
    }
}

receipt_crypto_certificate_parts fault_parts_of(const X509 *certificate) {
    unsigned char *der = NULL;
    int count = i2d_X509(certificate, &der);
    const unsigned char *tbs = der, *end;
    const ASN1_BIT_STRING *signature;
    const X509_ALGOR *algorithm;
    long length;
    int tag, class;
    X509_get0_signature(&signature, &algorithm, certificate);
    ASN1_get_object(&tbs, &length, &tag, &class, count);
    end = tbs;
    ASN1_get_object(&end, &length, &tag, &class, length);
    return (receipt_crypto_certificate_parts){
        .der = {der, (size_t)count},
        .tbs = {tbs, (size_t)(end - tbs + length)},
        .issuer = name_of(X509_get_issuer_name(certificate)),
        .subject = name_of(X509_get_subject_name(certificate)),
        .digest = digest_of(OBJ_obj2nid(algorithm->algorithm)),
        .signature = {ASN1_STRING_get0_data(signature), (size_t)ASN1_STRING_length(signature)},
    };
}

static parts take_apart(receipt_crypto_slice container) {
    parts parts = {.container = container};
    const unsigned char *position = container.bytes;
    PKCS7 *pkcs7 = d2i_PKCS7(NULL, &position, (long)container.count);
    if (pkcs7 == NULL) exit(2);
    PKCS7_SIGNER_INFO *signer = sk_PKCS7_SIGNER_INFO_value(PKCS7_get_signer_info(pkcs7), 0);
    ASN1_OCTET_STRING *content = pkcs7->d.sign->contents->d.data;
    parts.content = (receipt_crypto_slice){OPENSSL_memdup(content->data, (size_t)content->length), (size_t)content->length};
    parts.signature = (receipt_crypto_slice){
        OPENSSL_memdup(signer->enc_digest->data, (size_t)signer->enc_digest->length), (size_t)signer->enc_digest->length};
    for (int i = 0; i < sk_X509_num(pkcs7->d.sign->cert) && i < MAX_CERTIFICATES; i++)
        parts.certificates[parts.count++] = fault_parts_of(sk_X509_value(pkcs7->d.sign->cert, i));
    parts.pkcs7 = pkcs7;
    return parts;
}

static void free_parts(parts parts) {
    OPENSSL_free((void *)parts.content.bytes);
    OPENSSL_free((void *)parts.signature.bytes);
    for (size_t i = 0; i < parts.count; i++) OPENSSL_free((void *)parts.certificates[i].der.bytes);
    PKCS7_free(parts.pkcs7);
}

/// The number of calls that reported an injected fault as a fault of the receipt, by status.
static long blamed[RECEIPT_CRYPTO_DISAGREES + 1];

static bool is_good(receipt_crypto_status status) {
    if (status != RECEIPT_CRYPTO_OK && status != RECEIPT_CRYPTO_UNAVAILABLE) blamed[status]++;
    return status == RECEIPT_CRYPTO_OK;
}

/// Runs everything that the module does for one receipt. Returns whether it accepted the receipt, and in
/// `seconded` whether OpenSSL's own PKCS #7 code did.
static bool verify(receipt_crypto_slice root, const parts *parts, int64_t seconds, bool *seconded) {
    bool accepted = false;
    receipt_crypto_error error = {0};
    *seconded = false;
    receipt_crypto_context *context = receipt_crypto_context_new();
    if (context == NULL) return false;
    receipt_crypto_anchors *anchors = receipt_crypto_anchors_new(context);
    if (anchors != NULL && is_good(receipt_crypto_anchors_add(anchors, root, true, &error))) {
        size_t intermediate;
        receipt_crypto_chain *chain = receipt_crypto_chain_new(
            anchors, &parts->certificates[0], parts->certificates + 1, parts->count - 1, seconds, 12,
            &intermediate, &error);
        receipt_crypto_digest digest;
        receipt_crypto_slice nothing = {NULL, 0};
        if (chain == NULL) {
            is_good(error.status);
        } else if (is_good(receipt_crypto_digest_of(
                       context, RECEIPT_CRYPTO_SHA256, parts->content, nothing, nothing, &digest))) {
            accepted = is_good(receipt_crypto_chain_verify(chain, RECEIPT_CRYPTO_SHA256, false, &digest, parts->signature));
        }
        receipt_crypto_chain_free(chain);
        *seconded = receipt_crypto_cross_check(anchors, parts->container, parts->content, seconds, &error)
            == RECEIPT_CRYPTO_OK;
    }
    receipt_crypto_anchors_free(anchors);
    receipt_crypto_context_free(context);
    return accepted;
}

static void *allocate(size_t count, const char *file, int line) {
    (void)file, (void)line;
    // The table has 37 rows of 64 points of 64 bytes.
    if (count >= 37 * 64 * 64) fault_large_allocations++;
    return fault_kind == FAULT_ALLOCATIONS && fault_due() ? NULL : __real_malloc(count);
}

static void *reallocate(void *bytes, size_t count, const char *file, int line) {
    (void)file, (void)line;
    return fault_kind == FAULT_ALLOCATIONS && fault_due() ? NULL : __real_realloc(bytes, count);
}

static void release(void *bytes, const char *file, int line) {
    (void)file, (void)line;
    free(bytes);
}

int fault_kind = 0;

int main(int count, char **arguments) {
    static const char *const names[] = {[FAULT_ALLOCATIONS] = "allocations", [FAULT_CALLS] = "calls of OpenSSL"};
    bool is_tables = count == 2 && strcmp(arguments[1], "tables") == 0;
    if ((count < 5 && !is_tables) || CRYPTO_set_mem_functions(allocate, reallocate, release) != 1) return 64;
    receipt_crypto_ignore_configuration();
    const char *wanted = getenv("FAULT_KIND");
    long step = getenv("FAULT_STEP") != NULL ? atol(getenv("FAULT_STEP")) : 1;
    for (fault_kind = FAULT_ALLOCATIONS; is_tables && fault_kind <= FAULT_CALLS; fault_kind++) {
        if (wanted != NULL && strncmp(wanted, names[fault_kind], strlen(wanted)) != 0) continue;
        fault_tables(names[fault_kind], fault_kind == FAULT_CALLS ? 1 : step);
    }
    if (is_tables) return 0;
    receipt_crypto_slice root = read_file(arguments[1]);
    int64_t seconds = atoll(arguments[2]);
    bool is_genuine = strcmp(arguments[3], "genuine") == 0;
    for (int i = 4; i < count; i++) {
        receipt_crypto_slice bytes = read_file(arguments[i]);
        parts parts = take_apart(bytes);
        bool seconded;
        if (verify(root, &parts, seconds, &seconded) != is_genuine) {
            fprintf(stderr, "%s: the answer is not %s\n", arguments[i], arguments[3]);
            return 1;
        }
        bool may_second = seconded;
        for (fault_kind = FAULT_ALLOCATIONS; fault_kind <= FAULT_CALLS; fault_kind++) {
            if (wanted != NULL && strncmp(wanted, names[fault_kind], strlen(wanted)) != 0) continue;
            long number = 0, right = 0;
            memset(blamed, 0, sizeof blamed);
            while (true) {
                fault_countdown = number;
                bool accepted = verify(root, &parts, seconds, &seconded);
                bool is_over = fault_countdown >= 0;
                fault_countdown = -1;
                if ((accepted && !is_genuine) || (seconded && !may_second)) {
                    fprintf(stderr, "%s: accepted when %ld of the %s failed\n", arguments[i], number, names[fault_kind]);
                    return 1;
                }
                if (is_over) break;
                right += accepted == is_genuine;
                number += fault_kind == FAULT_CALLS ? 1 : step;
            }
            long total = 0;
            for (size_t status = 0; status < sizeof blamed / sizeof *blamed; status++) total += blamed[status];
            printf("%s: %ld %s, every %ld. failed: no wrong acceptance, %ld right answers, %ld refusals of the receipt",
                arguments[i], number, names[fault_kind], fault_kind == FAULT_CALLS ? 1 : step, right, total);
            for (size_t status = 0; status < sizeof blamed / sizeof *blamed; status++)
                if (blamed[status] > 0) printf(" [status %zu: %ld]", status, blamed[status]);
            printf("\n");
        }
        free_parts(parts);
        free((void *)bytes.bytes);
    }
    free((void *)root.bytes);
    return 0;
}
