/* The options of `record` and `attach`: the table, and what they mean to the collector. */
#ifndef PL_CMD_RECORD_OPTIONS_H
#define PL_CMD_RECORD_OPTIONS_H

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/place.h"
#include "cmd/record_values.h"
#include "collector/collector.h"

/* All zero: no limit, nothing filtered, no hot code, and the default of each choice. */
struct record_options {
	const char *command;   /* for messages */
	const char *directory; /* of the recording; NULL: record chooses one. Points into argv */
	const char *python;    /* that runs WHAT; NULL: python3 from PATH. Points into argv */
	uint64_t limit_bytes;  /* 0: none */
	int64_t keep_ns;       /* 0: for ever */
	int64_t flight_ns;     /* what a flight recorder keeps; 0: it is none */
	bool limit_given;
	uint32_t on_full;   /* enum arena_full */
	uint32_t passes;    /* enum arena_passes */
	uint32_t order;	    /* enum arena_order */
	uint32_t clock;	    /* in the table of clocks */
	uint32_t timing;    /* in the table of timings */
	uint32_t hot_lines; /* 0: no code becomes hot */
	bool no_children, quiet, stat;
	const char *kernel; /* groups of its events; "": all; NULL: none. Points into argv */
	const char *native; /* pattern of native functions; "": all; NULL: none. As kernel */
	struct choose choose;
	struct record_values values;
};

/* Parse the words of the command. usage: its options are those that the command has beside the
 * common ones. CMD_GO, or an exit code: then a message has said why. Release in either case. */
int record_options_read(struct record_options *o, struct cmd *c, const struct cmd_usage *usage);
/* After that: words are what is run, with NULL after them. CMD_GO, or an exit code. */
int record_options_end(struct record_options *o, char *const *words);
/* The place of its recording. CMD_GO, or an exit code after saying why. */
int record_options_place(const struct record_options *o, struct place *p, const char *name);
/* Fill in what the options decide; s points into *o, which must live as long. */
void record_options_apply(const struct record_options *o, struct collector_start *s);
void record_options_release(struct record_options *o);

#endif
