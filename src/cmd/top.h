/* pathline top: what a program does at this moment, from the exact path of its recording.
 *
 *	top_look.c    each second: the profile of the path since the last look, of all processes
 *	top_still.c   where each thread is, and since when; tasks that wait
 *	top_views.c   the tables: their columns and cells
 *	top_text.c    as text and as JSON
 *	top_screen.c  on a terminal (tui/live.h)
 *	top_attach.c  a process by its number: its recording, or a new one for as long as it is seen
 *
 * A look is of the events between two moments, both a little in the past: the recorder writes what
 * happened within 80 ms to the recording.
 */
#ifndef PL_CMD_TOP_H
#define PL_CMD_TOP_H

#include <sys/types.h>
#include "base/map.h"
#include "cmd/cmd.h"
#include "cmd/sheet.h"
#include "expr/pattern.h"

#define TOP_NAME_BYTES 64

/* A function, or one of its lines; what it did in all processes. */
struct top_place {
	const struct pl_code *code; /* of the first of them; NULL: no Python code ran */
	int32_t line;		    /* 0: it is the function */
	uint32_t process;	    /* that spent most on it */
	uint64_t count;		    /* calls, or passes of the line */
	int64_t computing_ns, waiting_ns, cumulated_ns, most_ns;
};

/* All zero: none. */
struct top_places {
	struct top_place *rows; /* owned */
	size_t count, room;
	struct pl_map known; /* the hash of a place -> its row */
};

struct top_thread {
	uint32_t process, number;
	uint64_t events;	  /* at the last look */
	uint64_t seq;		  /* of its last event */
	int64_t last_ns;	  /* when that was; 0: not known */
	const struct pl_code *in; /* the innermost frame; NULL: none */
	/* the innermost frame of code that is neither of the standard library nor installed, else
	 * the innermost one */
	const struct pl_code *code;
	int32_t line;
	bool ended;
};

struct top_task {
	uint32_t process;
	uint64_t number;
	char name[TOP_NAME_BYTES];
	const struct pl_code *code; /* where it waits; NULL: it ran on, or has ended */
	int32_t line;
	int64_t last_ns, run_ns;
	uint64_t stretches;
	bool fresh; /* of the last look */
};

struct top_exception {
	uint32_t process, thread;
	uint64_t seq; /* of the last one */
	char type[TOP_NAME_BYTES];
	const struct pl_code *code;
	int32_t line;
	enum pl_exception_end end;
	uint64_t count;
};

enum top_view { TOP_FUNCTIONS, TOP_LINES, TOP_THREADS, TOP_TASKS, TOP_EXCEPTIONS, TOP_VIEWS };

struct top {
	struct cmd *cmd;
	struct pl_recording *r; /* owned */
	struct out out;
	/* as given */
	const char *view_text, *sort_text, *rows_text, *times_text, *filter_text, *keep;
	bool plain, json, only_mine;
	uint64_t rows, times; /* 0: all, and until the end */
	/* the recorder that was brought in for this */
	pid_t attached;			     /* its command; 0: none */
	char home[64];			     /* the directory for its recording; "": it is kept */
	char recording[CMD_DIRECTORY_BYTES]; /* what is read */
	/* what is shown */
	enum top_view view;
	const char *sorts[TOP_VIEWS]; /* NULL: the view's own order */
	struct pattern filter;
	/* the last look */
	int64_t from_ns, to_ns;
	uint64_t calls, passes, exceptions_seen;
	struct top_places functions, lines;
	struct top_thread *threads; /* owned */
	size_t thread_count, thread_room;
	struct top_task *tasks; /* owned */
	size_t task_count, task_room;
	struct pl_map known_tasks;	  /* process and number -> its place + 1 */
	struct top_exception *exceptions; /* owned */
	size_t exception_count, exception_room;
};

/* top_look.c */

/* Read what was written since, and look at it. 0; PL_END: the recording is complete, and was looked
 * at to its end; or an error. */
int top_look(struct top *t, struct pl_err *err);
void top_release(struct top *t);
/* Room for one more of an array of `size` bytes each; NULL: no memory. All zero. */
void *top_grow(void **rows, size_t *count, size_t *room, size_t size);

/* top_still.c */
int top_look_at_threads(struct top *t, struct pl_err *err);
int top_note_tasks(struct top *t, uint32_t process, const struct pl_profile_tables *tables);
/* A second without an event. */
bool top_is_still(const struct top *t, const struct top_thread *thread);
size_t top_still_count(const struct top *t);
size_t top_waiting_count(const struct top *t); /* tasks */

/* top_views.c */

/* The view with that name, or TOP_VIEWS. */
enum top_view top_view_named(const char *name);
const char *top_view_name(enum top_view view);
const struct column *top_columns(enum top_view view);
/* The table, ready to be written. */
struct sheet top_sheet(const struct top *t, enum top_view view);
/* The row of the view that is shown at that place: its process, thread (UINT32_MAX: none) and place
 * in the code. false: there is none. */
struct top_where {
	uint32_t process, thread;
	uint64_t seq; /* an event of the thread; 0: its last one */
	const struct pl_code *code;
	int32_t line; /* 0: a call of the function */
};
bool top_where(const struct top *t, size_t index, struct top_where *where);

/* top_text.c */

/* "process 4711  1,234 calls/s …", one line. */
void top_summary(const struct top *t, struct out *o);
int top_run_plain(struct top *t);

/* top_screen.c */
int top_run_screen(struct top *t);

/* top_attach.c */

/* Find or begin the recording of the process, and open it. CMD_GO, or an exit code. */
int top_attach(struct top *t, int pid);
/* The recorder leaves, and what was recorded for this is removed. The exit code. */
int top_detach(struct top *t, int code);

#endif
