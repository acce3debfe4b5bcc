/* --filter: an expression (expr/expr.h), asked about each event of a recording.
 *
 * Events of a thread are given in their order. Those for which expression_may is false can be left
 * out, so a search can pass over them (pl_wanted). An event that ends a call has its arguments and
 * its duration; so the calls must be given too, and expression_may says so. With the arguments it
 * is often clear that no event of the call can match: then its end need not be given
 * (expression_kinds_now).
 */
#ifndef PL_CMD_EXPRESSION_H
#define PL_CMD_EXPRESSION_H

#include "expr/frames.h"
#include "expr/nothing.h"

/* All zero: no expression. */
struct expression {
	struct expr *expr; /* owned; NULL: there is none, and every event is wanted */
	const struct pl_recording *r;
	uint32_t needs;	 /* enum expr_known */
	bool has_frames; /* it needs to know calls */
	uint32_t alone;	 /* kinds that must be given while no call is known that may match */
	bool keeps; /* in: the events of processes come by turns, not one process after the other */
	const struct pl_process *process; /* that is read */
	struct pl_map frames;		  /* owned: process << 32 | thread -> struct frames * */
	uint64_t frames_key;		  /* of the last one that was asked for */
	struct frames *frames_now;	  /* NULL: none was */
};

#define EXPRESSION_HELP                                                                            \
	"only where the expression is true; see FILTERS in\n"                                      \
	"the manual: \"func == 'book' and args.qty > 10\""

/* CMD_GO; CMD_USAGE or CMD_BAD after an explanation. text NULL: none. */
int expression_read(
	struct expression *x, const char *command, const char *text, struct pl_recording *r);
void expression_release(struct expression *x);

/* Why nothing was selected, ": module == 'ordes%' matches nothing; nearest: orders"; "" if that is
 * not known. */
#define EXPRESSION_WHY_BYTES (EXPR_NOTHING_BYTES + 2)
void expression_why(struct expression *x, struct pl_recording *r, char text[EXPRESSION_WHY_BYTES]);

/* Does it look at values? */
bool expression_wants_values(const struct expression *x);
/* Events of this process come next. */
void expression_process(struct expression *x, const struct pl_process *p);
bool expression_may_thread(struct expression *x, const struct pl_thread *t);
/* The kinds of events that must be given, and whether one like this must. */
uint32_t expression_kinds(struct expression *x);
bool expression_may(struct expression *x, const struct pl_count *row);
/* The kinds of events that must be given next in this thread, after the last one; 0: those of
 * expression_kinds. */
uint32_t expression_kinds_now(struct expression *x, uint32_t thread);
/* 0: it is wanted; PL_END: it is not; PL_ERR_MEMORY. */
int expression_event(struct expression *x, const struct pl_event *e);

#endif
