// Declarations that faults.c and the wrappers in faults_wrap.c share.
#ifndef FAULTS_H
#define FAULTS_H

#include "../../../Sources/CReceiptCrypto/key.h"

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>

enum { FAULT_ALLOCATIONS = 1, FAULT_CALLS };

/// The kind of call that fails, and the number of calls that succeed before. Negative if no call fails.
extern int fault_kind;
extern long fault_countdown;
/// Whether all calls after the first failure fail, too.
extern bool fault_is_lasting;

/// The number of allocations as large as a table of a key's multiples.
extern long fault_large_allocations;

/// Counts a call. Returns whether it must fail.
bool fault_due(void);

/// Parses a certificate as the Swift reader does. The parts point into the certificate, except for its encoding.
receipt_crypto_certificate_parts fault_parts_of(const X509 *certificate);

/// Makes every step-th call fail while a key gets a table of its multiples. Ends the process after a wrong answer.
/// - name: the kind of call, for the output.
void fault_tables(const char *name, long step);

void *__real_malloc(size_t count);
void *__real_realloc(void *bytes, size_t count);

#endif
