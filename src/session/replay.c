#include "session/replay.h"

#include <string.h>

/* ---- positions ---- */

static void remember(struct replay *p)
{
	if (p->visited && p->current + 1 < p->visited)
		p->visited = p->current + 1;
	if (p->visited == REPLAY_HISTORY) {
		memmove(p->places, p->places + 1, (REPLAY_HISTORY - 1) * sizeof *p->places);
		memmove(p->seqs, p->seqs + 1, (REPLAY_HISTORY - 1) * sizeof *p->seqs);
		p->visited--;
	}
	p->current = p->visited++;
	p->places[p->current] = p->at.position;
	p->seqs[p->current] = p->at.seq;
}

static void arrive(struct replay *p, const struct pl_event *e)
{
	p->at = *e;
	remember(p);
}

static void follow(struct replay *p, uint32_t process, uint32_t thread)
{
	if (p->path.process == process && p->path.thread == thread)
		return;
	path_reset(&p->path);
	p->path.process = process;
	p->path.thread = thread;
}

/* At or behind it, else the last one. */
static int find(struct replay *p, uint32_t process, uint32_t thread, uint64_t seq,
	struct pl_event *to, struct pl_err *err)
{
	const struct pl_event *e;

	follow(p, process, thread);
	int code = path_from(&p->path, seq, &e, err);
	if (code == PL_END)
		code = path_before(&p->path, seq, &e, err);
	if (code == 0)
		*to = *e;
	else
		follow(p, p->at.position.process, p->at.position.thread);
	return code;
}

int replay_seq(
	struct replay *p, uint32_t process, uint32_t thread, uint64_t seq, struct pl_err *err)
{
	struct pl_event to;
	int code = find(p, process, thread, seq, &to, err);

	if (code == 0)
		arrive(p, &to);
	return code;
}

int replay_start(struct replay *p, struct pl_err *err)
{
	p->path.r = p->r;
	for (uint32_t i = 0; i < pl_recording_process_count(p->r); i++) {
		const struct pl_process *process = pl_recording_process(p->r, i);
		int code = find(p, process->number, 0, 0, &p->at, err);
		if (code == PL_END)
			continue;
		struct pl_event line;
		if (code == 0 && p->at.kind != PL_EVENT_LINE &&
			step_forward(&p->path, &p->at, STEP_LINE, p->stop, &line, err) == 0)
			p->at = line;
		if (code == 0)
			remember(p);
		return code;
	}
	return PL_END;
}

void replay_release(struct replay *p)
{
	path_release(&p->path);
}

int replay_visited(struct replay *p, bool back, struct pl_err *err)
{
	if (back ? !p->current : p->current + 1 >= p->visited)
		return PL_END;
	size_t index = back ? p->current - 1 : p->current + 1;
	const struct pl_position *place = &p->places[index];
	int code = find(p, place->process, place->thread, p->seqs[index], &p->at, err);
	if (code == 0)
		p->current = index;
	return code;
}

void replay_mark(struct replay *p, char letter)
{
	size_t i = (size_t)(letter - 'a');

	if (i < REPLAY_MARKS) {
		p->marks[i].set = true;
		p->marks[i].position = p->at.position;
		p->marks[i].seq = p->at.seq;
	}
}

int replay_to_mark(struct replay *p, char letter, struct pl_err *err)
{
	size_t i = (size_t)(letter - 'a');

	if (i >= REPLAY_MARKS || !p->marks[i].set)
		return PL_END;
	return replay_seq(
		p, p->marks[i].position.process, p->marks[i].position.thread, p->marks[i].seq, err);
}

int replay_step(struct replay *p, enum step step, bool back, struct pl_err *err)
{
	struct pl_event to;
	int code = (back ? step_back : step_forward)(&p->path, &p->at, step, p->stop, &to, err);

	if (code == 0)
		arrive(p, &to);
	return code;
}

/* ---- time ---- */

static bool before_time(const struct pl_event *e, const void *key)
{
	return e->time_ns < *(const int64_t *)key;
}

/* Times of a damaged recording can be anything. */
static uint64_t apart(int64_t earlier, int64_t later)
{
	return (uint64_t)later - (uint64_t)earlier;
}

int replay_time(struct replay *p, int64_t time_ns, struct pl_err *err)
{
	const struct pl_event *e;
	struct pl_event after;
	int code = path_search(&p->path, before_time, &time_ns, &e, err);

	if (code < 0)
		return code;
	bool behind = code == 0;
	if (behind)
		after = *e;
	code = path_before(&p->path, behind ? after.seq : UINT64_MAX, &e, err);
	if (code < 0)
		return code;
	if (code == 0 && (!behind || apart(e->time_ns, time_ns) < apart(time_ns, after.time_ns)))
		arrive(p, e);
	else if (behind)
		arrive(p, &after);
	else
		return PL_END;
	return 0;
}

/* ---- looking for events ---- */

/* The order of a process is that of (order, thread, seq). */
struct place {
	uint64_t order;
	uint32_t thread, of; /* `of`: the thread that is searched */
};

static bool is_before(uint64_t order, uint32_t thread, const struct place *place)
{
	return order < place->order || (order == place->order && thread < place->thread);
}

static bool before_place(const struct pl_event *e, const void *key)
{
	const struct place *place = key;

	return is_before(e->order, place->of, place);
}

struct search {
	/* in */
	bool back;
	int (*match)(
		void *context, struct path *path, const struct pl_event *e, struct pl_err *err);
	void *context;
	/* out */
	bool found;
	struct pl_event best;
};

static bool is_beyond(const struct search *s, const struct pl_event *e)
{
	const struct place best = {.order = s->best.order, .thread = s->best.position.thread};
	bool first = is_before(e->order, e->position.thread, &best);

	return s->found && first == s->back;
}

/* One thread, from seq on (forward: at or behind it; back: in front of it). */
static int search_path(
	struct replay *p, struct search *s, struct path *path, uint64_t seq, struct pl_err *err)
{
	const struct pl_event *e;

	while (!*p->stop) {
		int code =
			s->back ? path_before(path, seq, &e, err) : path_from(path, seq, &e, err);
		if (code || is_beyond(s, e))
			return code < 0 ? code : 0;
		struct pl_event at = *e;
		code = s->match(s->context, path, &at, err);
		if (code <= 0) {
			s->best = at;
			s->found = code == 0;
			return code;
		}
		seq = s->back ? at.seq : at.seq + 1;
	}
	return 0;
}

static int search_other(struct replay *p, struct search *s, uint32_t thread, struct pl_err *err)
{
	const struct pl_position *here = &p->at.position;
	struct path other = {.r = p->r, .process = here->process, .thread = thread};
	const struct place place = {.order = p->at.order, .thread = here->thread, .of = thread};
	const struct pl_event *e;
	int code = path_search(&other, before_place, &place, &e, err);

	if (code >= 0)
		code = search_path(p, s, &other, code == PL_END ? UINT64_MAX : e->seq, err);
	path_release(&other);
	return code;
}

static int search(struct replay *p, struct search *s, struct pl_err *err)
{
	const struct pl_process *process = pl_recording_find_process(p->r, p->at.position.process);
	uint32_t here = p->at.position.thread;
	int code = search_path(p, s, &p->path, s->back ? p->at.seq : p->at.seq + 1, err);

	for (uint32_t n = 0; p->all && process && n < process->thread_count && code == 0; n++)
		if (n != here)
			code = search_other(p, s, n, err);
	if (code < 0)
		return code;
	if (!s->found || *p->stop)
		return PL_END;
	follow(p, s->best.position.process, s->best.position.thread);
	arrive(p, &s->best);
	return 0;
}

static int match_stops(
	void *context, struct path *path, const struct pl_event *e, struct pl_err *err)
{
	return stops_match(context, path, e, err);
}

int replay_continue(struct replay *p, bool back, struct pl_err *err)
{
	struct search s = {.back = back, .match = match_stops, .context = &p->stops};

	return search(p, &s, err);
}

static int match_regex(
	void *context, struct path *path, const struct pl_event *e, struct pl_err *err)
{
	const char *text = e->kind == PL_EVENT_RAISE		 ? e->type
			   : e->kind == PL_EVENT_CALL && e->code ? pl_code_name(e->code)
								 : NULL;

	(void)path;
	(void)err;
	return text && regexec(context, text, 0, NULL, 0) == 0 ? 0 : PL_END;
}

int replay_search(struct replay *p, const regex_t *regex, bool back, struct pl_err *err)
{
	struct search s = {.back = back, .match = match_regex, .context = (void *)regex};

	return search(p, &s, err);
}

/* ---- switches ---- */

static int match_run(void *context, struct path *path, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event *here = context;

	(void)path;
	(void)err;
	return e->order != here->order || e->position.thread != here->position.thread ? 0 : PL_END;
}

static bool before_order(const struct pl_event *e, const void *key)
{
	return e->order < *(const uint64_t *)key;
}

/* Back is to the first event of the run that the last event before this one belongs to. */
int replay_switch(struct replay *p, bool back, struct pl_err *err)
{
	struct pl_event here = p->at;
	const struct pl_event *e;
	struct search s = {.back = back, .match = match_run, .context = &here};
	bool all = p->all;
	int code;

	p->all = true;
	if (!back) {
		code = search(p, &s, err);
	} else {
		code = path_search(&p->path, before_order, &here.order, &e, err);
		if (code == 0 && e->seq < here.seq) {
			arrive(p, e);
		} else if (code == 0) {
			code = search(p, &s, err);
			if (code == 0 &&
				path_search(&p->path, before_order, &p->at.order, &e, err) == 0) {
				p->at = *e;
				p->places[p->current] = e->position;
				p->seqs[p->current] = e->seq;
			}
		}
	}
	p->all = all;
	return code;
}

/* ---- the stack ---- */

size_t replay_stack(struct replay *p, struct pl_frame *frames, size_t max)
{
	struct pl_cursor *c;
	struct pl_event e;
	size_t depth = 0;

	if (pl_cursor_new(&c, p->r, p->at.position.process, p->at.position.thread, NULL))
		return 0;
	int code = pl_cursor_seek_seq(c, p->at.seq, NULL);
	while (code == 0 && (code = pl_cursor_next(c, &e, NULL)) == 0 && e.seq < p->at.seq)
		;
	if (code == 0)
		depth = pl_cursor_stack(c, frames, max);
	for (size_t i = 0; i < depth && i < max; i++)
		frames[i].task = NULL;
	pl_cursor_free(c);
	return depth;
}
