/* The texts that ran: each stored once, by its content, as Python decoded it.
 *
 * A code belongs to a unit, which has one text or the reason why there is none. What a unit's text
 * is comes from the recorder (format/code_text.h): the text itself, or the stamp of a file that is
 * read here. A file that has another stamp by then is not shown: its text is not known. What could
 * not be had has a number too, and its record the reason in place of the text.
 */
#ifndef PL_COLLECTOR_SOURCE_TEXTS_H
#define PL_COLLECTOR_SOURCE_TEXTS_H

#include "base/map.h"
#include "collector/store.h"
#include "format/code_text.h"

#define SOURCE_TEXT_MAX	       ((size_t)4 << 20)
#define SOURCE_TEXTS_TOTAL_MAX ((uint64_t)256 << 20)

/* Where a process's files are. */
struct text_place {
	int pid;
	const char *stdlib_dir; /* "" if not known */
};

struct source_texts {
	struct pl_map texts; /* hash of a text, or of reason and file -> number + 1 */
	struct pl_map units; /* unit -> number + 1 */
	struct pl_map files; /* hash of a stamp or of a frozen name -> number + 1 */
	uint32_t count;	     /* numbers given: 1 … count */
	uint64_t total_bytes;
	uint64_t stored_bytes;			   /* of their records */
	struct pl_buf record, bytes, packed, text; /* room */
	struct pl_buf new_units;		   /* UNITS to write */
};

/* What the recorder says of a unit. Writes a SOURCE record for a text that is new. */
void source_texts_open(struct source_texts *s, struct store *out, const struct text_place *p,
	const struct code_text *t);
/* The number of the text of a code of this unit; 0 when there is no memory. */
uint32_t source_texts_number(
	struct source_texts *s, struct store *out, uint32_t unit, struct pl_view file);
/* What was opened since goes into meta. */
void source_texts_flush(struct source_texts *s, struct store *out);
/* Payloads of SOURCE and UNITS records, read from an existing recording. */
void source_texts_load(struct source_texts *s, struct pl_view payload);
void source_texts_load_units(struct source_texts *s, struct pl_view payload);
void source_texts_release(struct source_texts *s);

#endif
