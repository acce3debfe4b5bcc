/* A recording: one run of one or more processes. It can be read while it is being written.
 *
 * Nothing in a recording is trusted: sizes and checksums are compared before use, and no more
 * memory is asked for than the bytes justify. All pointers that functions give belong to the
 * recording, and are valid until it is closed. Only one thread at a time may use a recording; two
 * recordings are independent.
 */
#ifndef PATHLINE_RECORDING_H
#define PATHLINE_RECORDING_H

#include "pathline/error.h"
#include "pathline/event.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct pl_recording;

/* `path` is a recording's directory, or a file that pl_recording_pack wrote. 0, or a negative enum
 * pl_error. The caller closes the recording. */
int pl_recording_open(struct pl_recording **out, const char *path, struct pl_err *err);
/* Read what was appended since (processes, threads, codes, blocks). Cursors stay valid. PL_END:
 * nothing is new. */
int pl_recording_refresh(struct pl_recording *r, struct pl_err *err);
/* Ask the one that writes the recording to write each event within 80 ms, not within 400, until the
 * recording is closed. Nothing happens if it is complete, or if its files cannot be locked. */
void pl_recording_follow(struct pl_recording *r);
void pl_recording_close(struct pl_recording *r); /* NULL is fine */

struct pl_recording_info {
	const char *directory;
	const char *command;  /* the command line, arguments quoted for a shell */
	const char *host;     /* node name */
	const char *system;   /* kernel name, release, machine */
	const char *pathline; /* version of Pathline that wrote it */
	const char *clock;    /* "tsc" or "monotonic" */
	const char *arena;    /* file of the arena */
	/* Are passes of loops that stay on a line recorded: "all" or "none"; "": the recording is
	 * older than passes. */
	const char *passes;
	const char *stamps; /* which events have a time, as `record --clock` was given */
	const char *filter; /* the options that say which code is recorded; "": all */
	uint16_t format_major, format_minor;
	int64_t start_ns, end_ns; /* CLOCK_REALTIME; end_ns is 0 while it is being written */
	double ticks_per_us;	  /* of the clock, as calibrated at the end; 0: not known */
	uint64_t limit_bytes;
	bool finished;	/* it is complete: its collector or a finisher closed it */
	bool recovered; /* a finisher closed it, not its own collector */
	/* It is not finished, and will not be: nothing writes it, and its arena is gone. */
	bool unfinished;
	/* Events of kinds that this version does not know: they are passed over. The path does not
	 * depend on them. */
	uint64_t unknown_events;
	/* Which values were kept, as `record --values` was given: "none" or "calls"; "": the
	 * recording is older than values. Of which code, and how much of a value: the options. */
	const char *values, *values_of, *values_limit;
	const char *secrets; /* of values with secret names: "redacted" or "shown"; "" as above */
	const char *redact;  /* further names of secrets, as `record --redact` had them; "": none */
	uint64_t value_events;	  /* events whose values are there */
	uint64_t variable_events; /* events that have what variables became */
	const char *stripped;	  /* what `pack` took out: "values", "sources", both; "": nothing */
	/* It is a pack that was made while the recording went on, and all of it is there: also
	 * `unfinished`. */
	bool snapshot;
};
void pl_recording_info(const struct pl_recording *r, struct pl_recording_info *out);

enum pl_process_end {
	PL_PROCESS_RUNNING,  /* or its end is not known yet */
	PL_PROCESS_EXITED,   /* end_code is the exit code */
	PL_PROCESS_SIGNALED, /* end_code is the signal */
	PL_PROCESS_EXECED,   /* it became another program: the next process with the same pid */
	/* It ended. end_code 1: without notice, as one that a signal kills; 0: how is not known. */
	PL_PROCESS_LOST,
};

struct pl_process {
	uint32_t number; /* from 1 */
	uint32_t parent; /* number of the process that started it, 0: not recorded */
	uint32_t pid;
	const char *command;	 /* its command line */
	const char *executable;	 /* path of the interpreter */
	const char *interpreter; /* "CPython 3.13.0 …" */
	const char *how;	 /* "start", "fork", "exec" */
	int64_t start_ns, end_ns;
	enum pl_process_end end;
	int end_code;
	uint32_t thread_count;
	uint64_t switches;	  /* between threads */
	uint64_t waits;		  /* times that a thread waited for the collector */
	uint64_t samples;	  /* in the part of the recording that is there */
	uint64_t samples_dropped; /* looks at a thread that gave no valid sample */
	int samples_refused;	  /* errno, if the system did not allow to look; else 0 */
	/* The rest is 0 until the process has ended. */
	uint64_t codes_left_out;   /* code objects that ran and that a filter left out */
	uint64_t codes_unanalysed; /* code objects without a flow graph: each line was recorded */
	/* Events of whose values only the types were kept, because more was captured within a
	 * second than --values-limit allows. */
	uint64_t values_cut;
	/* Of one that was attached as it ran, else 0: how long a thread of it was stopped; how long
	 * the recorder waited for the GIL, and had it until all was recorded. */
	uint64_t held_ns, waited_ns, began_ns;
};

struct pl_thread {
	uint32_t process;
	uint32_t number;    /* from 0, in its process */
	uint64_t native_id; /* gettid(2) */
	const char *name;   /* its last name in `threading`; "": not known */
	int64_t start_ns, end_ns;
	uint64_t events;    /* in the blocks that are there */
	uint64_t first_seq; /* of the oldest block that is there */
	uint32_t blocks;
	uint64_t counts[PL_EVENT_KIND_COUNT];
};

/* Processes in the order in which they were first seen: `index` is from 0, `number` from 1. Their
 * number grows with a refresh. */
uint32_t pl_recording_process_count(const struct pl_recording *r);
/* NULL: there is no such process or thread. */
const struct pl_process *pl_recording_process(const struct pl_recording *r, uint32_t index);
const struct pl_process *pl_recording_find_process(const struct pl_recording *r, uint32_t number);
const struct pl_thread *pl_recording_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread);

/* What was lost or failed, and where. */
struct pl_loss {
	uint32_t process, thread; /* 0, 0: the recording as a whole */
	uint64_t seq;
	int64_t time_ns;
	enum pl_gap_reason reason;
	uint64_t lost;	  /* events, 0 when not known */
	const char *text; /* an explanation, or "" */
};
uint32_t pl_recording_loss_count(const struct pl_recording *r);
const struct pl_loss *pl_recording_loss(const struct pl_recording *r, uint32_t index);

/* Bytes on disk by kind of record. NULL: there is no such index. */
struct pl_size {
	const char *kind;
	uint64_t records, bytes;
};
const struct pl_size *pl_recording_size(const struct pl_recording *r, uint32_t index);

/* The number of events that the recorder wrote for a code, by kind. Lines, returns and yields that
 * follow from the flow graph are not among them. Only `record --stat` keeps these numbers. They are
 * of the whole run, also of what --limit dropped. */
struct pl_recorded {
	const struct pl_code *code; /* if it is not known: one with the name "?" */
	uint64_t counts[PL_EVENT_KIND_COUNT];
};
uint32_t pl_recording_recorded_count(const struct pl_recording *r);
/* false: there is no such index. */
bool pl_recording_recorded(struct pl_recording *r, uint32_t index, struct pl_recorded *out);
/* CPU time that the collector took; 0: it was not kept. */
uint64_t pl_recording_collector_ns(const struct pl_recording *r);

/* The number of damaged places found so far: by open, by refresh, and by cursors. */
uint64_t pl_recording_damage_count(const struct pl_recording *r);

/* The number of blocks of events that were opened so far, by all cursors, counts and searches. */
uint64_t pl_recording_block_reads(const struct pl_recording *r);

/* ---- code and source ---- */

/* Texts of a recording are bytes that end with a NUL. A NUL that was in the name itself is given as
 * the two bytes 0xc0 0x80, which never occur in UTF-8. A code whose description is missing has "?"
 * for both names. */
const char *pl_code_file(const struct pl_code *c);   /* co_filename; UTF-8, or bytes as they were */
const char *pl_code_name(const struct pl_code *c);   /* co_qualname */
int32_t pl_code_first_line(const struct pl_code *c); /* co_firstlineno */
uint32_t pl_code_flags(const struct pl_code *c);     /* co_flags */
/* The lines of the code that can begin to run, in ascending order, each once. Returns their number
 * and fills at most `max`. */
size_t pl_code_lines(const struct pl_code *c, int32_t *lines, size_t max);

/* The number of the text from which the code was compiled. Among codes of one file name, the same
 * number means the same text, and a later text has a larger number. 0: there is no text. */
uint64_t pl_code_text(const struct pl_code *c);
/* Do both have the same file name and the same text? false if one of them is NULL. */
bool pl_code_same_text(const struct pl_code *a, const struct pl_code *b);

/* A part of a text of the recording. It does not end with a NUL. */
struct pl_text {
	const char *at;
	size_t length;
};

/* The text of a line as it ran, without its line end. PL_ERR_NOT_FOUND: there is no text; `err`
 * says why. */
int pl_source_line(struct pl_recording *r, const struct pl_code *c, int32_t line,
	struct pl_text *text, struct pl_err *err);

/* ---- check ---- */

struct pl_damage {
	const char *file; /* relative to the recording's directory */
	uint64_t offset;  /* bytes from the file's start */
	const char *what;
};
struct pl_check_result {
	uint64_t records, blocks, events; /* without damage */
	uint64_t damaged;		  /* places */
	uint64_t unknown; /* events of kinds that this version does not know, and passed over */
};
/* Verify each checksum and decode everything. `report` is called for each damage. 0: there is none;
 * PL_ERR_FORMAT: there is some. */
int pl_recording_check(struct pl_recording *r, void (*report)(void *arg, const struct pl_damage *d),
	void *arg, struct pl_check_result *result, struct pl_err *err);

/* ---- all in one file ---- */

struct pl_pack {
	bool strip_values;  /* without what arguments, results and variables were */
	bool strip_sources; /* without the texts of the source files */
	int64_t last_ns;    /* only the newest, and what is needed to read it; 0: all */
	/* NULL, or called now and then. done: 0 to 1 */
	void (*progress)(void *arg, double done);
	void *arg;
};
struct pl_packed {
	uint64_t bytes;	  /* written */
	uint64_t values;  /* events whose values were taken out */
	uint64_t sources; /* texts that were taken out */
	/* Records that were left out, because what is in them is damaged and may be what was to be
	 * taken out. A pack of everything has damaged bytes as they are. */
	uint64_t damaged;
};
/* Write a copy of the recording as one file, from the offset of `fd` on, with write(2) only. It is
 * read as a recording is. One that is being written is copied as far as it is there.
 * PL_ERR_NOT_FOUND: a part was dropped meanwhile, by the limit; what was written is of no use. */
int pl_recording_pack(struct pl_recording *r, int fd, const struct pl_pack *how,
	struct pl_packed *out, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
