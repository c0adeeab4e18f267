// Wrappers to which the linker redirects the module's calls (--wrap). The selected call fails as OpenSSL's
// would.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "faults.h"

#include <pthread.h>
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
WRAP(const OSSL_ALGORITHM *, OSSL_PROVIDER_query_operation, (const OSSL_PROVIDER *p, int o, int *n), (p, o, n), NULL)
WRAP(BN_CTX *, BN_CTX_new_ex, (OSSL_LIB_CTX * c), (c), NULL)
WRAP(BIGNUM *, BN_bin2bn, (const unsigned char *s, int n, BIGNUM *r), (s, n, r), NULL)
WRAP(int, BN_bn2binpad, (const BIGNUM *a, unsigned char *t, int n), (a, t, n), -1)
WRAP(BN_MONT_CTX *, BN_MONT_CTX_new, (void), (), NULL)
WRAP(int, BN_MONT_CTX_set, (BN_MONT_CTX * m, const BIGNUM *n, BN_CTX *c), (m, n, c), 0)
WRAP(int, BN_mod_exp_mont, (BIGNUM * r, const BIGNUM *a, const BIGNUM *e, const BIGNUM *n, BN_CTX *c, BN_MONT_CTX *m), (r, a, e, n, c, m), 0)
WRAP(int, BN_to_montgomery, (BIGNUM * r, const BIGNUM *a, BN_MONT_CTX *m, BN_CTX *c), (r, a, m, c), 0)
WRAP(int, BN_mod_mul_montgomery, (BIGNUM * r, const BIGNUM *a, const BIGNUM *b, BN_MONT_CTX *m, BN_CTX *c), (r, a, b, m, c), 0)
WRAP(int, BN_mod_mul, (BIGNUM * r, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n, BN_CTX *c), (r, a, b, n, c), 0)
WRAP(BIGNUM *, BN_lebin2bn, (const unsigned char *s, int len, BIGNUM *ret), (s, len, ret), NULL)
WRAP(int, BN_bn2lebinpad, (const BIGNUM *a, unsigned char *to, int tolen), (a, to, tolen), -1)
WRAP(int, BN_nnmod, (BIGNUM * r, const BIGNUM *a, const BIGNUM *n, BN_CTX *c), (r, a, n, c), 0)
WRAP(EC_GROUP *, EC_GROUP_new_by_curve_name_ex, (OSSL_LIB_CTX * c, const char *p, int n), (c, p, n), NULL)
WRAP(EC_POINT *, EC_POINT_new, (const EC_GROUP *g), (g), NULL)
WRAP(int, EC_POINT_mul, (const EC_GROUP *g, EC_POINT *r, const BIGNUM *n, const EC_POINT *q, const BIGNUM *m, BN_CTX *c), (g, r, n, q, m, c), 0)
WRAP(int, EC_POINT_get_affine_coordinates, (const EC_GROUP *g, const EC_POINT *p, BIGNUM *x, BIGNUM *y, BN_CTX *c), (g, p, x, y, c), 0)
WRAP(EC_GROUP *, EC_GROUP_dup, (const EC_GROUP *g), (g), NULL)
WRAP(int, EC_GROUP_set_generator, (EC_GROUP * g, const EC_POINT *p, const BIGNUM *n, const BIGNUM *h), (g, p, n, h), 0)
WRAP(int, EC_GROUP_precompute_mult, (EC_GROUP * g, BN_CTX *c), (g, c), 0)
WRAP(int, EC_GROUP_have_precompute_mult, (const EC_GROUP *g), (g), 0)
WRAP(int, EC_POINT_add, (const EC_GROUP *g, EC_POINT *r, const EC_POINT *a, const EC_POINT *b, BN_CTX *c), (g, r, a, b, c), 0)
WRAP(int, EC_POINT_get_Jprojective_coordinates_GFp, (const EC_GROUP *g, const EC_POINT *p, BIGNUM *x, BIGNUM *y, BIGNUM *z, BN_CTX *c), (g, p, x, y, z, c), 0)
WRAP(BIGNUM *, BN_copy, (BIGNUM * a, const BIGNUM *b), (a, b), NULL)
WRAP(int, BN_mod_sqr, (BIGNUM * r, const BIGNUM *a, const BIGNUM *n, BN_CTX *c), (r, a, n, c), 0)
WRAP(int, BN_add, (BIGNUM * r, const BIGNUM *a, const BIGNUM *b), (r, a, b), 0)
WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *d), (t, a, f, d), 11)
WRAP(X509_STORE *, X509_STORE_new, (void), (), NULL)
WRAP(int, X509_STORE_add_cert, (X509_STORE * s, X509 *c), (s, c), 0)
WRAP(X509 *, X509_new_ex, (OSSL_LIB_CTX * c, const char *p), (c, p), NULL)
WRAP(int, X509_VERIFY_PARAM_set_purpose, (X509_VERIFY_PARAM * p, int n), (p, n), 0)
WRAP(BIO *, BIO_new, (const BIO_METHOD *m), (m), NULL)
WRAP(long, BIO_ctrl, (BIO * b, int c, long l, void *p), (b, c, l, p), 0)
WRAP(PKCS7 *, PKCS7_new_ex, (OSSL_LIB_CTX * c, const char *p), (c, p), NULL)
WRAP(int, PKCS7_verify, (PKCS7 * p, STACK_OF(X509) * x, X509_STORE *s, BIO *i, BIO *o, int f), (p, x, s, i, o, f), 0)

// A decoder that fails frees its output object.
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
