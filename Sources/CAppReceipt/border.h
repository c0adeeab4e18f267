// What the border needs and Swift cannot say: a lock that stands before anything of this library has run.
#ifndef APPRECEIPT_BORDER_H
#define APPRECEIPT_BORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Keeps the process from forking until `appreceipt_border_leave`, and other threads out where this one forked the process.
/// Returns false for the thread that is forking, whose own handlers may call: it is alone, and has nothing to leave.
bool appreceipt_border_enter(void);
void appreceipt_border_leave(void);

/// The number of this thread among those that have asked for theirs, from 0 on.
uint32_t appreceipt_border_thread(void);

/// Whether there are so many bytes of memory at this moment. What runs behind the border ends the process where there are
/// none.
bool appreceipt_border_has_room(size_t size);

/// Whether the library is in the namespace of the program. What dlmopen loads into another one has a C library of its own, whose
/// memory and threads are not the program's: OpenSSL ends such a process.
bool appreceipt_border_is_in_program_namespace(void);

#endif
