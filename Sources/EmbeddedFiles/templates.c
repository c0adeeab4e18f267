#include "embedded_file.h"

static const embedded_file files[] = {
    {"apps.mustache", (const unsigned char[]){
#embed "ReportTemplates/apps.mustache" suffix(, 0)
    }},
    {"chart.mustache", (const unsigned char[]){
#embed "ReportTemplates/chart.mustache" suffix(, 0)
    }},
    {"customers.mustache", (const unsigned char[]){
#embed "ReportTemplates/customers.mustache" suffix(, 0)
    }},
    {"filter.js", (const unsigned char[]){
#embed "ReportTemplates/filter.js" suffix(, 0)
    }},
    {"findings.mustache", (const unsigned char[]){
#embed "ReportTemplates/findings.mustache" suffix(, 0)
    }},
    {"foot.mustache", (const unsigned char[]){
#embed "ReportTemplates/foot.mustache" suffix(, 0)
    }},
    {"page.mustache", (const unsigned char[]){
#embed "ReportTemplates/page.mustache" suffix(, 0)
    }},
    {"plot.mustache", (const unsigned char[]){
#embed "ReportTemplates/plot.mustache" suffix(, 0)
    }},
    {"receipt.mustache", (const unsigned char[]){
#embed "ReportTemplates/receipt.mustache" suffix(, 0)
    }},
    {"receipts.mustache", (const unsigned char[]){
#embed "ReportTemplates/receipts.mustache" suffix(, 0)
    }},
    {"report.css", (const unsigned char[]){
#embed "ReportTemplates/report.css" suffix(, 0)
    }},
    {"segments.mustache", (const unsigned char[]){
#embed "ReportTemplates/segments.mustache" suffix(, 0)
    }},
    {NULL, NULL},
};

const char *embedded_template(const char *name) { return embedded_text(files, name); }
