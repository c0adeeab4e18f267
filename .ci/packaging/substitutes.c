// What the linker takes in place of a library's own (--wrap), and what runs before the program.

// Swift's runtime looks beside the program for one that tells of a crash, before anything else runs: it ends where there is no
// /proc, and would start whatever somebody laid there. A release has no such program.
const char *__wrap_swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return 0;
}

// Swift's runtime finds the arguments by /proc/self/maps, and without it finds none: the C library hands them over at the start.
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count);

__attribute__((constructor)) static void hand_over_arguments(int count, char **arguments) {
    _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}
