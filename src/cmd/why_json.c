/* pathline why --json: an object for each exception, the last one first. */
#include "cmd/values.h"
#include "cmd/why_show.h"

static const char *why_link_word(enum why_link link)
{
	return link == WHY_ASKED     ? "asked"
	       : link == WHY_CAUSE   ? "cause"
	       : link == WHY_CONTEXT ? "context"
				     : "part";
}

static void json_line_number(struct json *j, const char *key, int32_t line)
{
	if (line > 0)
		json_i64(j, key, line);
	else
		json_null(j, key);
}

static void json_source(
	struct json *j, const struct why_show *s, const struct pl_code *code, int32_t line)
{
	const struct text t = why_show_source(s, code, line);

	if (!t.at) {
		json_null(j, "source");
		return;
	}
	json_key(j, "source");
	out_char(j->out, '"');
	out_json(j->out, t);
	out_char(j->out, '"');
}

static void put_place(struct json *j, const struct why_show *s, const struct pl_event *at)
{
	json_text(j, "file", at->code ? pl_code_file(at->code) : NULL);
	json_line_number(j, "line", at->line);
	json_text(j, "code", at->code ? pl_code_name(at->code) : NULL);
	json_source(j, s, at->code, at->line);
	json_u64(j, "process", at->position.process);
	json_u64(j, "thread", at->position.thread);
	json_u64(j, "seq", at->seq);
	json_u64(j, "depth", at->depth);
	json_moment(j, "time", at->time_ns);
}

static void put_variable(struct json *j, const struct variable *v)
{
	json_open(j, NULL, '{');
	values_json_text(j, "name", v->name);
	json_text(j, "stars", v->stars);
	values_json_value(j, "value", &v->value);
	json_bool(j, "of_call", v->of_call);
	json_bool(j, "unsure", v->unsure);
	json_bool(j, "changed", v->changed);
	json_u64(j, "seq", v->seq);
	json_line_number(j, "line", v->line);
	json_close(j, '}');
}

static int put_variables(
	struct json *j, struct why_show *s, const struct pl_event *at, struct pl_err *err)
{
	int code = why_show_variables(s, at, err);
	const struct variables *all = &s->variables;

	json_text(j, "variables_are",
		all->state == VARIABLES_NOT_KEPT ? "not kept"
		: all->state == VARIABLES_LOST	 ? "lost"
						 : "known");
	json_open(j, "variables", '[');
	for (size_t i = 0; code == 0 && i < all->count; i++)
		if (why_show_is_wanted(all, &all->all[i]))
			put_variable(j, &all->all[i]);
	json_close(j, ']');
	return code;
}

static int put_ran(
	struct json *j, struct why_show *s, const struct pl_event *at, struct pl_err *err)
{
	struct ran ran;
	int code = ran_before(s->why->r, at, s->why->stop, &ran, err);

	json_open(j, "ran", '[');
	for (size_t i = 0; code == 0 && i < ran.count; i++) {
		json_open(j, NULL, '{');
		json_line_number(j, "line", ran.lines[i].line);
		json_source(j, s, at->code, ran.lines[i].line);
		json_u64(j, "passes", ran.lines[i].passes);
		json_u64(j, "seq", ran.lines[i].seq);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_bool(j, "ran_more", ran.less);
	return code;
}

static int put_frames(
	struct json *j, struct why_show *s, const struct why_exception *e, struct pl_err *err)
{
	int code = 0;

	json_open(j, "frames", '[');
	for (size_t i = 0; code == 0 && i < e->count && !j->out->error; i++) {
		json_open(j, NULL, '{');
		put_place(j, s, &e->frames[i]);
		code = put_variables(j, s, &e->frames[i], err);
		if (code == 0)
			code = put_ran(j, s, &e->frames[i], err);
		json_close(j, '}');
	}
	json_close(j, ']');
	return code;
}

static void put_value(struct json *j, struct why_show *s, const struct why_exception *e)
{
	struct pl_event at;
	struct pl_value v = {0};

	for (size_t i = e->count; i-- && !v.kind;)
		if (valued_read(&s->why->valued, &e->frames[i], &at, NULL) == 0)
			v = valued_exception(&at);
	if (v.kind)
		values_json_value(j, "exception", &v);
	else
		json_null(j, "exception");
}

static int put_exception(struct json *j, struct why_show *s, size_t i, struct pl_err *err)
{
	const struct why_exception *e = &s->why->all[i];

	json_line(j, "why");
	json_u64(j, "number", i);
	json_text(j, "is", why_link_word(e->link));
	if (i)
		json_u64(j, "of", e->of);
	else
		json_null(j, "of");
	json_text(j, "type", e->type);
	json_text(j, "message", e->message);
	if (i)
		json_null(j, "end");
	else
		json_text(j, "end", s->ended);
	json_open(j, "raised", '{');
	put_place(j, s, &e->raise);
	json_close(j, '}');
	json_open(j, "ended", '{');
	put_place(j, s, &e->end);
	json_close(j, '}');
	put_value(j, s, e);
	const int code = put_frames(j, s, e, err);
	json_line_end(j);
	return code;
}

int why_show_json(struct why_show *s, struct pl_err *err)
{
	struct json j = {.out = s->out};
	int code = 0;

	for (size_t i = 0; code == 0 && i < s->why->count; i++)
		code = put_exception(&j, s, i, err);
	return code;
}
