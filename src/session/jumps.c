/* Jumps to a time, or to the number of an event. */
#include "session/operations.h"
#include "session/when.h"

/* Percents are of the time of the position's thread. */
static struct when_scale scale_of(struct session *s, struct pl_recording_info *info)
{
	const struct pl_event *at = &s->replay.at;
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, at->position.process, at->position.thread);
	struct when_scale scale = {.info = info, .from_ns = at->time_ns, .back = true};

	pl_recording_info(s->replay.r, info);
	scale.start_ns = t ? t->start_ns : info->start_ns;
	scale.end_ns = t ? replay_end(&s->replay) : info->end_ns;
	if (t && scale.end_ns < scale.start_ns)
		scale.end_ns = scale.start_ns;
	return scale;
}

int session_percent(struct session *s)
{
	struct pl_recording_info info;
	const struct when_scale scale = scale_of(s, &info);
	const struct pl_position *at = &s->replay.at.position;
	const struct pl_thread *t = pl_recording_thread(s->replay.r, at->process, at->thread);
	const double whole = (double)scale.end_ns - (double)scale.start_ns;
	const double past = (double)scale.from_ns - (double)scale.start_ns;

	if (t && s->replay.at.seq + 1 >= t->first_seq + t->events)
		return 100; /* the thread can end later than its last event */
	return past <= 0 ? 0 : past >= whole ? 100 : (int)(100 * past / whole);
}

/* A seq ("#4711") is not a time. */
bool session_read_time(struct session *s, const char *text, int64_t *time_ns)
{
	struct pl_recording_info info;
	const struct when_scale scale = scale_of(s, &info);
	struct when when;

	if (!when_read(text, &scale, &when))
		return false;
	*time_ns = when.time_ns;
	return when.kind == WHEN_TIME;
}

static int go_to_seq(struct session *s, uint64_t seq, struct pl_err *err)
{
	const struct pl_position here = s->replay.at.position;

	session_begin(s);
	return session_moved(
		s, replay_seq(&s->replay, here.process, here.thread, seq, err), REFUSAL_NO_EVENTS);
}

int session_to_seq(struct session *s, uint64_t seq, struct pl_err *err)
{
	int code = go_to_seq(s, seq, err);

	if (code == 0 && s->replay.at.seq != seq) {
		s->outcome.note = NOTE_OTHER_SEQ;
		s->outcome.seq = seq;
	}
	return code;
}

int session_to_start(struct session *s, struct pl_err *err)
{
	return go_to_seq(s, 0, err);
}

/* The end of this thread's path, and where all threads were seen last. */
int session_to_end(struct session *s, struct pl_err *err)
{
	int code = go_to_seq(s, INT64_MAX, err);

	if (code == 0)
		s->outcome.note = NOTE_SEEN_ALL;
	return code;
}

int session_to_time(struct session *s, int64_t time_ns, struct pl_err *err)
{
	int64_t off_ns;

	session_begin(s);
	int code = session_moved(s, replay_time(&s->replay, time_ns, err), REFUSAL_NO_EVENTS);
	if (code == 0 && !__builtin_sub_overflow(s->replay.at.time_ns, time_ns, &off_ns) &&
		off_ns) {
		s->outcome.note = NOTE_OFF;
		s->outcome.off_ns = off_ns;
	}
	return code;
}
