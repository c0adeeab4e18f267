// Functions that replace those of a library (--wrap), and functions that run before the program.

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
