// Functions that replace those of a library (--wrap), and functions that run before the program.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

// Swift's runtime first looks for a crash reporter next to the program. Without /proc, this search ends the process. Otherwise,
// the runtime would start any file that an attacker placed there. A release has no crash reporter.
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return 0;
}

// Swift's runtime reads the arguments through /proc/self/maps, and has none without it. The C library passes them to this function.
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

__attribute__((constructor)) static void hand_over_arguments(int count, char **arguments) {
    _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}

// Each second, libdispatch reads the states of its threads from /proc. Without /proc, it ends the process. An empty file is an
// unknown state.
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int file = __real_open(path, flags, mode);
    int thread, length = 0;
    if (file < 0 && sscanf(path, "/proc/%d/stat%n", &thread, &length) == 1 && length && !path[length])
        return memfd_create("stat", MFD_CLOEXEC);
    return file;
}
