/* A recording: one run of one or more processes, opened for reading, also while it is being
 * written.
 *
 * Nothing in a recording is trusted: sizes and checksums are compared before use, memory is bounded
 * by what the bytes can justify. All pointers given out belong to the recording and live until it
 * is closed. A recording may be used by one thread at a time; two recordings are independent.
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

int pl_recording_open(struct pl_recording **out, const char *dir, struct pl_err *err);
/* Read what was appended since (processes, threads, codes, blocks). Cursors stay valid. PL_END:
 * nothing new. */
int pl_recording_refresh(struct pl_recording *r, struct pl_err *err);
void pl_recording_close(struct pl_recording *r); /* NULL is fine */

struct pl_recording_info {
	const char *directory;
	const char *command;  /* the command line, arguments quoted for a shell */
	const char *host;     /* node name */
	const char *system;   /* kernel name, release, machine */
	const char *pathline; /* version that wrote it */
	const char *clock;    /* "tsc" or "monotonic" */
	const char *arena;    /* where the rings lay */
	const char *
		passes; /* "all", "none": of loops that stay on a line; "": made before there were any */
	const char *filter; /* the options that say which code is recorded; "": all */
	uint16_t format_major, format_minor;
	int64_t start_ns, end_ns; /* CLOCK_REALTIME; end_ns 0 while it is being written */
	double ticks_per_us;	  /* of the clock, as calibrated at the end; 0 if not known */
	uint64_t limit_bytes;
	bool finished;	/* the collector, or who recovered it, closed it in order */
	bool recovered; /* it was finished by another than its own collector */
};
void pl_recording_info(const struct pl_recording *r, struct pl_recording_info *out);

enum pl_process_end {
	PL_PROCESS_RUNNING,  /* or not known yet */
	PL_PROCESS_EXITED,   /* code in end_code */
	PL_PROCESS_SIGNALED, /* signal in end_code */
	PL_PROCESS_EXECED,   /* it became another program: the next process with the same pid */
	PL_PROCESS_LOST, /* gone; end_code 1: without a word, as when killed by a signal; 0: how is not known */
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
	uint64_t switches;	  /* switches between threads */
	uint64_t waits;		  /* times that a thread waited for the collector */
	uint64_t samples;	  /* of where its threads stood, in what is here */
	uint64_t samples_dropped; /* looks that saw nothing that makes sense */
	int samples_refused;	  /* errno of the system, when it let nobody look; 0: it did */
	uint64_t
		codes_left_out; /* code objects that ran and were left out by a filter; 0 as long as it runs */
	uint64_t
		codes_unanalysed; /* code objects whose flow is not known, so that each line was recorded; likewise */
};

struct pl_thread {
	uint32_t process;
	uint32_t number;    /* from 0, in its process */
	uint64_t native_id; /* gettid(2) */
	const char *name;   /* as threading knows it at the end; "" if not known */
	int64_t start_ns, end_ns;
	uint64_t events;    /* in the blocks that are here */
	uint64_t first_seq; /* of the oldest block that is here */
	uint32_t blocks;
	uint64_t counts[PL_EVENT_KIND_COUNT];
};

uint32_t pl_recording_process_count(const struct pl_recording *r);
const struct pl_process *pl_recording_process(const struct pl_recording *r, uint32_t index);
const struct pl_process *pl_recording_find_process(const struct pl_recording *r, uint32_t number);
const struct pl_thread *pl_recording_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread);

/* What was lost, or went wrong, with its place. */
struct pl_loss {
	uint32_t process, thread; /* 0, 0: of the recording as a whole */
	uint64_t seq;
	int64_t time_ns;
	enum pl_gap_reason reason;
	uint64_t lost;	  /* events, 0 when not known */
	const char *text; /* more words, or "" */
};
uint32_t pl_recording_loss_count(const struct pl_recording *r);
const struct pl_loss *pl_recording_loss(const struct pl_recording *r, uint32_t index);

/* Bytes on disk by kind of record, for `info`. Gives NULL behind the last index. */
struct pl_size {
	const char *kind;
	uint64_t records, bytes;
};
const struct pl_size *pl_recording_size(const struct pl_recording *r, uint32_t index);

/* How many events were recorded of a code, by kind: those that a witness or a call wrote, not the lines, returns and yields that the
 * path shows. Kept by `record --stat` only, of the whole run, whatever --limit dropped. */
struct pl_recorded {
	const struct pl_code *code; /* a stand-in with the name "?" where it is not known */
	uint64_t counts[PL_EVENT_KIND_COUNT];
};
uint32_t pl_recording_recorded_count(const struct pl_recording *r);
/* false: no such index. */
bool pl_recording_recorded(struct pl_recording *r, uint32_t index, struct pl_recorded *out);
/* CPU time that the collector took, 0 where it was not kept. */
uint64_t pl_recording_collector_ns(const struct pl_recording *r);

/* Places at which the recording was found damaged so far: when it was opened or refreshed, and by
 * its cursors. */
uint64_t pl_recording_damage_count(const struct pl_recording *r);

/* ---- code and source ---- */

/* Texts of a recording are bytes, and end at their NUL. A NUL that was in the name itself is given
 * as the two bytes 0xc0 0x80, which are in no UTF-8. A code whose description is missing has "?"
 * for both names. */
const char *pl_code_file(const struct pl_code *c);   /* co_filename; UTF-8, or bytes as they were */
const char *pl_code_name(const struct pl_code *c);   /* co_qualname */
int32_t pl_code_first_line(const struct pl_code *c); /* co_firstlineno */
uint32_t pl_code_flags(const struct pl_code *c);     /* co_flags */
/* The lines that can begin to run in it, growing, each once: gives how many there are, fills at most max. */
size_t pl_code_lines(const struct pl_code *c, int32_t *lines, size_t max);

/* A number for the text that it was compiled from: of one file name, codes with the same number have
 * the same text, and a text that came later has a larger number. 0: there is none. */
uint64_t pl_code_text(const struct pl_code *c);
/* Do both have the same file name and the same text? False if one of them is NULL. */
bool pl_code_same_text(const struct pl_code *a, const struct pl_code *b);

/* A piece of the recording's text, without a NUL at its end. */
struct pl_text {
	const char *at;
	size_t length;
};

/* The text of a line as it ran, without its line end; PL_ERR_NOT_FOUND with the reason when it
 * could not be had. */
int pl_source_line(struct pl_recording *r, const struct pl_code *c, int32_t line,
	struct pl_text *text, struct pl_err *err);

/* ---- check ---- */

struct pl_damage {
	const char *file; /* within the directory */
	uint64_t offset;  /* bytes from the file's start */
	const char *what;
};
struct pl_check_result {
	uint64_t records, blocks, events; /* sound ones */
	uint64_t damaged;		  /* places */
};
/* Verify every checksum and decode everything; `report` is called for each damage. 0: sound;
 * PL_ERR_FORMAT: not. */
int pl_recording_check(struct pl_recording *r, void (*report)(void *arg, const struct pl_damage *d),
	void *arg, struct pl_check_result *result, struct pl_err *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
