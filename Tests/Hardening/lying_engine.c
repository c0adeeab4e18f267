// An engine with wrong results. With LYING_ENGINE=signatures every signature is valid, and RSA decrypts to
// nothing. With digests every digest is zeros. The file LYING_ENGINE_LOG contains a word for each operation
// that was called.

#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const char *word) {
    const char *path = getenv("LYING_ENGINE_LOG");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) return;
    fprintf(file, "%s\n", word);
    fclose(file);
}

// MARK: - Keys through EVP_PKEY

static int start(EVP_PKEY_CTX *context) { return context != NULL; }

static int copy(EVP_PKEY_CTX *to, const EVP_PKEY_CTX *from) { return to != NULL && from != NULL; }

static int control(EVP_PKEY_CTX *context, int type, int number, void *data) {
    (void)context, (void)type, (void)number, (void)data;
    return 1;
}

static int verify(
    EVP_PKEY_CTX *context, const unsigned char *signature, size_t signature_count, const unsigned char *digest,
    size_t digest_count) {
    (void)context, (void)signature, (void)signature_count, (void)digest, (void)digest_count;
    report("verify");
    return 1;
}

static EVP_PKEY_METHOD *method_of(int kind) {
    EVP_PKEY_METHOD *method = EVP_PKEY_meth_new(kind, 0);
    EVP_PKEY_meth_set_init(method, start);
    EVP_PKEY_meth_set_copy(method, copy);
    EVP_PKEY_meth_set_verify(method, start, verify);
    EVP_PKEY_meth_set_ctrl(method, control, NULL);
    return method;
}

static int methods(ENGINE *engine, EVP_PKEY_METHOD **method, const int **kinds, int kind) {
    static const int all[] = {EVP_PKEY_RSA, EVP_PKEY_EC};
    static EVP_PKEY_METHOD *rsa, *elliptic;
    (void)engine;
    if (method == NULL) {
        *kinds = all;
        return 2;
    }
    if (rsa == NULL) rsa = method_of(EVP_PKEY_RSA);
    if (elliptic == NULL) elliptic = method_of(EVP_PKEY_EC);
    *method = kind == EVP_PKEY_RSA ? rsa : kind == EVP_PKEY_EC ? elliptic : NULL;
    return *method != NULL;
}

// MARK: - Keys through RSA and EC_KEY, also under a provider

static int open_nothing(int count, const unsigned char *from, unsigned char *to, RSA *key, int padding) {
    (void)count, (void)from, (void)to, (void)key, (void)padding;
    report("rsa");
    return -1;
}

static int verify_elliptic(
    int type, const unsigned char *digest, int digest_count, const unsigned char *signature, int signature_count,
    EC_KEY *key) {
    (void)type, (void)digest, (void)digest_count, (void)signature, (void)signature_count, (void)key;
    report("ecdsa");
    return 1;
}

static int verify_pair(const unsigned char *digest, int digest_count, const ECDSA_SIG *signature, EC_KEY *key) {
    (void)digest, (void)digest_count, (void)signature, (void)key;
    report("ecdsa");
    return 1;
}

// MARK: - Digests

static int start_digest(EVP_MD_CTX *context) {
    (void)context;
    report("digest");
    return 1;
}

static int update_digest(EVP_MD_CTX *context, const void *bytes, size_t count) {
    (void)context, (void)bytes, (void)count;
    return 1;
}

static int finish_digest(EVP_MD_CTX *context, unsigned char *digest) {
    memset(digest, 0, (size_t)EVP_MD_CTX_size(context));
    return 1;
}

static EVP_MD *digest_of(int kind, int count) {
    EVP_MD *digest = EVP_MD_meth_new(kind, NID_undef);
    EVP_MD_meth_set_result_size(digest, count);
    EVP_MD_meth_set_init(digest, start_digest);
    EVP_MD_meth_set_update(digest, update_digest);
    EVP_MD_meth_set_final(digest, finish_digest);
    return digest;
}

static int digests(ENGINE *engine, const EVP_MD **digest, const int **kinds, int kind) {
    static const int all[] = {NID_sha1, NID_sha256, NID_sha384, NID_sha512}, counts[] = {20, 32, 48, 64};
    static EVP_MD *made[4];
    (void)engine;
    if (digest == NULL) {
        *kinds = all;
        return 4;
    }
    for (int i = 0; i < 4; i++) {
        if (all[i] != kind) continue;
        if (made[i] == NULL) made[i] = digest_of(kind, counts[i]);
        *digest = made[i];
        return 1;
    }
    *digest = NULL;
    return 0;
}

static int bind(ENGINE *engine, const char *id) {
    (void)id;
    const char *kind = getenv("LYING_ENGINE");
    if (ENGINE_set_id(engine, "lying") != 1 || ENGINE_set_name(engine, "lying") != 1) return 0;
    if (kind != NULL && strcmp(kind, "digests") == 0) return ENGINE_set_digests(engine, digests);
    RSA_METHOD *rsa = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    EC_KEY_METHOD *elliptic = EC_KEY_METHOD_new(EC_KEY_OpenSSL());
    RSA_meth_set_pub_dec(rsa, open_nothing);
    EC_KEY_METHOD_set_verify(elliptic, verify_elliptic, verify_pair);
    return ENGINE_set_RSA(engine, rsa) && ENGINE_set_EC(engine, elliptic) && ENGINE_set_pkey_meths(engine, methods);
}

IMPLEMENT_DYNAMIC_BIND_FN(bind)
IMPLEMENT_DYNAMIC_CHECK_FN()
