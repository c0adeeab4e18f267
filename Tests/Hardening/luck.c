// Injected faults, for LD_PRELOAD: one system call, or all from one on, fail or are incomplete.
//
//     LUCK=KIND:HOW:NUMBER[+]   the NUMBERth call of this kind, counted from 1, and with + all later ones. KIND is one
//                               of the names below, or `any` for all but allocations. HOW is an error number, or:
//                                   short   a read or write transfers half of the bytes, at least one
//                                   kill    SIGKILL, after half of a write
//     LUCK_COUNTS=FILE          at the end, the file contains the number of calls of each kind.
//
// Standard error is exempt, because messages must be written. Calls inside glibc are not intercepted.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, PREAD, PWRITE, FSYNC, FTRUNCATE, RENAME, UNLINK, READDIR, STAT, MMAP, THREAD, MALLOC, KINDS };
static const char *const names[KINDS] = {
    "open", "read", "write", "pread", "pwrite", "fsync", "ftruncate", "rename", "unlink", "readdir", "stat", "mmap",
    "pthread_create", "malloc"};

enum how { FAIL, SHORT, KILL };
static struct {
    long number;
    int kind, error;
    enum how how;
    bool goes_on;
} luck;
static atomic_long counts[KINDS + 1];

// At the first call, which may precede all constructors.
static void read_luck(void) {
    const char *text = getenv("LUCK");
    if (text == NULL) return;
    char name[32], how[32], rest[4] = "";
    if (sscanf(text, "%31[^:]:%31[^:]:%ld%3s", name, how, &luck.number, rest) < 3) abort();
    luck.kind = 0;
    while (luck.kind < KINDS && strcmp(names[luck.kind], name) != 0) luck.kind++;
    luck.how = strcmp(how, "short") == 0 ? SHORT : strcmp(how, "kill") == 0 ? KILL : FAIL;
    luck.error = atoi(how);
    luck.goes_on = rest[0] == '+';
}

__attribute__((destructor)) static void print_counts(void) {
    const char *path = getenv("LUCK_COUNTS");
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    for (int kind = 0; kind < KINDS; kind++) fprintf(file, "%s %ld\n", names[kind], atomic_load(&counts[kind]));
    fprintf(file, "any %ld\n", atomic_load(&counts[KINDS]));
    fclose(file);
}

static bool is_struck(enum kind kind) {
    static atomic_bool is_read;
    if (!atomic_exchange(&is_read, true)) read_luck();
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    if (kind != MALLOC) {
        long any = atomic_fetch_add(&counts[KINDS], 1) + 1;
        if (luck.kind == KINDS) number = any;
    }
    if (luck.kind != (int)kind && (luck.kind != KINDS || kind == MALLOC)) return false;
    return luck.number > 0 && (number == luck.number || (luck.goes_on && number > luck.number));
}

// Returns whether the call fails, with errno set. Kills the process if the fault is a kill.
static bool fails(enum kind kind) {
    if (!is_struck(kind)) return false;
    if (luck.how == KILL) raise(SIGKILL);
    errno = luck.error;
    return luck.how == FAIL;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// MARK: - Files

#define MODE(flags) ({ mode_t mode = 0; va_list list; va_start(list, flags); \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) mode = va_arg(list, mode_t); va_end(list); mode; })

int open(const char *path, int flags, ...) { return fails(OPEN) ? -1 : REAL(open)(path, flags, MODE(flags)); }
int open64(const char *path, int flags, ...) { return fails(OPEN) ? -1 : REAL(open64)(path, flags, MODE(flags)); }
int openat(int folder, const char *path, int flags, ...) {
    return fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, MODE(flags));
}
int openat64(int folder, const char *path, int flags, ...) {
    return fails(OPEN) ? -1 : REAL(openat64)(folder, path, flags, MODE(flags));
}

// A read or write of all bytes, of half of them, or of none.
static size_t half(size_t count) { return count < 2 ? count : count / 2; }

#define WRAP_TRANSFER(kind, name, pointer, places, arguments) \
    ssize_t name(int descriptor, pointer bytes, size_t count places) { \
        if (descriptor == STDERR_FILENO || !is_struck(kind)) return REAL(name)(descriptor, bytes, count arguments); \
        if (luck.how == FAIL) { errno = luck.error; return -1; } \
        ssize_t done = REAL(name)(descriptor, bytes, half(count) arguments); \
        if (luck.how == KILL) raise(SIGKILL); \
        return done; \
    }
#define COMMA ,
WRAP_TRANSFER(READ, read, void *, , )
WRAP_TRANSFER(WRITE, write, const void *, , )
WRAP_TRANSFER(PREAD, pread, void *, COMMA off_t place, COMMA place)
WRAP_TRANSFER(PREAD, pread64, void *, COMMA off64_t place, COMMA place)
WRAP_TRANSFER(PWRITE, pwrite, const void *, COMMA off_t place, COMMA place)
WRAP_TRANSFER(PWRITE, pwrite64, const void *, COMMA off64_t place, COMMA place)

#define WRAP(kind, failure, result, name, parameters, arguments) \
    result name parameters { return fails(kind) ? failure : REAL(name) arguments; }
WRAP(FSYNC, -1, int, fsync, (int descriptor), (descriptor))
WRAP(FSYNC, -1, int, fdatasync, (int descriptor), (descriptor))
WRAP(FTRUNCATE, -1, int, ftruncate, (int descriptor, off_t size), (descriptor, size))
WRAP(FTRUNCATE, -1, int, ftruncate64, (int descriptor, off64_t size), (descriptor, size))
WRAP(RENAME, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP(UNLINK, -1, int, unlink, (const char *path), (path))
WRAP(READDIR, NULL, struct dirent *, readdir, (DIR *folder), (folder))
WRAP(READDIR, NULL, struct dirent64 *, readdir64, (DIR *folder), (folder))

// MARK: - File metadata

WRAP(STAT, -1, int, stat, (const char *path, struct stat *status), (path, status))
WRAP(STAT, -1, int, stat64, (const char *path, struct stat64 *status), (path, status))
WRAP(STAT, -1, int, lstat, (const char *path, struct stat *status), (path, status))
WRAP(STAT, -1, int, lstat64, (const char *path, struct stat64 *status), (path, status))
WRAP(STAT, -1, int, fstat, (int descriptor, struct stat *status), (descriptor, status))
WRAP(STAT, -1, int, fstat64, (int descriptor, struct stat64 *status), (descriptor, status))
WRAP(STAT, -1, int, fstatat, (int folder, const char *path, struct stat *status, int flags), (folder, path, status, flags))
WRAP(STAT, -1, int, fstatat64, (int folder, const char *path, struct stat64 *status, int flags), (folder, path, status, flags))
WRAP(STAT, -1, int, statx, (int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict status),
    (folder, path, flags, mask, status))

// MARK: - Memory and threads

WRAP(MMAP, MAP_FAILED, void *, mmap, (void *address, size_t size, int protection, int flags, int descriptor, off_t place),
    (address, size, protection, flags, descriptor, place))
WRAP(MMAP, MAP_FAILED, void *, mmap64, (void *address, size_t size, int protection, int flags, int descriptor, off64_t place),
    (address, size, protection, flags, descriptor, place))

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *restrict argument) {
    return fails(THREAD) ? luck.error : REAL(pthread_create)(thread, attributes, start, argument);
}

// glibc's internal names, because dlsym allocates.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *bytes, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return fails(MALLOC) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *bytes, size_t size) { return fails(MALLOC) ? NULL : __libc_realloc(bytes, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails(MALLOC) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **bytes, size_t alignment, size_t size) {
    if (fails(MALLOC)) return luck.error;
    *bytes = __libc_memalign(alignment, size);
    return *bytes == NULL ? ENOMEM : 0;
}
