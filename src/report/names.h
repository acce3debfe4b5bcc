/* Names of files and functions: as a person types them, and ids that are the same in every
 * recording of a program. */
#ifndef PL_REPORT_NAMES_H
#define PL_REPORT_NAMES_H

#include "pathline/pathline.h"

/* Eight hexadecimal digits of a hash: of the file's name; or of that, the function's first line and
 * its name. */
#define NAME_ID_BYTES 9
void name_file_id(const char *file, char id[NAME_ID_BYTES]);
void name_code_id(const struct pl_code *code, char id[NAME_ID_BYTES]);

/* Does the word name it? A file: its whole name, the end of it after a slash, or its id. A
 * function: its qualified name, the end of it after a dot, its id, or one of these names after
 * "FILE:". */
bool name_is_file(const char *file, const char *word);
bool name_is_code(const struct pl_code *code, const char *word);

#endif
