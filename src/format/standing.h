/* Standings: what the commonest events do to a stack, looked up.
 *
 * How many lines go before an event, and where its frame stands behind it, depends on where the frame stands and on what the
 * event says, and on nothing else (follow.h). So all that an answer can depend on, a *standing*, gets a number; a *move* leads
 * from a number by an event to another one, and says how many rows had no event:
 *
 *	from  it is                 event               then  callee   rows without an event
 *	  7   fib, behind LINE 2    ENTER at 12, fib      8      1     1 line
 *	  1   fib, entered          LINE 0                2      -     0
 *	  2   fib, behind LINE 0    POPS                  -      -     1 line, 1 return
 *
 * As long as such events come, the frames that they move are numbers, and an event is one look-up. A move is learnt from the
 * questions of follow.h, tried out on a frame by itself. Numbers of codes must not be given again while a table is in use.
 *
 * For who counts only: what contradicts the path is no error here, but has no rows, as with follow_apply.
 */
#ifndef PL_FORMAT_STANDING_H
#define PL_FORMAT_STANDING_H

#include "base/map.h"
#include "format/follow.h"
#include "format/mentions.h"

#define STANDINGS_MAX	 65536u /* with their moves: 6 MiB; then all is learnt anew */
#define STANDINGS_RECENT 1024

struct stretch;

struct standing_move {
	uint64_t asked; /* number and events; 0: no move */
	uint32_t then, callee;
	struct standing_untold {
		uint32_t lines;
		uint16_t returns, yields;
	} untold;
	uint32_t mark;	 /* of an entry: since then the callee's code is among the mentions */
	uint32_t passes; /* how often it was made since standings_take */
};

/* All zero is valid. */
struct standings {
	struct stack_frame *
		frames; /* owned; by number, of which 0 is none; gen: 1 or 0, is it a generator's */
	uint32_t count, room;
	struct pl_map numbers; /* hash of a frame -> number */
	struct {
		uint64_t place, from; /* as the frame's bytes are */
		uint32_t number;
	} recent[STANDINGS_RECENT];
	struct standing_move *moves; /* owned; open addressing, at most three quarters full */
	uint32_t move_count, move_room;
	struct stretch *stretches; /* owned; NULL before the first run; 0 is none */
	uint16_t *
		stretch_places; /* by hash of what is asked: the stretch for it; lies behind those */
	uint32_t stretch_count; /* so many are in use, from 1 on */
	uint32_t stretch_last;	/* the one that was taken last for a place that had none */
	int32_t credit;
	uint32_t *stack; /* owned; numbers, at the places of their frames */
	uint32_t stack_room;
	struct mentions *mentions; /* borrowed, or NULL */
	uint32_t mark;
};

struct standing_counts {
	/* events, which are fewer than bytes */
	uint32_t lines, enters, leaves, agains, suspends, resumes;
	uint64_t ticks; /* of TIMEs */
	struct follow_rows untold;
};

/* Eats and applies the events at the front that are of the commonest forms (event_read_common), as follow_apply would; stops at
 * another one, and at one that does not fit the stack, or wants more memory. `at`: where among the block's events they begin.
 * Adds to *out. */
void standings_run(struct standings *m, struct stack *s, struct pl_view *v, size_t at,
	const struct follow_codes *codes, struct standing_counts *out);
/* From here on codes that are entered, and where TIMEs stand, are added to the mentions: borrowed until the next call; NULL: to
 * none. Where the table is
 * full it is emptied here, and nowhere else: until then what is not in it goes the long way. */
void standings_begin_block(struct standings *m, struct mentions *mentions);
/* What events came, of frames of which code, since the last call: for each move that was made. */
void standings_take(struct standings *m,
	void (*add)(void *context, uint32_t code, enum event_kind kind, uint64_t count),
	void *context);
void standings_release(struct standings *m);

#endif
