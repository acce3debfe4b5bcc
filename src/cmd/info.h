/* What `pathline info` writes of a recording: a page for a person, or one JSON object.
 *
 * Both are written from the same calls (pathline.h), part by part and in the same order, so that
 * they can be compared side by side: what a person reads has its field in the JSON. Heads of blocks
 * are enough for all of it; no event is decoded.
 */
#ifndef PL_CMD_INFO_H
#define PL_CMD_INFO_H

#include "cmd/text.h"
#include "pathline/pathline.h"

/* Between which moments of the program it was recorded. */
const char *info_window(const struct pl_recording_info *i);

/* directory: as it is shown. */
void info_page(struct out *o, const struct pl_recording *r, const char *directory);
void info_json(struct out *o, struct pl_recording *r, const char *directory);

/* A part of the page, after an empty line. */
void info_title(struct out *o, const char *word);
/* info_tables.c: parts of the page, of processes, interpreters and threads. */
void info_processes(struct out *o, const struct pl_recording *r);
void info_pythons(struct out *o, const struct pl_recording *r);
void info_threads(struct out *o, const struct pl_recording *r);

#endif
