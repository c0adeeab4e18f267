// The linker sends the module's calls here (--wrap), and the one whose turn it is fails as OpenSSL lets it fail.

#include "faults.h"

#include <openssl/bio.h>
#include <openssl/pkcs7.h>
#include <openssl/rsa.h>
#include <stdlib.h>

static bool fails(int kind) { return fault_kind == kind && fault_due(); }

#define WRAP(type, name, parameters, arguments, failure)                                                     \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters;                                                                           \
    type __wrap_##name parameters { return fails(FAULT_CALLS) ? (failure) : __real_##name arguments; }

#define ALLOCATION(name, parameters, arguments)                                                              \
    void *__real_##name parameters;                                                                          \
    void *__wrap_##name parameters;                                                                          \
    void *__wrap_##name parameters { return fails(FAULT_ALLOCATIONS) ? NULL : __real_##name arguments; }

ALLOCATION(malloc, (size_t count), (count))
ALLOCATION(calloc, (size_t count, size_t size), (count, size))
ALLOCATION(realloc, (void *bytes, size_t count), (bytes, count))

WRAP(OSSL_LIB_CTX *, OSSL_LIB_CTX_new, (void), (), NULL)
WRAP(OSSL_PROVIDER *, OSSL_PROVIDER_load, (OSSL_LIB_CTX * c, const char *n), (c, n), NULL)
WRAP(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * c, const char *n, const char *p), (c, n, p), NULL)
WRAP(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL)
WRAP(int, EVP_DigestInit_ex2, (EVP_MD_CTX * c, const EVP_MD *m, const OSSL_PARAM *p), (c, m, p), 0)
WRAP(int, EVP_DigestUpdate, (EVP_MD_CTX * c, const void *d, size_t n), (c, d, n), 0)
WRAP(int, EVP_DigestFinal_ex, (EVP_MD_CTX * c, unsigned char *d, unsigned int *n), (c, d, n), 0)
WRAP(EVP_PKEY_CTX *, EVP_PKEY_CTX_new_from_pkey, (OSSL_LIB_CTX * c, EVP_PKEY *k, const char *p), (c, k, p), NULL)
WRAP(int, EVP_PKEY_verify_init, (EVP_PKEY_CTX * c), (c), 0)
WRAP(int, EVP_PKEY_CTX_set_rsa_padding, (EVP_PKEY_CTX * c, int p), (c, p), 0)
WRAP(int, EVP_PKEY_verify, (EVP_PKEY_CTX * c, const unsigned char *s, size_t sn, const unsigned char *d, size_t dn), (c, s, sn, d, dn), -1)
WRAP(int, EVP_PKEY_is_a, (const EVP_PKEY *k, const char *n), (k, n), 0)
WRAP(int, EVP_PKEY_get_bits, (const EVP_PKEY *k), (k), 0)
WRAP(int, EVP_PKEY_get_bn_param, (const EVP_PKEY *k, const char *n, BIGNUM **b), (k, n, b), 0)
WRAP(int, X509_self_signed, (X509 * x, int v), (x, v), -1)
WRAP(int, X509_VERIFY_PARAM_set_flags, (X509_VERIFY_PARAM * p, unsigned long f), (p, f), 0)
WRAP(X509_STORE *, X509_STORE_new, (void), (), NULL)
WRAP(int, X509_STORE_add_cert, (X509_STORE * s, X509 *c), (s, c), 0)
WRAP(OPENSSL_STACK *, OPENSSL_sk_new_null, (void), (), NULL)
WRAP(int, OPENSSL_sk_push, (OPENSSL_STACK * s, const void *e), (s, e), 0)
WRAP(X509 *, X509_new_ex, (OSSL_LIB_CTX * c, const char *p), (c, p), NULL)
WRAP(X509_STORE_CTX *, X509_STORE_CTX_new_ex, (OSSL_LIB_CTX * c, const char *p), (c, p), NULL)
WRAP(int, X509_STORE_CTX_init, (X509_STORE_CTX * c, X509_STORE *s, X509 *x, STACK_OF(X509) * u), (c, s, x, u), 0)
WRAP(int, X509_STORE_CTX_set_ex_data, (X509_STORE_CTX * c, int i, void *d), (c, i, d), 0)
WRAP(int, X509_VERIFY_PARAM_set_purpose, (X509_VERIFY_PARAM * p, int n), (p, n), 0)
WRAP(int, X509_verify_cert, (X509_STORE_CTX * c), (c), -1)
WRAP(STACK_OF(X509) *, X509_STORE_CTX_get1_chain, (const X509_STORE_CTX *c), (c), NULL)
WRAP(EVP_PKEY *, X509_get0_pubkey, (const X509 *x), (x), NULL)
WRAP(EVP_PKEY *, X509_get_pubkey, (X509 * x), (x), NULL)
WRAP(int, X509_check_ca, (X509 * x), (x), 0)
WRAP(uint32_t, X509_get_key_usage, (X509 * x), (x), 0)
WRAP(ASN1_OBJECT *, OBJ_txt2obj, (const char *t, int n), (t, n), NULL)
WRAP(int, X509_get_ext_by_OBJ, (const X509 *x, const ASN1_OBJECT *o, int n), (x, o, n), -1)
WRAP(int, X509_cmp, (const X509 *a, const X509 *b), (a, b), -2)
WRAP(int, X509_digest, (const X509 *x, const EVP_MD *m, unsigned char *d, unsigned int *n), (x, m, d, n), 0)
WRAP(int, i2d_X509, (const X509 *x, unsigned char **d), (x, d), -1)
WRAP(int, ASN1_TIME_to_tm, (const ASN1_TIME *t, struct tm *p), (t, p), 0)
WRAP(int, ASN1_get_object, (const unsigned char **p, long *l, int *t, int *c, long m), (p, l, t, c, m), 0x80)
WRAP(int, X509_NAME_print_ex, (BIO * b, const X509_NAME *n, int i, unsigned long f), (b, n, i, f), -1)
WRAP(BIO *, BIO_new, (const BIO_METHOD *m), (m), NULL)
WRAP(long, BIO_ctrl, (BIO * b, int c, long l, void *p), (b, c, l, p), 0)
WRAP(PKCS7 *, PKCS7_new_ex, (OSSL_LIB_CTX * c, const char *p), (c, p), NULL)
WRAP(int, PKCS7_verify, (PKCS7 * p, STACK_OF(X509) * x, X509_STORE *s, BIO *i, BIO *o, int f), (p, x, s, i, o, f), 0)

// A decoder that fails frees what it was to fill.
X509 *__real_d2i_X509(X509 **x, const unsigned char **p, long n);
X509 *__wrap_d2i_X509(X509 **x, const unsigned char **p, long n);
X509 *__wrap_d2i_X509(X509 **x, const unsigned char **p, long n) {
    if (!fails(FAULT_CALLS)) return __real_d2i_X509(x, p, n);
    X509_free(*x);
    return *x = NULL;
}

PKCS7 *__real_d2i_PKCS7(PKCS7 **x, const unsigned char **p, long n);
PKCS7 *__wrap_d2i_PKCS7(PKCS7 **x, const unsigned char **p, long n);
PKCS7 *__wrap_d2i_PKCS7(PKCS7 **x, const unsigned char **p, long n) {
    if (!fails(FAULT_CALLS)) return __real_d2i_PKCS7(x, p, n);
    PKCS7_free(*x);
    return *x = NULL;
}
