#ifndef C_RECEIPT_CRYPTO_H
#define C_RECEIPT_CRYPTO_H
int receipt_crypto_placeholder(void);
#endif
