#include <sqlite3.h>

/// sqlite3_config() takes any arguments and so is out of Swift's reach.
///
/// Without statistics SQLite counts no memory and takes no lock for it each time that it asks for some. To be called before
/// anything else of SQLite is; afterwards it changes nothing and says so.
static inline int sqlite3_config_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
