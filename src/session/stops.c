#include "session/stops.h"

#include <string.h>

bool stop_names(const char *whole, const char *part, char separator)
{
	size_t n = strlen(whole), m = strlen(part);

	return n >= m && !strcmp(whole + n - m, part) && (n == m || whole[n - m - 1] == separator);
}

struct stop *stops_add(struct stops *s, enum stop_kind kind, const char *name, int32_t line)
{
	if (s->count == STOPS_MAX || strlen(name) >= STOP_NAME_MAX)
		return NULL;
	struct stop *stop = &s->rows[s->count++];
	*stop = (struct stop){.number = ++s->last, .kind = kind, .line = line};
	memcpy(stop->name, name, strlen(name) + 1);
	return stop;
}

bool stops_clear(struct stops *s, uint32_t number)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].number == number) {
			memmove(&s->rows[i], &s->rows[i + 1], (s->count - i - 1) * sizeof *s->rows);
			s->count--;
			return true;
		}
	return false;
}

static bool is_line(const struct stop *s, const struct pl_event *e)
{
	return e->kind == PL_EVENT_LINE && e->line == s->line && e->code &&
	       stop_names(pl_code_file(e->code), s->name, '/');
}

/* Without a change to p: its events are being visited. */
static int find_hit(struct stop *s, const struct path *p, struct pl_err *err)
{
	struct path own = {.r = p->r, .process = p->process, .thread = p->thread};
	const struct pl_event *e;
	uint64_t seq = 0, left = s->hits;
	int code = 0;

	s->process = p->process;
	s->thread = p->thread;
	s->hit_seq = UINT64_MAX;
	while (left && (code = path_from(&own, seq, &e, err)) == 0) {
		seq = e->seq + 1;
		if (is_line(s, e) && !--left)
			s->hit_seq = e->seq;
	}
	s->known = code >= 0;
	path_release(&own);
	return code < 0 ? code : 0;
}

static int match_line(struct stop *s, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	int code = 0;

	if (!is_line(s, e))
		return PL_END;
	if (!s->hits)
		return 0;
	if (!s->known || s->process != p->process || s->thread != p->thread)
		code = find_hit(s, p, err);
	return code ? code : e->seq == s->hit_seq ? 0 : PL_END;
}

/* What arrives from a callee was raised there. */
static int match_raise(
	const struct stop *s, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event at = *e, *before;

	if (e->kind != PL_EVENT_RAISE ||
		(s->name[0] && !(e->type && stop_names(e->type, s->name, '.'))))
		return PL_END;
	int code = path_before(p, at.seq, &before, err);
	if (code < 0)
		return code;
	return code == 0 && before->kind == PL_EVENT_UNWIND && before->depth == at.depth + 1
		       ? PL_END
		       : 0;
}

static int match(struct stop *s, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	bool entry = e->kind == PL_EVENT_CALL;

	switch (s->kind) {
	case STOP_LINE:
		return match_line(s, p, e, err);
	case STOP_RAISE:
		return match_raise(s, p, e, err);
	case STOP_ENTRY:
		entry = entry || e->kind == PL_EVENT_RESUME || e->kind == PL_EVENT_THROW;
		break;
	case STOP_CALL:
		break;
	}
	return entry && e->code && stop_names(pl_code_name(e->code), s->name, '.') ? 0 : PL_END;
}

int stops_match(struct stops *s, struct path *p, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event at = *e;
	int code = PL_END;

	for (size_t i = 0; i < s->count && code == PL_END; i++)
		code = match(&s->rows[i], p, &at, err);
	return code;
}
