/* A recording in a few numbers and words: for info, ls and record's last lines. */
#ifndef PL_CMD_SUMMARY_H
#define PL_CMD_SUMMARY_H

#include "pathline/pathline.h"

struct summary {
	uint64_t events, switches, waits, codes_left_out, codes_unanalysed, values_cut, bytes;
	uint32_t processes, threads;
	uint64_t counts[PL_EVENT_KIND_COUNT];
	bool damaged; /* something could not be read when it was opened */
};

struct summary summary_of(const struct pl_recording *r);

/* "exit 1", "SIGKILL", "became another program", "killed, it seems", "running", "detached" (it goes
 * on, and the recorder has left it), "not known". */
#define SUMMARY_END_BYTES 48
void summary_end(
	const struct pl_recording *r, const struct pl_process *p, char text[SUMMARY_END_BYTES]);
/* exited, killed, exec, running, detached, lost; "not known": recording ended before the
 * process. */
const char *summary_end_word(const struct pl_recording *r, const struct pl_process *p);

/* What --limit dropped, which no other number includes; NULL: nothing. */
const struct pl_loss *summary_dropped(const struct pl_recording *r);
/* Why recording ended before the program did; NULL: it did not. */
const struct pl_loss *summary_stopped(const struct pl_recording *r);
/* The two as texts, one a line: what is missing from the recording. Returns their number. */
#define SUMMARY_MISSING_MAX   2
#define SUMMARY_MISSING_BYTES 320
size_t summary_missing(
	const struct pl_recording *r, char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES]);

#endif
