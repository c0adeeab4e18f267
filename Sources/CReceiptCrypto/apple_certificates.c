// Apple's certificates in the binary. As arrays in Swift, they would delay the build of everything after them.
#include "include/CReceiptCrypto.h"

// #embed is part of C23. Clang has it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t inc_root[] = {
#embed "../../Certificates/AppleIncRootCertificate.cer"
};
static const uint8_t root_g2[] = {
#embed "../../Certificates/AppleRootCA-G2.cer"
};
static const uint8_t root_g3[] = {
#embed "../../Certificates/AppleRootCA-G3.cer"
};
static const uint8_t itunes_store[] = {
#embed "../../Certificates/AppleiTunesStoreCA.cer"
};
static const uint8_t wwdr[] = {
#embed "../../Certificates/AppleWWDRCA.cer"
};
static const uint8_t wwdr_g5[] = {
#embed "../../Certificates/AppleWWDRCAG5.cer"
};
static const uint8_t wwdr_g6[] = {
#embed "../../Certificates/AppleWWDRCAG6.cer"
};
static const uint8_t wwdr_g7[] = {
#embed "../../Certificates/AppleWWDRCAG7.cer"
};
static const uint8_t wwdr_g8[] = {
#embed "../../Certificates/AppleWWDRCAG8.cer"
};

receipt_crypto_slice receipt_crypto_apple_certificate(receipt_crypto_apple_name name) {
    switch (name) {
    case RECEIPT_CRYPTO_APPLE_INC_ROOT: return (receipt_crypto_slice){inc_root, sizeof inc_root};
    case RECEIPT_CRYPTO_APPLE_ROOT_G2: return (receipt_crypto_slice){root_g2, sizeof root_g2};
    case RECEIPT_CRYPTO_APPLE_ROOT_G3: return (receipt_crypto_slice){root_g3, sizeof root_g3};
    case RECEIPT_CRYPTO_APPLE_ITUNES_STORE: return (receipt_crypto_slice){itunes_store, sizeof itunes_store};
    case RECEIPT_CRYPTO_APPLE_WWDR: return (receipt_crypto_slice){wwdr, sizeof wwdr};
    case RECEIPT_CRYPTO_APPLE_WWDR_G5: return (receipt_crypto_slice){wwdr_g5, sizeof wwdr_g5};
    case RECEIPT_CRYPTO_APPLE_WWDR_G6: return (receipt_crypto_slice){wwdr_g6, sizeof wwdr_g6};
    case RECEIPT_CRYPTO_APPLE_WWDR_G7: return (receipt_crypto_slice){wwdr_g7, sizeof wwdr_g7};
    case RECEIPT_CRYPTO_APPLE_WWDR_G8: return (receipt_crypto_slice){wwdr_g8, sizeof wwdr_g8};
    }
    return (receipt_crypto_slice){NULL, 0};
}
