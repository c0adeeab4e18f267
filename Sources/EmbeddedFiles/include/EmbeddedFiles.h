// Files in the binary. As arrays in Swift, they would take the compiler a second for each 10 KB.
#ifndef EMBEDDED_FILES_H
#define EMBEDDED_FILES_H

// Each function returns the text of a file of its folder, NUL-terminated, or NULL if there is no such file. A program that does not
// call a function does not contain its files.
const char *embedded_schema(const char *name);
const char *embedded_query(const char *name);
const char *embedded_script(const char *name);
const char *embedded_template(const char *name);
const char *embedded_page(const char *name);

#endif
