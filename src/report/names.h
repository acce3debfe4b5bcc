/* Names of files and functions: what a person types, and ids that are the same in every recording
 * of a program. */
#ifndef PL_REPORT_NAMES_H
#define PL_REPORT_NAMES_H

#include "pathline/pathline.h"

/* Eight hexadecimal digits of a hash: of the file's name; of it with the function's first line and
 * its name. */
#define NAME_ID_BYTES 9
void name_file_id(const char *file, char id[NAME_ID_BYTES]);
void name_code_id(const struct pl_code *code, char id[NAME_ID_BYTES]);

/* Is it meant? A file by its whole name, the end of it behind a slash, or its id; a function by its
 * qualified name, the end of it behind a dot, its id, or any of these names behind "FILE:". */
bool name_is_file(const char *file, const char *word);
bool name_is_code(const struct pl_code *code, const char *word);

#endif
