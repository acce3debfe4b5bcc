/* Events as rows of chosen fields: tab-separated, a stable interface for tests and for users' awk,
 * or JSON objects.
 *
 * One table defines the fields; the help, the check of --fields and both forms come from it. A
 * field that does not apply to an event is empty, or null. The names of codes are escaped once and
 * kept in a cache of fixed size, so that memory does not grow with the recording.
 */
#ifndef PL_CMD_ROWS_H
#define PL_CMD_ROWS_H

#include "cmd/text.h"
#include "pathline/pathline.h"

#define ROW_FIELDS_MAX 64
#define ROW_CODES      4096u

struct field; /* a row of the table */

/* What is kept of a code: its texts, escaped. */
struct row_code {
	const struct pl_code *code;
	char *texts; /* owned: the file, then the name */
	struct text file, name;
};

struct rows {
	struct out *out;	/* not owned */
	struct pl_recording *r; /* not owned */
	bool json;
	const struct field *fields[ROW_FIELDS_MAX];
	size_t count;
	bool wants_values;	/* of the events that are given to rows_write */
	struct row_code *codes; /* owned: ROW_CODES; a code's index is a hash of its address */
	struct out scratch;	/* for escaping texts */
	/* of the last event: its process and thread */
	const struct pl_process *process;
	const struct pl_thread *thread;
	/* the last time written */
	int64_t time_ns;
	size_t time_length;
	char time_text[32];
};

/* list NULL: every field, for JSON; those of values only if the recording has some. CMD_GO,
 * CMD_USAGE after an explanation, CMD_BAD without memory.
 */
int rows_init(struct rows *w, struct out *out, struct pl_recording *r, const char *list, bool json);
void rows_release(struct rows *w);

void rows_write(struct rows *w, const struct pl_event *e);

/* The help on fields, one a line, into the caller's buffer. */
#define ROW_HELP_BYTES 4096
void rows_help(char help[ROW_HELP_BYTES]);
/* Only their names, for completion. */
void rows_words(char words[ROW_HELP_BYTES]);

#endif
