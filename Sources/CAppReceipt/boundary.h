// The parts of the FFI boundary that Swift cannot express, such as a lock that exists before any code of this library
// runs.
#ifndef APPRECEIPT_BOUNDARY_H
#define APPRECEIPT_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Prevents a fork of the process until `appreceipt_boundary_leave`. In a forked child, the thread that called
/// fork() also waits for the calls of all other threads, and they wait for its calls. Returns false if a fork
/// handler calls it in the thread that is forking. The handler must then not call `appreceipt_boundary_leave`.
bool appreceipt_boundary_enter(void);
void appreceipt_boundary_leave(void);

/// Returns a number for this thread. Threads are numbered from 0 in the order of their first calls.
uint32_t appreceipt_boundary_thread(void);

/// Returns whether `size` bytes can be allocated at this moment. Swift code ends the process if an allocation fails.
bool appreceipt_boundary_has_memory(size_t size);

/// Returns whether the library is in the program's link namespace. A library that dlmopen loads into another namespace
/// uses a second C library, whose memory and threads are not the program's. OpenSSL ends such a process.
bool appreceipt_boundary_is_in_program_namespace(void);

#endif
