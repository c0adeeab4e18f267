#include "memory_settings.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void memory_return_blocks(int threshold) {
    mallopt(M_MMAP_THRESHOLD, threshold);
    // Otherwise, glibc would trim the heap after each block of 128 KiB.
    mallopt(M_TRIM_THRESHOLD, 4 * threshold);
}
#else
void memory_return_blocks(int threshold) { (void)threshold; }
#endif
