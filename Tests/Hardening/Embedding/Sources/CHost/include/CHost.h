// What a host does with OpenSSL for purposes of its own.
#ifndef C_HOST_H
#define C_HOST_H

#include <stdbool.h>

/// Initialises OpenSSL as most programs do: with its configuration file.
void host_initialises_openssl(void);

/// Loads the engine and makes it the default for everything. False where it does not load.
bool host_sets_default_engine(const char *path);

/// Puts that many errors into OpenSSL's queue, the first of them marked, where there is one.
void host_queues_errors(int count);

/// Whether those, and no others, are in the queue; empties it.
bool host_finds_its_errors(int count);

/// Whether what came before the mark is all that is left when it is popped; empties the queue.
bool host_finds_its_mark(void);

#endif
