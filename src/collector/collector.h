/* The collector: one process for a recording. It moves events from rings to files, compresses,
 * keeps the limit and the clock, and ends when the last process of the recording is gone.
 *
 *	record --fork--> collector          record and collector exchange packets over a socketpair:
 *	   <- READY arena path | FAILED why
 *	   -> ENDED pid status                the command is over
 *	   <- REPORT                          its events are on disk
 */
#ifndef PL_COLLECTOR_COLLECTOR_H
#define PL_COLLECTOR_COLLECTOR_H

#include "collector/finish.h"
#include "collector/state.h"
#include "format/value_table.h" /* the greatest depth of values, for who fills in limits */

/* With less, there would be room for little else than descriptions of code and its texts. */
#define COLLECTOR_LIMIT_MIN ((uint64_t)1 << 20)

/* Of --values and the options that go with it. */
struct collector_values {
	enum arena_values which;
	struct value_limits limits;
	struct pl_view of;	 /* the rules, as filter_read takes them */
	const char *of_text;	 /* and as the user gave them; NULL without values */
	const char *limits_text; /* "depth=3,items=10": all of them; NULL without values */
	bool shows_secrets;
	struct pl_view redact;	 /* further names of secrets, as secret_names_add has them */
	const char *redact_text; /* and as the user gave them; NULL: none */
};

struct collector_start {
	int directory_fd;      /* of the recording; the collector's from then on */
	int channel;	       /* of the collector's end */
	const char *directory; /* absolute */
	const char *command;   /* quoted for a shell */
	uint64_t limit_bytes;  /* 0: none; else at least COLLECTOR_LIMIT_MIN */
	int64_t keep_ns;       /* 0: for ever */
	enum arena_full on_full;
	const char *arena_directory; /* another process's /dev/shm; NULL: ours */
	bool no_children;
	bool attached;	     /* a program that ran already, so without the preload: what calls
			      * _exit does not say so */
	bool outlives_terms; /* SIGTERM does not end it: a service is stopped by one for each
			      * process */
	bool count_costs;    /* keep what was recorded of each code (costs.h) */
	enum arena_passes passes;
	enum arena_order order;
	struct pl_view filter;	 /* the rules, as filter_read takes them */
	const char *filter_text; /* and as the user gave them */
	const char *clock;	 /* as --clock has it */
	int64_t tick_ns;	 /* 0: what keeps it cheap */
	enum arena_stamps stamps;
	uint32_t hot_lines; /* as the arena has it */
	struct collector_values values;
	struct flight_wish flight;
	const char *kernel;   /* groups of the kernel's events, "" is all; NULL: none */
	const char *native;   /* the pattern of native functions, "" is all; NULL: none */
	uint32_t starter_pid; /* the process whose children are the recording; 0: not known */
};

enum collector_word { COLLECTOR_READY = 1, COLLECTOR_FAILED, COLLECTOR_ENDED, COLLECTOR_REPORT };

/* One packet in either direction. Fields that a word does not use are 0. */
struct collector_packet {
	enum collector_word word;
	int pid, status;	 /* ENDED */
	char text[2 * PATH_MAX]; /* READY: the arena; FAILED: why; REPORT: why the store failed */
	struct collector_totals totals; /* REPORT, from here */
	uint64_t bytes;			/* of the recording */
	uint32_t running;		/* processes that are still alive */
	bool finished;			/* END is written: no process is alive */
	uint32_t flights;		/* recordings that a flight recorder wrote */
	int flight_failed;		/* errno of its last one; 0: it is there */
	char flight[PATH_MAX];		/* the last one that is there; "": none */
	/* READY: why a source does not run, or "" */
	char sources_why[SOURCE_WHY_BYTES];
};

/* The collector's whole life, in a process that was forked for it. Returns the exit code. */
int collector_run(const struct collector_start *s);

/* ---- for the finisher, which does the same without the loop ---- */

/* One round: look, read, cut. why: as for blocks_cut. true: something was new. */
bool collector_round(struct collector *c, enum blocks_why why);
void collector_release(struct collector *c);

#endif
