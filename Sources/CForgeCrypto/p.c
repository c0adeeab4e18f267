#include "CForgeCrypto.h"
int forge_crypto_placeholder(void) { return 0; }
