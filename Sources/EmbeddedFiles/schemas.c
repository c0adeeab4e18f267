#include "embedded_file.h"

static const embedded_file files[] = {
    {"ask.json", (const unsigned char[]){
#embed "JSONSchemas/ask.json" suffix(, 0)
    }},
    {"audit.json", (const unsigned char[]){
#embed "JSONSchemas/audit.json" suffix(, 0)
    }},
    {"citations.json", (const unsigned char[]){
#embed "JSONSchemas/citations.json" suffix(, 0)
    }},
    {"distrust.json", (const unsigned char[]){
#embed "JSONSchemas/distrust.json" suffix(, 0)
    }},
    {"eligibility.json", (const unsigned char[]){
#embed "JSONSchemas/eligibility.json" suffix(, 0)
    }},
    {"findings.json", (const unsigned char[]){
#embed "JSONSchemas/findings.json" suffix(, 0)
    }},
    {"forge.json", (const unsigned char[]){
#embed "JSONSchemas/forge.json" suffix(, 0)
    }},
    {"forget.json", (const unsigned char[]){
#embed "JSONSchemas/forget.json" suffix(, 0)
    }},
    {"manifest.json", (const unsigned char[]){
#embed "JSONSchemas/manifest.json" suffix(, 0)
    }},
    {"migrate.json", (const unsigned char[]){
#embed "JSONSchemas/migrate.json" suffix(, 0)
    }},
    {"rules.json", (const unsigned char[]){
#embed "JSONSchemas/rules.json" suffix(, 0)
    }},
    {"subject-verdicts.json", (const unsigned char[]){
#embed "JSONSchemas/subject-verdicts.json" suffix(, 0)
    }},
    {"verify-receipt.json", (const unsigned char[]){
#embed "JSONSchemas/verify-receipt.json" suffix(, 0)
    }},
    {"verify.json", (const unsigned char[]){
#embed "JSONSchemas/verify.json" suffix(, 0)
    }},
    {NULL, NULL},
};

const char *embedded_schema(const char *name) { return embedded_text(files, name); }
