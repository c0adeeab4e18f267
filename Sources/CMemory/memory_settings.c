#include "memory_settings.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void memory_return_blocks(int threshold) {
    mallopt(M_MMAP_THRESHOLD, threshold);
    // Otherwise, glibc would trim a heap at 128 KiB, and often extend it again.
    mallopt(M_TRIM_THRESHOLD, threshold);
}
#else
void memory_return_blocks(int threshold) { (void)threshold; }
#endif
