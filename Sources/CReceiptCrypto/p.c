#include "CReceiptCrypto.h"
int receipt_crypto_placeholder(void) { return 0; }
