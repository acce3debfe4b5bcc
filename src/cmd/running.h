/* A Python process of this machine, as `pathline ps` shows it. */
#ifndef PL_CMD_RUNNING_H
#define PL_CMD_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

struct running {
	int pid;
	uint32_t uid;
	char user[64];	  /* the number, where it has no name */
	char release[24]; /* "3.13.1"; "": not known */
	int64_t runs_ns;
	bool recorded;
	char *command;	 /* owned: its words */
	char *directory; /* owned: of the recording; NULL: not known */
	char *why;	 /* owned: it cannot be attached; NULL: it can */
	char *note;	 /* owned: one of the two in parentheses; NULL: there is neither */
};

/* false: it is not a Python, or has ended; then there is nothing to release. */
bool running_look(struct running *p, int pid);
/* "attachable", "recorded", "no" */
const char *running_state(const struct running *p);
void running_release(struct running *p);

#endif
