/* What is said beside the answer of a command. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "session/answer.h"
#include "session/operations.h"
#include "session/words.h"

#define NOTED_THREADS 4

/* How far the nearest event is from the requested time. */
static void note_distance(struct session *s)
{
	const int64_t off_ns = s->outcome.off_ns;
	char text[UNITS_BYTES];

	units_duration(text, off_ns < 0 && off_ns > INT64_MIN ? -off_ns : off_ns);
	snprintf(s->note, sizeof s->note, "the nearest event is %s %s", text,
		off_ns < 0 ? "earlier" : "later");
}

/* "MainThread was seen last in line 7 of inner, waiting for 3.9 s; w0: line 13 of worker, …". */
static void note_thread(struct session *s, uint32_t thread, const struct seen *seen)
{
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, s->replay.at.position.process, thread);
	const size_t used = strlen(s->note);
	char text[SEEN_BYTES];

	seen_text(seen, text);
	snprintf(s->note + used, sizeof s->note - used, "%s%.40s%s%s", used ? "; " : "",
		t && t->name[0] ? t->name : "a thread", s->seen_noted ? ": " : " was seen last in ",
		text);
	s->seen_noted = true;
}

void session_note_here(struct session *s)
{
	const struct seen *seen = s->seen_noted ? NULL : replay_seen(&s->replay);

	if (seen)
		note_thread(s, s->replay.at.position.thread, seen);
}

/* For the first few threads only: a note is one line. */
void session_note_seen(struct session *s)
{
	const uint32_t here = s->replay.at.position.thread;
	uint32_t count, noted = 0, left_out = 0;
	struct seen *rows = session_seen_threads(s, false, &count);

	for (uint32_t i = 0; rows && i < count; i++) { /* the position's thread first */
		const uint32_t n = (here + i) % count;
		if (rows[n].code && noted++ < NOTED_THREADS)
			note_thread(s, n, &rows[n]);
	}
	left_out = noted > NOTED_THREADS ? noted - NOTED_THREADS : 0;
	if (left_out)
		snprintf(s->note + strlen(s->note), sizeof s->note - strlen(s->note),
			"; and %" PRIu32 " more thread%s", left_out, left_out == 1 ? "" : "s");
	free(rows);
}

/* "thread 2 pricing_1, task 3 worker"; within one thread "task 3 worker" is enough. */
#define RUNNER_BYTES 240
static void runner_text(const struct session *s, const struct runner *one,
	const struct runner *other, char text[RUNNER_BYTES])
{
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, one->at.process, one->at.thread);
	const bool same = one->at.thread == other->at.thread;
	char name[TASK_TEXT_BYTES], others[TASK_TEXT_BYTES], thread[80];

	tasks_text(&one->task, name);
	tasks_text(&other->task, others);
	snprintf(thread, sizeof thread, "thread %" PRIu32 "%s%.60s", one->at.thread,
		t && t->name[0] ? " " : "", t ? t->name : "");
	if (name[0])
		snprintf(text, RUNNER_BYTES, "%s%stask %.140s", same ? "" : thread,
			same ? "" : ", ", name);
	else
		snprintf(text, RUNNER_BYTES, "%s%s", thread,
			same && others[0] ? " outside of tasks" : "");
}

/* Who runs here, and who ran where one came from. */
static void note_runners(struct session *s)
{
	const struct runner here = {s->replay.at.position, s->replay.task};
	char left[RUNNER_BYTES], now[RUNNER_BYTES];

	runner_text(s, &here, &s->outcome.from, now);
	runner_text(s, &s->outcome.from, &here, left);
	if (strcmp(now, left))
		snprintf(s->note, sizeof s->note, "%s runs here; you came from %s", now, left);
	else
		snprintf(s->note, sizeof s->note, "%s runs here", now);
}

/* Of the thread that one went to, which did not run at that moment. */
static void note_there(struct session *s)
{
	const struct pl_position *at = &s->replay.at.position;
	const struct pl_thread *t = pl_recording_thread(s->replay.r, at->process, at->thread);

	snprintf(s->note, sizeof s->note,
		s->outcome.note == NOTE_BEGINS_LATER
			? "%.80s had not begun; this is its first event"
			: "this is the last event of %.80s",
		t && t->name[0] ? t->name : "the thread");
}

static void note_last_part(struct session *s)
{
	char text[TASK_TEXT_BYTES];

	tasks_text(&s->replay.task, text);
	snprintf(s->note, sizeof s->note,
		"task %s runs no later line; this is its last part with a line", text);
}

void answer_note(struct session *s)
{
	switch (s->outcome.note) {
	case NOTE_NONE:
		break;
	case NOTE_OFF:
		note_distance(s);
		break;
	case NOTE_OTHER_SEQ:
		snprintf(s->note, sizeof s->note,
			"there is no event #%" PRIu64 "; this is #%" PRIu64, s->outcome.seq,
			s->replay.at.seq);
		break;
	case NOTE_BEGINS_LATER:
	case NOTE_IS_OVER:
		note_there(s);
		break;
	case NOTE_LAST_PART:
		note_last_part(s);
		break;
	case NOTE_RUNS_HERE:
		note_runners(s);
		break;
	case NOTE_SEEN:
		note_thread(s, s->replay.at.position.thread, &s->outcome.seen);
		break;
	case NOTE_SEEN_ALL:
		session_note_seen(s);
		break;
	case NOTE_WRITTEN:
		answer_written(s);
		break;
	}
}
