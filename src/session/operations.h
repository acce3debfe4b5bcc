/* What a replay can do, as typed operations: the words of --plain and the keys of the screen
 * (words.h) are a parser above them, and so is whatever else drives a session.
 *
 * Each returns 0: it is done; PL_END: it is refused, and the position has not changed; or an error
 * that no other operation can repair. s->outcome then has the code and the data. An operation that
 * moves selects the innermost frame again.
 *
 *	session_step(&s, STEP_NEXT, false, &err);      0: s.replay.at is the next line
 *	                                               PL_END: s.outcome.refusal says why it is not
 */
#ifndef PL_SESSION_OPERATIONS_H
#define PL_SESSION_OPERATIONS_H

#include "session/session.h"

/* ---- moves (moves.c) ---- */

/* To the next or previous line: into calls, over them, or out of the frame. */
int session_step(struct session *s, enum step step, bool back, struct pl_err *err);
/* To a line of this frame at or after `line`, or behind the frame. */
int session_until(struct session *s, int32_t line, struct pl_err *err);
/* To the next or previous stop. */
int session_continue(struct session *s, bool back, struct pl_err *err);
/* To a call or raise whose name matches this extended regular expression. */
int session_search(struct session *s, const char *pattern, bool back, struct pl_err *err);
/* The same once more, along its direction, or against it. */
int session_search_again(struct session *s, bool against, struct pl_err *err);
/* To where another task or thread runs, or this task is resumed. */
int session_switch(struct session *s, bool back, struct pl_err *err);
/* Along the places that were visited. */
int session_visited(struct session *s, bool back, struct pl_err *err);
/* letter: a to z. */
int session_mark(struct session *s, char letter);
int session_to_mark(struct session *s, char letter, struct pl_err *err);
/* Stops and searches are of this thread only, or of all threads of the process. */
int session_scope(struct session *s, bool only_here);

/* ---- jumps (jumps.c) ---- */

/* To the event nearest to this seq, or time, in this thread. */
int session_to_seq(struct session *s, uint64_t seq, struct pl_err *err);
int session_to_time(struct session *s, int64_t time_ns, struct pl_err *err);
/* To the first or last event of this thread. */
int session_to_start(struct session *s, struct pl_err *err);
int session_to_end(struct session *s, struct pl_err *err);
/* A time as when.h reads it, from the position. false: it is none. */
bool session_read_time(struct session *s, const char *text, int64_t *time_ns);
/* The part of the thread's time that has passed at the position, in percent: as in `j 42%`; 100
 * at its last event. */
int session_percent(struct session *s);

/* ---- stops (wishes.c) ---- */

/* A stop that is asked for. */
struct wish {
	enum stop_kind kind;
	const char *name;
	int32_t line;
	uint64_t hits; /* 0: each */
	bool once;
	const struct pl_code *code; /* of STOP_WRITE */
	const char *condition;	    /* an expression (expr/expr.h) that must be true; NULL: none */
};

/* Set the stop, or remove it if the same one exists. Only what ran can be stopped at: what did not
 * is refused now, with what is near to it, and not after a search of the whole recording. All stops
 * are in s->replay.stops. */
int session_toggle_stop(struct session *s, const struct wish *w, struct pl_err *err);
int session_remove_stop(struct session *s, uint64_t number);
int session_remove_stops(struct session *s);

/* ---- frames and lines (look.c) ---- */

/* The frames of the position, the outermost first; free them. *depth can be more than the
 * FRAMES_MAX that are filled in. NULL: there is no memory. */
#define FRAMES_MAX 4096
struct pl_frame *session_frames(struct session *s, size_t *depth);
/* The code and line of the selected frame; code NULL: there is none. */
struct replay_place session_place(struct session *s);
/* Select the caller of the selected frame, or the one that it called; the position stays. */
int session_select_frame(struct session *s, bool caller, struct pl_err *err);
/* The text of a line in the file of the selected frame; 0: of its own line. */
int session_source(struct session *s, int32_t line);
/* How often a line of the file of the selected frame has run in this thread; 0: its own line. */
#define HITS_LINE_MAX (1 << 20)
int session_line_hits(struct session *s, int32_t line, struct pl_err *err);
/* The hits of the thread of the position, which hits_work continues to count. They belong to the
 * session; NULL: no memory. */
struct hits *session_hits(struct session *s);

/* ---- variables of the selected frame (variable_operations.c; selected_variables.h) ---- */

int session_list_variables(struct session *s, struct pl_err *err);
/* A value of what was captured: "order", "order.item", "order['item']", "rows[2]", "len(rows)". */
int session_print(struct session *s, const char *text, struct pl_err *err);
/* To the line of the frame that wrote the variable before, or that writes it next: where that line
 * begins. name "": the variable that was asked for last. */
int session_to_write(struct session *s, const char *name, bool back, struct pl_err *err);
/* Set a stop where the variable changes in frames of this function; the same again removes it. */
int session_watch(struct session *s, const char *name, struct pl_err *err);

/* ---- threads, processes, tasks (runners.c) ---- */

/* To where it is at this moment. */
int session_thread(struct session *s, uint32_t thread, struct pl_err *err);
int session_process(struct session *s, uint32_t process, struct pl_err *err);
/* To where the task with this number, or else with this name, runs next, or to its last part.
 * number 0: only by its name. */
int session_task(struct session *s, const struct task_name *task, struct pl_err *err);
/* Is it the task of the position? */
bool session_is_task(const struct session *s, const struct task_name *task);
/* All tasks of the thread, as replay_tasks. */
int session_tasks(
	struct session *s, struct task_name *names, size_t max, size_t *count, struct pl_err *err);
/* In a process that was killed, or still runs: where its threads, or only the position's one, were
 * seen last after their last event; one row a thread. code NULL: it has ended, was not seen, or was
 * not asked for. Free them; NULL: no memory, or nothing is known. */
struct seen *session_seen_threads(struct session *s, bool only_here, uint32_t *count);

/* ---- for the files of operations ---- */

/* Forget the outcome before. */
void session_begin(struct session *s);
/* Returns PL_END. */
int session_refused(struct session *s, enum refusal refusal);
/* Returns 0. */
int session_done(struct session *s, enum done done);
/* After a move with this code: PL_END is a refusal for this reason, or because the user stopped
 * it. */
int session_moved(struct session *s, int code, enum refusal refusal);

#endif
