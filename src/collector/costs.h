/* Costs: what was recorded of which code, for `record --stat`.
 *
 * The collector reads every event anyway; with --stat it also counts them, by body and kind of row,
 * and writes the sums as a COSTS record. Counting here costs the program nothing, because it is not
 * on the hot path. What --limit drops was counted before, so the sums are those of the whole run.
 * Only recorded events count: a line that follows from the path costs nothing.
 */
#ifndef PL_COLLECTOR_COSTS_H
#define PL_COLLECTOR_COSTS_H

#include "collector/bodies.h"
#include "format/event.h"
#include "format/stack.h"
#include "pathline/event.h"

#define COSTS_RECENT 256

struct costs {
	bool on;
	uint64_t (*rows)[PL_EVENT_KIND_COUNT]; /* owned; by body + 1, 0: not known */
	uint32_t room;
	struct {
		uint32_t code, row;
	} recent[COSTS_RECENT]; /* by a code's last bits */
};

/* The event is about to be applied to the stack. */
void costs_count(
	struct costs *c, const struct bodies *b, const struct stack *s, const struct event *e);
void costs_add(struct costs *c, const struct bodies *b, uint32_t code, enum event_kind kind,
	uint64_t count);
/* Append the sums so far to meta; a later record replaces this one. */
void costs_write(const struct costs *c, struct store *out);
void costs_release(struct costs *c);

#endif
