#include "embedded_file.h"

static const embedded_file files[] = {
    {"check.py", (const unsigned char[]){
#embed "EvidenceScripts/check.py" suffix(, 0)
    }},
    {"check.sh", (const unsigned char[]){
#embed "EvidenceScripts/check.sh" suffix(, 0)
    }},
    {"published", (const unsigned char[]){
#embed "EvidenceScripts/published" suffix(, 0)
    }},
    {NULL, NULL},
};

const char *embedded_script(const char *name) { return embedded_text(files, name); }
