#include <sqlite3.h>

// C functions, because Swift cannot call variadic functions.

/// Turns off SQLite's memory statistics, so that it neither counts memory nor locks for each allocation. Call it
/// before any other function of SQLite; later calls have no effect and return an error.
static inline int sqlite3_config_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Makes SQLite refuse string literals in double quotes, for which it takes misspelled column names otherwise.
static inline int sqlite3_db_config_without_double_quoted_strings(sqlite3 *database) {
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code == SQLITE_OK ? sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0) : code;
}

/// Makes SQLite treat the schema as untrusted: no views, no triggers, and no functions or virtual tables with side
/// effects. The schema and shadow tables cannot be changed.
static inline int sqlite3_db_config_for_untrusted_schema(sqlite3 *database) {
    static const int off[] = {
        SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_DQS_DDL,
        SQLITE_DBCONFIG_DQS_DML};
    int code = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    for (unsigned i = 0; code == SQLITE_OK && i < sizeof off / sizeof off[0]; i++) {
        code = sqlite3_db_config(database, off[i], 0, (int *)0);
    }
    return code;
}
