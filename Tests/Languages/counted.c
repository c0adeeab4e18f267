// A wrapper for the library. Records in the file COUNTS what callers received (+) and returned (-): "v" for a
// verifier, "a" for an answer.
#define _GNU_SOURCE
#include <appreceipt.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *real(const char *name) {
    void *library = dlopen(getenv("APPRECEIPT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) abort();
    return function;
}

// Writes immediately, because not every language runs code when a process ends.
static void note(const void *what, const char *line) {
    if (what == NULL) return;
    int file = open(getenv("COUNTS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, 3) != 3) abort();
    close(file);
}

const char *appreceipt_version(void) {
    const char *(*call)(void) = real("appreceipt_version");
    return call();
}

int appreceipt_open(const char *settings, size_t length, appreceipt **handle, char **answer, size_t *answer_length) {
    int (*call)(const char *, size_t, appreceipt **, char **, size_t *) = real("appreceipt_open");
    int code = call(settings, length, handle, answer, answer_length);
    note(*handle, "+v\n");
    note(*answer, "+a\n");
    return code;
}

static int answered(
    const char *name, appreceipt *handle, const void *input, size_t length, char **answer, size_t *answer_length) {
    int (*call)(appreceipt *, const void *, size_t, char **, size_t *) = real(name);
    int code = call(handle, input, length, answer, answer_length);
    note(*answer, "+a\n");
    return code;
}

// For the input "unavailable", the code of a machine without memory.
int appreceipt_verify(appreceipt *handle, const void *input, size_t length, char **answer, size_t *answer_length) {
    *answer = NULL;
    *answer_length = 0;
    if (length == 11 && memcmp(input, "unavailable", length) == 0) return APPRECEIPT_UNAVAILABLE;
    return answered("appreceipt_verify", handle, input, length, answer, answer_length);
}

int appreceipt_eligibility(appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length) {
    return answered("appreceipt_eligibility", handle, request, length, answer, answer_length);
}

int appreceipt_verify_receipt_answer(
    appreceipt *handle, const char *request, size_t length, char **answer, size_t *answer_length) {
    return answered("appreceipt_verify_receipt_answer", handle, request, length, answer, answer_length);
}

void appreceipt_close(appreceipt *handle) {
    void (*call)(appreceipt *) = real("appreceipt_close");
    note(handle, "-v\n");
    call(handle);
}

void appreceipt_free(char *answer) {
    void (*call)(char *) = real("appreceipt_free");
    note(answer, "-a\n");
    call(answer);
}
