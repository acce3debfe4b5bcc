/* What the files of a replay share, and nobody else: replay.c, search.c, parts.c, moment.c. */
#ifndef PL_SESSION_REPLAY_OWN_H
#define PL_SESSION_REPLAY_OWN_H

#include "session/replay.h"

/* The position changes, and becomes a place in the history. */
void replay_arrive(struct replay *p, const struct pl_event *e);
/* The window of events is of one thread: in another one it begins again. */
void replay_follow_thread(struct replay *p, uint32_t process, uint32_t thread);

/* The order of a process is that of (order, thread, seq): `order` is the number of the run, of one
 * thread without a switch, in which the event was. */
struct order_place {
	uint64_t order;
	uint32_t thread, of; /* `of`: the thread that is searched */
};

static inline bool order_place_is_before(
	uint64_t order, uint32_t thread, const struct order_place *place)
{
	return order < place->order || (order == place->order && thread < place->thread);
}

/* For a path_key, whose context is an order_place. */
bool order_place_before(const struct pl_event *e, const void *place);
/* Where the thread was when it was asked last; the next time that is near. NULL: no memory. */
uint64_t *replay_near(struct replay *p, uint32_t process, uint32_t thread);
/* In another thread of the same process: the first event that is not before `of`. 0 or an error. */
int replay_seq_from(struct replay *p, const struct pl_event *of, struct path *path, uint64_t *seq,
	struct pl_err *err);

#endif
