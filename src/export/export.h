/* Formats in which other programs read a recording: one file each, and a row of EXPORT_FORMATS.
 *
 * A format takes one of two things, piece by piece, and writes as it goes, so that memory is
 * bounded however long the recording is:
 *
 *	EXPORT_PATH      slices: a call or resume of a frame until it returns or yields
 *
 *	    call f   call g   return g   line 9   return f
 *	    ├─ f ────────────────────────────────────────┤
 *	             ├─ g ───────┤
 *
 *	EXPORT_PROFILE   the tables of pl_profile, of one process after the other
 *
 * Slices of one track lie within each other. A thread is a track, and each greenlet is one, for its
 * frames stay when another one runs.
 *
 * What each format leaves out is said in doc/EXPORTS.md.
 */
#ifndef PL_EXPORT_EXPORT_H
#define PL_EXPORT_EXPORT_H

#include "base/buf.h"
#include "pathline/pathline.h"

#define EXPORT_FORMATS(X)                                                                          \
	X(callgrind)                                                                               \
	X(chrome)                                                                                  \
	X(collapsed)                                                                               \
	X(ctf)                                                                                     \
	X(otlp)                                                                                    \
	X(perfetto)                                                                                \
	X(pprof)                                                                                   \
	X(speedscope)

enum export_of { EXPORT_PATH, EXPORT_PROFILE };

/* Where the output goes, in pieces. false: it cannot be written, and nothing more is wanted. */
struct export_sink {
	bool (*put)(void *context, const void *bytes, size_t count);
	/* Of a format that is a directory: what follows goes to a file with this name, in it. */
	bool (*file)(void *context, const char *name);
	void *context;
};

struct export_track {
	uint32_t number; /* in the output, from 1 */
	const struct pl_process *process;
	const struct pl_thread *thread;
	uint64_t greenlet; /* 0: the thread's own stack */
};

struct export_slice {
	const struct export_track *track;
	const struct pl_code *code;
	int32_t line;	       /* of a slice of one line, within that of its frame; 0: of a frame */
	uint64_t number;       /* in the output, from 1; the same at begin and end */
	uint64_t parent;       /* number of the slice around it, 0: none */
	uint64_t root;	       /* number of the outermost slice around it, or its own */
	uint64_t generator;    /* of a frame: as in struct pl_event */
	uint64_t task_id;      /* likewise, at its begin */
	bool is_task;	       /* a frame with which a task begins or goes on */
	int64_t begin_ns;      /* CLOCK_REALTIME */
	int64_t end_ns;	       /* when it ends */
	struct pl_position at; /* of the event with which it begins; process 0: none was recorded */
	enum pl_event_kind begun; /* by call, resume or throw; GAP: its begin was not recorded */
	const char *exception; /* the type of the last one that arose or arrived in it, or NULL */
	/* Valid while the slice is open: what was passed, or sent. */
	struct pl_values values;
};

struct export
{
	struct pl_recording *r; /* not owned */
	const struct export_format *format;
	struct export_sink sink;
	int64_t start_ns;    /* of the recording; times of the output count from here */
	struct pl_buf bytes; /* owned: what was not yet put */
	void *state;	     /* owned: format->state_bytes, zeros at first */
	bool stopped;	     /* by the sink */
};

/* All functions write to x->bytes, and give 0 or PL_ERR_MEMORY; one that is NULL is not needed. */
struct export_format {
	const char *name;
	const char *about; /* at most 60 columns */
	enum export_of takes;
	bool is_binary; /* a terminal cannot show it */
	bool is_directory;
	/* A track is a thread, and has the frames of the greenlet that runs: when another one runs,
	 * its slices end, and begin again later with the same numbers. */
	bool by_thread;
	size_t state_bytes; /* 0: it has no state */
	int (*begin)(struct export *x);
	int (*end)(struct export *x);
	void (*release)(struct export *x); /* of the state; it may be incomplete */

	/* EXPORT_PATH. A process and a track come before what is in them; of threads one after the
	 * other. `task`, the name of the task then, is NULL outside of tasks. */
	int (*process)(struct export *x, const struct pl_process *p);
	int (*track)(struct export *x, const struct export_track *t);
	int (*slice_begin)(struct export *x, const struct export_slice *s, const char *task);
	/* e: the event that ends it; NULL: none does */
	int (*slice_end)(struct export *x, const struct export_slice *s, const struct pl_event *e);
	/* A point: an exception that is raised, a mark, a gap. */
	int (*instant)(struct export *x, const struct export_track *t, const struct pl_event *e);
	int (*track_end)(struct export *x, const struct export_track *t, int64_t end_ns);

	/* EXPORT_PROFILE. The tables are valid until the end. */
	int (*profile)(struct export *x, const struct pl_process *p,
		const struct pl_profile_tables *tables);
};

/* Formats in the order of their names; NULL: there is no such format, or index. */
const struct export_format *export_format(size_t index);
const struct export_format *export_find(const char *name);

/* Begin to write. x->r, format and sink are set, all else is zero. Every function gives 0, PL_END
 * when the sink wants no more, or an error; after one, only export_release may follow. */
int export_begin(struct export *x);
int export_end(struct export *x);
void export_release(struct export *x);

/* Put what is in x->bytes if it is much, or in any case. */
int export_put(struct export *x);
int export_put_all(struct export *x);

/* What follows goes to this file of the directory. 0, PL_END or PL_ERR_MEMORY. */
int export_file(struct export *x, const char *name);

/* A text as UTF-8: bytes that are not become U+FFFD. */
void export_utf8(struct pl_buf *b, const char *text);
/* A text of the recording as a JSON string, with its quotes. */
void export_string(struct pl_buf *b, const char *text);
/* "worker", "thread 2", "worker, greenlet 3" */
#define EXPORT_NAME_BYTES 256
void export_track_name(const struct export_track *t, char name[EXPORT_NAME_BYTES]);
/* The function's qualified name. Of a line, written to `line`: "40: left = stock[item]". */
const char *export_slice_name(
	const struct export *x, const struct export_slice *s, char line[EXPORT_NAME_BYTES]);
/* What its kind says about a point: the exception's type, the mark's text, the gap's reason. */
const char *export_point_name(const struct pl_event *e);

#define X(name) extern const struct export_format export_##name;
EXPORT_FORMATS(X)
#undef X

#endif
