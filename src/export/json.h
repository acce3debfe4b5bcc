/* Parts of JSON that formats have in common. */
#ifndef PL_EXPORT_JSON_H
#define PL_EXPORT_JSON_H

#include "export/export.h"

/* Microseconds with three decimals: 12.345 */
void export_json_us(struct pl_buf *b, int64_t ns);
/* Members, without braces. Each function writes a comma before a member if something other than the
 * brace is before it.
 *
 * Where it is: "file" and "line". */
void export_json_place(struct pl_buf *b, const struct export_slice *s);
/* What is known of it: "task"; how it "began", if not by a call; "args", or what was "sent". */
void export_json_about(struct pl_buf *b, const struct export_slice *s, const char *task);
/* Of an end: how it came to its "end", the "result", or the "exception" with which it ends. */
void export_json_outcome(struct pl_buf *b, const struct export_slice *s, const struct pl_event *e);
/* Of a point: where it is, and the exception's text. */
void export_json_point(struct pl_buf *b, const struct pl_event *e);

/* The first value of an event as text, for formats without JSON inside. false: there is none. */
#define EXPORT_VALUE_BYTES 4096
bool export_value_text(struct pl_values values, char text[EXPORT_VALUE_BYTES]);

#endif
