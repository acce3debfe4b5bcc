/* What `record` says when the command has ended: what was recorded, or why nothing was; what was
 * lost; how the program ended, and how to look at it. */
#ifndef PL_CMD_RECORD_END_H
#define PL_CMD_RECORD_END_H

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/place.h"
#include "collector/collector.h"

/* What the collector did when it was told that the command has ended. */
enum answer { ANSWER_REPORT, ANSWER_DEAD, ANSWER_SILENT };

/* All pointers are record's. */
struct record_end {
	const struct cmd *cmd;
	const struct place *place;
	const struct choose *choose;
	const struct choose *values_of;
	const struct arena_head *head;
	const char *program; /* as the user wrote it */
	const char *missing; /* the script, as written, if it does not exist; NULL: it does */
	bool python;	     /* --python was given: so WHAT is a script */
	const char *foreign; /* the loader of the program, if it does not load our library; "" */
	bool quiet;
	bool flight; /* it was a flight recorder */
	int status;  /* the command's, of waitpid */
	enum answer answer;
	struct collector_packet report; /* only with ANSWER_REPORT */
};

/* No line of the program ran: no Python ran, or it ended before its program began. */
bool record_end_is_empty(const struct record_end *e);
void record_end_say(const struct record_end *e);
/* Afterwards, if it is empty and the latest recording is another one again. */
void record_end_say_latest(const struct record_end *e);

#endif
