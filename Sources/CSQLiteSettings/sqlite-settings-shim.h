#include <sqlite3.h>

/// Turns off SQLite's memory statistics, so that it neither counts memory nor locks for each allocation. Call it
/// before any other function of SQLite; later calls have no effect and return an error.
///
/// A C function, because Swift cannot call sqlite3_config(), which is variadic.
static inline int sqlite3_config_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
