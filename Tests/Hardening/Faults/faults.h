// What faults.c and the wrappers of faults_wrap.c share.
#ifndef FAULTS_H
#define FAULTS_H

#include "../../../Sources/CReceiptCrypto/key.h"

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <openssl/x509v3.h>

enum { FAULT_ALLOCATIONS = 1, FAULT_CALLS };

/// What fails at present, and how many calls of it still succeed; negative where none fails.
extern int fault_kind;
extern long fault_countdown;

/// Counts one call; true for the one that has to fail.
bool fault_due(void);

void *__real_malloc(size_t count);
void *__real_realloc(void *bytes, size_t count);

#endif
