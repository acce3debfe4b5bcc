/* What a reader is asked to show: which processes, threads, events, from where to where.
 *
 *	--process 2,4711      what a word names: expr/named.h
 *	--thread 0,worker
 *	--task 3,Task-2       a name that it had at any time
 *	--events call,raise   words of PL_EVENT_KINDS
 *	--from --to           moments (session/when.h); both inclusive
 */
#ifndef PL_CMD_SELECT_H
#define PL_CMD_SELECT_H

#include "base/map.h"
#include "expr/known_names.h"
#include "os/local.h"
#include "session/when.h"

/* The rows of their options, of which there are more than one command's: `more` is said beside. */
#define SELECT_PROCESS(selection)                                                                  \
	{                                                                                          \
		"process", 'p', "LIST",                                                            \
			"by number, pid, or a part of the command line; 1,3 for two",              \
			.text = &(selection).process                                               \
	}
#define SELECT_THREAD(selection, more)                                                             \
	{                                                                                          \
		"thread", 't', "LIST", "by number, native id, or name, as 0,worker" more,          \
			.text = &(selection).thread                                                \
	}
#define SELECT_TASK(selection)                                                                     \
	{                                                                                          \
		"task", 0, "LIST", "by number or name, as 3,job: of asyncio, trio, or a greenlet", \
			.text = &(selection).task                                                  \
	}
/* For who points to dump for the forms of a time. */
#define SELECT_FROM(selection)                                                                     \
	{                                                                                          \
		"from", 0, "WHEN", "as in dump: 10:52:01.5, +1.5, 42% or #4711 (seq)",             \
			.text = &(selection).from_text                                             \
	}
#define SELECT_TO(selection)                                                                       \
	{                                                                                          \
		"to", 0, "WHEN", "the same; both ends belong to it", .text = &(selection).to_text  \
	}

/* All zero selects everything, after a call of select_read. */
struct selection {
	const char *command; /* in: which one asks, for its messages */
	bool times_only;     /* in: a seq is refused */
	/* in: as given, NULL if not; point into argv */
	const char *process, *thread, *task, *events, *from_text, *to_text;
	/* out */
	uint32_t kinds; /* bit per enum pl_event_kind */
	struct when from, to;
	/* see select_find_tasks */
	struct pl_map tasks; /* owned: of those that had one of the names */
	uint64_t task_words; /* a bit for each of the first 64 words of --task that names one */
	struct known_names task_names; /* owned: those that there are */
};

/* Interpret the words, and check that each names something in r. CMD_GO, or CMD_USAGE after an
 * explanation. */
int select_read(struct selection *s, const struct pl_recording *r);

bool select_process(
	const struct selection *s, const struct pl_recording *r, const struct pl_process *p);
bool select_thread(
	const struct selection *s, const struct pl_recording *r, const struct pl_thread *t);

/* A task's name can change: find the tasks that had one of the names of --task at any time, so that
 * select_task gives all of their events. CMD_GO; CMD_USAGE or CMD_BAD after an explanation. */
int select_find_tasks(struct selection *s, struct pl_recording *r);
bool select_task(const struct selection *s, const struct pl_event *e);
/* Release what was found. */
void select_release(struct selection *s);

/* "2026-11-21 10:52:01.500 to 10:52:04.250", with a second date if it is another day: the times of
 * the recording, to be said where nothing was selected. */
#define SELECT_RANGE_BYTES (4 * LOCAL_BYTES + 8)
void select_range(const struct pl_recording_info *info, char text[SELECT_RANGE_BYTES]);

static inline bool when_before(const struct when *w, const struct pl_event *e)
{
	return w->kind == WHEN_TIME ? e->time_ns < w->time_ns
				    : w->kind == WHEN_SEQ && e->seq < w->seq;
}

static inline bool when_after(const struct when *w, const struct pl_event *e)
{
	return w->kind == WHEN_TIME ? e->time_ns > w->time_ns
				    : w->kind == WHEN_SEQ && e->seq > w->seq;
}

/* The next word of a list (not NUL-terminated) and its length; false at the end. Several commas in
 * a row count as one. */
bool list_next(const char **list, const char **word, size_t *length);

#endif
