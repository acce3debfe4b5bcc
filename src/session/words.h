/* The commands of a replay as text, one a line: what --plain reads, and --command and the file of commands give. */
#ifndef PL_SESSION_WORDS_H
#define PL_SESSION_WORDS_H

#include "session/hits.h"
#include "session/replay.h"

#define WHY_MAX 1024

/* All zero but replay.r and replay.stop is ready, once replay_start was called. */
struct session {
	struct replay replay;
	size_t frame; /* selected by u and d: so many above the innermost one, outwards */
	regex_t regex;
	bool has_regex, regex_back;
	struct pl_counts *counts; /* owned: what was executed, NULL until it is asked for */
	struct hits *hits;	  /* owned: of the thread where hits_at is; by session_hits */
	struct pl_position hits_at;
	bool quit;
	/* of the last command */
	char why[WHY_MAX]; /* said in place of a row; "": the position is the answer */
	char note[512];	   /* said beside the row; "": nothing */
};

/* Do what the line says. 0, also where it is refused: `why` says so; an error that no other command can mend. */
int session_do(struct session *s, const char *line, struct pl_err *err);
void session_release(struct session *s);
/* The hits of the thread where the position is, on which hits_work goes on. The session's; NULL: no memory. */
struct hits *session_hits(struct session *s);
/* The table of commands, for --help. */
#define WORDS_HELP_BYTES 4096
void session_help(char help[WORDS_HELP_BYTES]);

#endif
