#ifndef EMBEDDED_FILE_H
#define EMBEDDED_FILE_H

#include "EmbeddedFiles.h"

#include <stddef.h>
#include <string.h>

// #embed is part of C23. Clang has it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

typedef struct {
    const char *name;
    const unsigned char *text;
} embedded_file;

/// Returns the text of a file, or NULL. The last row has neither.
static inline const char *embedded_text(const embedded_file *file, const char *name) {
    while (file->name != NULL && strcmp(file->name, name) != 0) file++;
    return (const char *)file->text;
}

#endif
