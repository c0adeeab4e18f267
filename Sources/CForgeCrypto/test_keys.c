#include "CForgeCrypto.h"

// #embed is part of C23. Clang has it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char keys[] = {
#embed "test-keys.pem" suffix(, 0)
};

const char *forge_test_keys(void) { return (const char *)keys; }
