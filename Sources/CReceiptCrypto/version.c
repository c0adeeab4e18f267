// Which OpenSSL it is, for whoever reports a fault.

#include "internal.h"

const char *receipt_crypto_version_at_build_time(void) { return OPENSSL_VERSION_TEXT; }

const char *receipt_crypto_version_at_run_time(void) { return OpenSSL_version(OPENSSL_VERSION); }
