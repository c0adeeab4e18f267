// Functions that replace those of a library (--wrap), and functions that run before the program.

// Before anything else, Swift's runtime looks next to the program for a program that reports crashes. It ends without /proc,
// and would start any file that an attacker put there. A release has no such program.
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return 0;
}

// Swift's runtime finds the arguments in /proc/self/maps, and finds none without it. The C library passes them at the start.
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

__attribute__((constructor)) static void hand_over_arguments(int count, char **arguments) {
    _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
