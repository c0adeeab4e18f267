// Uses of OpenSSL by a host program.
#ifndef C_HOST_H
#define C_HOST_H

#include <stdbool.h>

/// Initializes OpenSSL with its configuration file, as most programs do.
void host_initialises_openssl(void);

/// Loads the engine and makes it the default for all operations. Returns false if it cannot be loaded.
bool host_sets_default_engine(const char *path);

/// Adds a number of errors to OpenSSL's queue, and marks the first one.
void host_queues_errors(int count);

/// Returns whether the queue contains exactly these errors. Empties the queue.
bool host_finds_its_errors(int count);

/// Returns whether popping to the mark leaves only the errors before it. Empties the queue.
bool host_finds_its_mark(void);

#endif
