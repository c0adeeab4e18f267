#ifndef MEMORY_SETTINGS_H
#define MEMORY_SETTINGS_H

// Makes memory blocks of at least `threshold` bytes return to the system when they are freed, and as many free bytes at the end of
// a heap. Without this, glibc raises its own threshold to the size of the largest block, up to 32 MiB. Other C libraries need no
// setting.
void memory_return_blocks(int threshold);

#endif
