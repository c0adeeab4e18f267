// A hostile host, for LD_PRELOAD. HOSTILE_HOST names the changes to the program's environment.
//
//     sha1            OpenSSL refuses SHA-1 in signatures, as RHEL 9's policy does: EVP_DigestVerifyInit and
//                     similar calls, and EVP_PKEY_CTX_set_signature_md. This includes calls from inside libcrypto.
//     clock=SECONDS   Every clock shows this time, in seconds since 1970.
//     shrink          Files end after half of the size that fstat returned.
//     entries=NUMBER  Folders return this number of entries, then an error.
//     threads=NUMBER  This number of threads can be created, as with a container's limit.
//     kill=NUMBER     SIGKILL at this write to a file, after half of it, or at this fdatasync, ftruncate or unlink,
//                     counted from 1. At the end, the file HOSTILE_COUNT contains the number of these calls.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is_host(const char *kind) {
    const char *host = getenv("HOSTILE_HOST");
    return host != NULL && strncmp(host, kind, strlen(kind)) == 0;
}

// MARK: - SHA-1

static bool is_refused(const char *name) {
    return is_host("sha1") && name != NULL && (strcasecmp(name, "SHA1") == 0 || strcasecmp(name, "SHA-1") == 0);
}

int EVP_DigestVerifyInit_ex(
    EVP_MD_CTX *context, EVP_PKEY_CTX **key_context, const char *digest, OSSL_LIB_CTX *library, const char *properties,
    EVP_PKEY *key, const OSSL_PARAM parameters[]) {
    if (is_refused(digest)) return 0;
    return REAL(EVP_DigestVerifyInit_ex)(context, key_context, digest, library, properties, key, parameters);
}

int EVP_DigestVerifyInit(
    EVP_MD_CTX *context, EVP_PKEY_CTX **key_context, const EVP_MD *digest, ENGINE *engine, EVP_PKEY *key) {
    if (digest != NULL && is_refused(EVP_MD_get0_name(digest))) return 0;
    return REAL(EVP_DigestVerifyInit)(context, key_context, digest, engine, key);
}

int EVP_VerifyFinal_ex(
    EVP_MD_CTX *context, const unsigned char *signature, unsigned int count, EVP_PKEY *key, OSSL_LIB_CTX *library,
    const char *properties) {
    if (is_refused(EVP_MD_get0_name(EVP_MD_CTX_get0_md(context)))) return 0;
    return REAL(EVP_VerifyFinal_ex)(context, signature, count, key, library, properties);
}

int EVP_PKEY_CTX_set_signature_md(EVP_PKEY_CTX *context, const EVP_MD *digest) {
    if (digest != NULL && is_refused(EVP_MD_get0_name(digest))) return 0;
    return REAL(EVP_PKEY_CTX_set_signature_md)(context, digest);
}

// MARK: - Clocks

static bool is_stopped(time_t *seconds) {
    if (!is_host("clock=")) return false;
    *seconds = (time_t)atoll(getenv("HOSTILE_HOST") + strlen("clock="));
    return true;
}

time_t time(time_t *result) {
    time_t seconds;
    if (!is_stopped(&seconds)) return REAL(time)(result);
    if (result != NULL) *result = seconds;
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    time_t seconds;
    if (clock != CLOCK_REALTIME || !is_stopped(&seconds)) return REAL(clock_gettime)(clock, result);
    *result = (struct timespec){.tv_sec = seconds};
    return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    time_t seconds;
    if (!is_stopped(&seconds)) return REAL(gettimeofday)(result, zone);
    *result = (struct timeval){.tv_sec = seconds};
    return 0;
}

// MARK: - Threads

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *restrict argument) {
    static atomic_long made;
    if (is_host("threads=") && atomic_fetch_add(&made, 1) >= atol(getenv("HOSTILE_HOST") + strlen("threads=")))
        return EAGAIN;
    return REAL(pthread_create)(thread, attributes, start, argument);
}

// MARK: - Files

ssize_t read(int descriptor, void *bytes, size_t count) {
    struct stat status;
    off_t place = lseek(descriptor, 0, SEEK_CUR);
    if (is_host("shrink") && place >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        off_t end = status.st_size / 2;
        if (place >= end) return 0;
        if ((off_t)count > end - place) count = (size_t)(end - place);
    }
    return REAL(read)(descriptor, bytes, count);
}

struct dirent *readdir(DIR *directory) {
    static atomic_long entries;
    if (is_host("entries=") && atomic_fetch_add(&entries, 1) >= atol(getenv("HOSTILE_HOST") + strlen("entries="))) {
        errno = EIO;
        return NULL;
    }
    return REAL(readdir)(directory);
}

// MARK: - SIGKILL

static atomic_long changes;

static bool is_last(void) {
    return is_host("kill=") && atomic_fetch_add(&changes, 1) + 1 == atol(getenv("HOSTILE_HOST") + strlen("kill="));
}

__attribute__((destructor)) static void print_count(void) {
    const char *path = getenv("HOSTILE_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%ld\n", atomic_load(&changes));
    fclose(file);
}

static bool is_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    bool is_end = is_file(descriptor) && is_last();
    ssize_t written = REAL(write)(descriptor, bytes, is_end ? count / 2 : count);
    if (is_end) raise(SIGKILL);
    return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
    bool is_end = is_file(descriptor) && is_last();
    ssize_t written = REAL(pwrite64)(descriptor, bytes, is_end ? count / 2 : count, place);
    if (is_end) raise(SIGKILL);
    return written;
}

int fdatasync(int descriptor) {
    if (is_last()) raise(SIGKILL);
    return REAL(fdatasync)(descriptor);
}

int ftruncate64(int descriptor, off64_t size) {
    if (is_last()) raise(SIGKILL);
    return REAL(ftruncate64)(descriptor, size);
}

int unlink(const char *path) {
    if (is_last()) raise(SIGKILL);
    return REAL(unlink)(path);
}
