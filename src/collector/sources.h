/* The texts that ran: each stored once, by its content.
 *
 * A text comes from the recorder (linecache, -c: what no file has), or from the program's own file
 * system, read here as soon as the first code of a file arrives, and again when a module's body
 * comes anew and the file has changed. What could not be had is a source too, with the reason in
 * place of the text.
 */
#ifndef PL_COLLECTOR_SOURCES_H
#define PL_COLLECTOR_SOURCES_H

#include "base/map.h"
#include "collector/store.h"

#define SOURCE_TEXT_MAX	  ((size_t)4 << 20)
#define SOURCES_TOTAL_MAX ((uint64_t)256 << 20)

/* Where a process's files are. */
struct source_place {
	uint32_t process;
	int pid;
	const char *directory;	/* where it started; "" if not known */
	const char *stdlib_dir; /* "" if not known */
};

struct sources {
	struct pl_map texts; /* hash of a text, or of reason and file -> source number + 1 */
	struct pl_map told;  /* (process, file name) -> source number + 1; 0: told no more */
	struct pl_map forks; /* process -> who forked it: what was told there holds here too */
	struct pl_map files; /* (file name) -> index in stamps + 1 */
	struct source_file *stamps; /* owned */
	size_t stamp_count, stamp_room;
	uint32_t count; /* numbers given: 1 … count */
	uint64_t total_bytes;
	struct pl_buf record, text; /* room */
};

/* A text that the recorder sent for a file name of this process; an empty one takes the name back.
 */
void sources_tell(struct sources *s, struct store *out, uint32_t process, struct pl_view file,
	struct pl_view text);
/* The number of the text that a code of this file came from; 0 when there is no memory. Writes a
 * SOURCE record for a new one. */
uint32_t sources_number(struct sources *s, struct store *out, const struct source_place *p,
	struct pl_view file, bool is_module);
void sources_forked(struct sources *s, uint32_t process, uint32_t parent);
/* Payloads of SOURCE and TOLD records, read from an existing recording. */
void sources_load(struct sources *s, struct pl_view payload);
void sources_load_told(struct sources *s, struct pl_view payload);
void sources_release(struct sources *s);

#endif
