/* The processes that an attached recording has, and how it leaves them. */
#ifndef PL_CMD_ATTACH_LEAVE_H
#define PL_CMD_ATTACH_LEAVE_H

#include <stdbool.h>
#include "attach/target.h"
#include "collector/collector.h"

struct attach_leave {
	const struct arena_head *head;
	const char *recorder;	    /* path of its library */
	int left_over;		    /* a process that the recorder has not left; 0: none */
	char why[ATTACH_WHY_BYTES]; /* "": it was asked, and did not answer */
};

/* Does a process that lives still write into the arena? */
bool attach_has_writers(const struct arena_head *head);
/* For `info`: a thread of that process was stopped for so long. false: it is not recorded (yet). */
bool attach_note_held(struct arena_head *head, int pid, int64_t held_ns);
/* Ask each of them to let the recorder leave, also those that are forked meanwhile, and wait for
 * that. false: one is left over. */
bool attach_leave_all(struct attach_leave *l);

#endif
