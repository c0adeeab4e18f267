#ifndef C_FORGE_CRYPTO_H
#define C_FORGE_CRYPTO_H
int forge_crypto_placeholder(void);
#endif
