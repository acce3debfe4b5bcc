/* What an event must know of the call that it belongs to: the arguments, and since when it runs.
 *
 *	call book(qty=11)          frames keep the arguments and the time
 *	raise SoldOut('anvil')     and the exception
 *	unwind                     subject: qty=11, SoldOut('anvil'), duration
 *
 * The events of one thread are put in, in their order. Those of code that is not of interest can be
 * left out, if all of them are; gaps must not be. What is not known is absent from the subject:
 * after a gap, and of frames that were there before the first event.
 *
 * A generator keeps its arguments while it is suspended; of those that are not resumed for long,
 * only so many are kept.
 */
#ifndef PL_EXPR_FRAMES_H
#define PL_EXPR_FRAMES_H

#include "base/map.h"
#include "expr/expr.h"

#define FRAMES_DEPTH_MAX  (1u << 20)
#define FRAMES_ASLEEP_MAX 65536u /* generators */

struct frame_entry;

/* All zero is valid. */
struct frames {
	struct frame_entry *at; /* owned; by depth */
	size_t room;
	size_t open;	      /* of these, how many are of a frame that runs */
	struct pl_map asleep; /* owned: generator -> its frame_entry, owned */
};

/* Kinds of events that must be put in. */
uint32_t frames_kinds(void);

/* The subject of an event with its values; it is valid until the next event is put in, and lacks
 * the thread. 0; PL_ERR_MEMORY. */
int frames_put(struct frames *f, const struct pl_event *e, struct expr_subject *s);
/* Nothing of the frame is of interest that begins with this event, which was put in last. */
void frames_drop(struct frames *f, const struct pl_event *e);
void frames_release(struct frames *f);

#endif
