/* A replay: one position in a recording, and what moves it.
 *
 *	struct replay p = {.r = r, .stop = &interrupted};
 *	replay_start(&p, &err);                        the first line of the main thread
 *	replay_step(&p, STEP_NEXT, false, &err);       p.at: where it is now
 *
 * Each move gives 0 and changes `at`; PL_END, and `at` is as it was: there is nothing to go to that way, or `stop` became other
 * than 0; or an error. Where it was before goes into the history, also of a move to where it is.
 */
#ifndef PL_SESSION_REPLAY_H
#define PL_SESSION_REPLAY_H

#include <regex.h>
#include "session/step.h"
#include "session/stops.h"
#include "session/tasks.h"

#define REPLAY_HISTORY 256
#define REPLAY_MARKS   26

struct replay {
	/* in */
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* not owned */
	bool only_here; /* continue and search stay in this thread; else they go through all of the process, in their order */
	bool joins; /* the next move does not get a place of its own in the history: it replaces the last one */
	struct stops stops;
	/* Told now and then how far a search has come in the thread that it searches; NULL: nobody wants to know. */
	void (*progress)(void *context, uint32_t thread, uint64_t seq);
	void *context;
	/* out */
	struct pl_event at; /* its task is `task`, or NULL */
	struct task_name task;
	/* its own */
	struct path path; /* of at's thread */
	uint64_t *
		near; /* owned: of each thread of near_process where it stood when a search asked last */
	uint32_t near_process, near_count;
	struct pl_position places[REPLAY_HISTORY];
	uint64_t seqs[REPLAY_HISTORY];
	size_t visited, current; /* of places; current: at's own */
	struct {
		bool set;
		struct pl_position position;
		uint64_t seq;
	} marks[REPLAY_MARKS];
};

int replay_start(struct replay *p, struct pl_err *err);
void replay_release(struct replay *p);

int replay_step(struct replay *p, enum step step, bool back, struct pl_err *err);
/* As STEP_NEXT, until a line of this frame is reached that is at or after `line`, or the frame has ended. */
int replay_until(struct replay *p, int32_t line, struct pl_err *err);
/* To the next or previous stop. */
int replay_continue(struct replay *p, bool back, struct pl_err *err);
/* To the next or previous call whose function, or raise whose type, has it. */
int replay_search(struct replay *p, const regex_t *regex, bool back, struct pl_err *err);
/* To where another task or thread goes on: its first line, or the first event of its run; back: to where this one began to run, or
 * the one before it. */
int replay_switch(struct replay *p, bool back, struct pl_err *err);
/* To where this task of the thread, or one with this name, goes on next, or did so last. */
int replay_task(struct replay *p, const struct task_name *task, struct pl_err *err);
/* The tasks of the thread, in the order in which they began: fills at most max, gives how many it filled. 0 or an error. */
int replay_tasks(
	struct replay *p, struct task_name *names, size_t max, size_t *count, struct pl_err *err);
/* Does some thread of some process ever come to what is wanted, of which `is` must be NULL? 0: it does; PL_END, an error. */
int replay_ever(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err);
/* Of another thread of this process: the seq of the first event that is not before the position; UINT64_MAX: all are. 0 or an error. */
int replay_seq_in(struct replay *p, struct path *path, uint64_t *seq, struct pl_err *err);
/* To the event nearest to this time, in this thread. */
int replay_time(struct replay *p, int64_t time_ns, struct pl_err *err);
/* To the first event at or behind seq of a thread, or its last one. */
int replay_seq(
	struct replay *p, uint32_t process, uint32_t thread, uint64_t seq, struct pl_err *err);
/* Back and forward through where it was. */
int replay_visited(struct replay *p, bool back, struct pl_err *err);
/* letter: a to z. */
void replay_mark(struct replay *p, char letter);
int replay_to_mark(struct replay *p, char letter, struct pl_err *err);
/* The stack here, the bottom frame first: gives its depth, fills at most max. 0 also after an error. The task of a frame is NULL, but of that which is the root of `task`. */
size_t replay_stack(struct replay *p, struct pl_frame *frames, size_t max);

#endif
