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

/// Counts a call. Returns whether it must fail.
bool fault_due(void);

void *__real_malloc(size_t count);
void *__real_realloc(void *bytes, size_t count);

#endif
