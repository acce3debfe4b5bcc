/* A replay: one position in a recording, and what moves it.
 *
 *	struct replay p = {.r = r, .stop = &interrupted};
 *	replay_start(&p, &err);                        the first line of the main thread
 *	replay_step(&p, STEP_NEXT, false, &err);       p.at: where it is now
 *
 * Each move returns 0 and changes `at`; or PL_END with `at` unchanged, if there is nothing in that
 * direction, or `stop` became other than 0; or an error. The position before a move is added to the
 * history, also if the move ends at the same place.
 */
#ifndef PL_SESSION_REPLAY_H
#define PL_SESSION_REPLAY_H

#include "expr/pattern.h"
#include "session/seen.h"
#include "session/step.h"
#include "session/stops.h"
#include "session/tasks.h"

#define REPLAY_HISTORY 256
#define REPLAY_MARKS   26

/* A moment of all threads: at this event of one of them. If it `stands` there, after its last
 * event, the moment is the end of its process. */
struct moment {
	struct pl_event at;
	bool stands;
};

struct replay {
	/* in */
	struct pl_recording *r;		   /* not owned */
	const volatile sig_atomic_t *stop; /* not owned; the same at every call */
	/* continue and search stay in this thread; if false, they go through all threads of the
	 * process, in order */
	bool only_here;
	/* the next move does not get its own place in the history: it replaces the last one */
	bool joins;
	struct stops stops;
	/* Called now and then with the seq that a search has reached in a thread; NULL: not
	 * called. */
	void (*progress)(void *context, uint32_t thread, uint64_t seq);
	void *context;
	/* out */
	struct pl_event at; /* its task is `task`, or NULL */
	struct task_name task;
	/* its own */
	struct path path; /* of at's thread */
	struct seen seen; /* after the event seen_seq of seen_at's thread, if seen_known */
	struct pl_position seen_at;
	uint64_t seen_seq;
	bool seen_known;
	/* from which one went to the event moment_seq of moment_of's thread, if has_moment */
	struct moment moment;
	struct pl_position moment_of;
	uint64_t moment_seq;
	bool has_moment;
	int64_t end_ns;	  /* of the thread of end_of; end_known: and of what was read since */
	uint64_t end_seq; /* its last event then */
	struct pl_position end_of;
	bool end_known;
	/* owned: for each thread of near_process, where it was when a search asked last */
	uint64_t *near;
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

/* Go to the first line of the first process that has events. PL_END: none has; or an error. */
int replay_start(struct replay *p, struct pl_err *err);
void replay_release(struct replay *p);

/* The recording was refreshed. */
void replay_grown(struct replay *p);

int replay_step(struct replay *p, enum step step, bool back, struct pl_err *err);
/* As STEP_NEXT, until a line of this frame is reached that is at or after `line`, or the frame has
 * ended. */
int replay_until(struct replay *p, int32_t line, struct pl_err *err);
/* To the next or previous stop; those for once that are there are removed. */
int replay_continue(struct replay *p, bool back, struct pl_err *err);
/* To the next or previous call whose function, or raise whose type, has it. */
int replay_search(struct replay *p, const struct pattern *pattern, bool back, struct pl_err *err);
/* To where another task or thread continues, or this task after it was suspended: its first line,
 * or the first event of its run; back: to where this one began to run, or the one before it. */
int replay_switch(struct replay *p, bool back, struct pl_err *err);
/* To where this task of the thread, or one with this name, next continues, or, unless it is the
 * position's own, did so last. */
int replay_task(struct replay *p, const struct task_name *task, struct pl_err *err);
/* See tasks_number; in the position's thread. */
int replay_task_number(struct replay *p, const char *name, uint64_t *number, struct pl_err *err);
/* The tasks of the thread, in the order in which they began: fills at most max, and sets *count. 0
 * or an error. */
int replay_tasks(
	struct replay *p, struct task_name *names, size_t max, size_t *count, struct pl_err *err);
/* Does any thread of any process have a wanted event? Its `process` and `thread` are not looked at,
 * and `is` must be NULL. 0: there is one; PL_END, an error. */
int replay_ever(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err);
/* The same; `is` is given events with their values. */
int replay_ever_valued(struct replay *p, const struct pl_wanted *wanted, struct pl_err *err);
/* In another thread of this process: the seq of the first event that is not before the position;
 * UINT64_MAX: all are. 0 or an error. */
int replay_seq_in(struct replay *p, struct path *path, uint64_t *seq, struct pl_err *err);
/* The line that STEP_LINE would go to. */
int replay_peek(struct replay *p, bool back, struct pl_event *line, struct pl_err *err);
/* The moment of the position: that of the place from which one went to other threads, if
 * replay_keep_moment was called where they were reached. */
struct moment replay_moment(struct replay *p);
void replay_keep_moment(struct replay *p, const struct moment *m);
/* To the last event of a thread of the moment's process that is before the moment, by their order;
 * to the first one if none is, and to the end of its path if none follows. At the moment's own
 * thread: to its event. */
enum replay_there { REPLAY_RUNS, REPLAY_BEGINS_LATER, REPLAY_IS_OVER };
int replay_thread(struct replay *p, const struct moment *m, uint32_t thread,
	enum replay_there *there, struct pl_err *err);
/* To the event nearest to this time, in this thread. */
int replay_time(struct replay *p, int64_t time_ns, struct pl_err *err);
/* To the first event of a thread at or after seq, or its last one. */
int replay_seq(
	struct replay *p, uint32_t process, uint32_t thread, uint64_t seq, struct pl_err *err);
/* Back and forward through earlier positions. */
int replay_visited(struct replay *p, bool back, struct pl_err *err);
/* letter: a to z. */
void replay_mark(struct replay *p, char letter);
int replay_to_mark(struct replay *p, char letter, struct pl_err *err);
/* Where the thread was seen after this position, which is its last event. NULL: it is not the last
 * one, or it was not seen later. Valid until the position changes. */
const struct seen *replay_seen(struct replay *p);
/* Where the thread is: in the line of `at`, or, after its last event, where it was seen. code NULL:
 * in no frame. */
struct replay_place {
	const struct pl_code *code;
	int32_t line;
};
struct replay_place replay_place(struct replay *p);
/* Is this the last event of a thread that stood in a frame when its process was killed, or that
 * still runs? Then it was there until the end of its process. */
bool replay_stands(struct replay *p);
/* When the position's thread ended; if it still runs, until when something is known of it. */
int64_t replay_end(struct replay *p);
/* The stack here, the bottom frame first: returns its depth, fills at most max; 0 after an error.
 * The task of a frame is NULL, except that of the root of `task`. The innermost frame is that of
 * replay_place: those above it have ended. If the thread was seen in none of the frames, its
 * callers are not known, and there is one frame. */
size_t replay_stack(struct replay *p, struct pl_frame *frames, size_t max);

#endif
