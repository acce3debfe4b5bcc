/* The native functions that a recording names: numbers for them, and their names, which come later.
 *
 *	address in a program -> module -> file, address in the file -> number
 *	number -> question -> (a process that reads files) -> answer -> names in the recording
 *
 * Functions of one file that is loaded in many processes, or at several places, have one number
 * each. Modules are copied from the shared memory, where the program could still change them.
 */
#ifndef PL_SOURCE_NATIVE_NAMES_H
#define PL_SOURCE_NATIVE_NAMES_H

#include "base/map.h"
#include "filter/glob.h"
#include "source/source.h"
#include "source/symbols.h"

#define NATIVE_FUNCTIONS_MAX (1u << 18)
#define NATIVE_FILES_MAX     4096u
#define NATIVE_NO_FUNCTION   0 /* number of none, and of those beyond the limits */

/* The fields that are names of functions, in each kind of the source. */
enum { NATIVE_FIELD_FUNCTION = 0, NATIVE_FIELD_PLACE = 1 };

struct native_file {
	char *path; /* owned */
	uint32_t id_bytes;
	uint8_t id[NATIVE_ID_MAX];
	bool bad; /* reading it ended the child */
};

/* A copy of a struct native_module. */
struct native_loaded {
	bool used;
	uint32_t image, pid, pid_space;
	uint64_t start, end, bias, to_ticks;
	uint32_t file; /* + 1; 0: of no known file */
};

struct native_function {
	uint32_t file; /* + 1; 0: none */
	uint32_t pid;  /* the first process that ran it */
	uint64_t address;
	bool named;
	bool wanted; /* once it is named */
};

struct native_names {
	struct source *source;
	struct native_loaded loaded[NATIVE_MODULES];
	uint32_t told;		   /* as the area's count was at the last look */
	struct native_file *files; /* owned */
	size_t file_count, file_room;
	struct native_function *functions; /* owned; number 1 is at 0 */
	size_t function_count, function_room;
	struct pl_map numbers; /* file << 48 | address -> number */
	struct symbols symbols;
	uint32_t asked, answered; /* of the functions, in their order */
	struct pl_buf fresh[2];	  /* by field: names that are not written yet */
	uint32_t fresh_count;
	struct pl_view module, name; /* the pattern; at NULL: all */
};

/* wish: "", "FUNCTION" or "MODULE:FUNCTION", with wildcards. */
void native_names_begin(struct native_names *n, struct source *s, const char *wish);
void native_names_release(struct native_names *n);

/* Copy what is new in the area: true if there was something. Forget what belongs to `image`. */
bool native_names_look(struct native_names *n, struct native_head *head);
void native_names_forget(struct native_names *n, struct native_head *head, uint32_t image);

/* A function at this address of a program, at that time. */
struct native_address {
	uint32_t image, pid;
	uint64_t address, ticks;
};
/* Its number. *lasting: it is the same one as long as native_names_look says nothing new. */
uint32_t native_names_find(struct native_names *n, const struct native_address *at, bool *lasting);
/* Is it to be recorded? 1, 0; -1: its name decides, and is not known yet. */
int native_names_wants(const struct native_names *n, uint32_t number);

/* Ask and take answers, for at most wait_ms; write what is new. false: some are still asked. */
bool native_names_go_on(struct native_names *n, int wait_ms);

#endif
