#include "embedded_file.h"

static const embedded_file files[] = {
    {"csv.sql", (const unsigned char[]){
#embed "AuditQueries/csv.sql" suffix(, 0)
    }},
    {"findings.sql", (const unsigned char[]){
#embed "AuditQueries/findings.sql" suffix(, 0)
    }},
    {"questions.sql", (const unsigned char[]){
#embed "AuditQueries/questions.sql" suffix(, 0)
    }},
    {"tables.sql", (const unsigned char[]){
#embed "AuditQueries/tables.sql" suffix(, 0)
    }},
    {"views.sql", (const unsigned char[]){
#embed "AuditQueries/views.sql" suffix(, 0)
    }},
    {NULL, NULL},
};

const char *embedded_query(const char *name) { return embedded_text(files, name); }
