#include "embedded_file.h"

static const embedded_file files[] = {
    {"index.html", (const unsigned char[]){
#embed "ServerPages/index.html" suffix(, 0)
    }},
    {"openapi.yaml", (const unsigned char[]){
#embed "ServerPages/openapi.yaml" suffix(, 0)
    }},
    {"page.css", (const unsigned char[]){
#embed "ServerPages/page.css" suffix(, 0)
    }},
    {"page.js", (const unsigned char[]){
#embed "ServerPages/page.js" suffix(, 0)
    }},
    {NULL, NULL},
};

const char *embedded_page(const char *name) { return embedded_text(files, name); }
