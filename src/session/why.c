#define _GNU_SOURCE
#include "session/why.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "session/why_before.h"

#define BIT(kind) (1u << PL_EVENT_##kind)
/* So many raises of its type are looked at to find that of a group's exception. */
#define PARTS_TRIED 64
#define TYPE_BYTES  256

/* What an exception's value says of those before it. */
struct told {
	bool known;
	uint64_t id; /* 0: not known */
	char cause[TYPE_BYTES], context[TYPE_BYTES];
};

static bool why_stopped(const struct why *w)
{
	return w->stop && *w->stop;
}

static void copy_type(char *to, struct pl_text from)
{
	const size_t n = from.length < TYPE_BYTES ? from.length : TYPE_BYTES - 1;

	if (n)
		memcpy(to, from.at, n);
	to[n] = 0;
}

static int take_message(struct why_exception *e, const struct pl_value *value)
{
	char text[WHY_MESSAGE];

	if (e->message)
		return 0;
	valued_message(value, e->type, text, sizeof text);
	e->message = strdup(text);
	return e->message ? 0 : PL_ERR_MEMORY;
}

/* The values of the innermost raise that has some: library code may have none. */
static int read_told(struct why *w, struct why_exception *e, struct told *t, struct pl_event *at)
{
	*t = (struct told){0};
	for (size_t i = e->count; i--;) {
		int code = valued_read(&w->valued, &e->frames[i], at, NULL);
		if (code < 0)
			return code;
		const struct pl_value v = code ? (struct pl_value){0} : valued_exception(at);
		if (v.kind != PL_VALUE_EXCEPTION)
			continue;
		t->known = true;
		t->id = v.id;
		copy_type(t->cause, v.cause);
		copy_type(t->context, v.context);
		return take_message(e, &v);
	}
	return PL_END;
}

/* ---- one exception ---- */

/* The place of another one; NULL: there is no room. */
static struct why_exception *add_exception(struct why *w, enum why_link link, size_t of)
{
	if (w->count == WHY_EXCEPTIONS) {
		w->more = true;
		return NULL;
	}
	struct why_exception *e = &w->all[w->count++];
	*e = (struct why_exception){.link = link, .of = of, .type = ""};
	e->raise.kind = PL_EVENT_GAP;
	return e;
}

/* Append the frames of the exception that came to of->end. */
static int take_frames(
	struct why *w, struct why_exception *e, const struct crash *of, struct pl_err *err)
{
	const struct crash_bounds bounds = {.stop = w->stop};
	struct pl_buf raises = {0};

	buf_put(&raises, e->frames, e->count * sizeof *e->frames);
	int code = crash_trace(w->r, of, &bounds, &raises, err);
	if (code) {
		buf_release(&raises);
		return code;
	}
	free(e->frames);
	e->count = raises.used / sizeof *e->frames;
	e->frames = (struct pl_event *)(void *)raises.at; /* taken */
	e->raise = e->count ? e->frames[e->count - 1] : of->end;
	return 0;
}

static int set_exception(
	struct why *w, struct why_exception *e, const struct crash *of, struct pl_err *err)
{
	e->type = of->type;
	e->end = of->end;
	return take_frames(w, e, of, err);
}

/* ---- the one before ---- */

/* "raise SoldOut(item) from error": what is behind `from`. */
static bool source_says(const struct why *w, const struct why_exception *e, const char *word)
{
	size_t indent = 0;
	const struct pl_text t = why_source(w->r, e->raise.code, e->raise.line, &indent);

	return t.length > 6 && !memcmp(t.at, "raise ", 6) &&
	       memmem(t.at, t.length, word, strlen(word)) != NULL;
}

/* "raise error": the exception that a handler has. */
static bool raises_a_name(const struct why *w, const struct why_exception *e)
{
	size_t indent = 0;
	const struct pl_text t = why_source(w->r, e->raise.code, e->raise.line, &indent);
	size_t i = 6;

	if (t.length <= i || memcmp(t.at, "raise ", i) != 0)
		return false;
	while (i < t.length && (t.at[i] == '_' || (t.at[i] | 32) >= 'a'))
		i++;
	return i == t.length;
}

/* Of which type, and is it the cause? false: there is none. */
static bool is_told(const struct why *w, const struct why_exception *e, const struct told *t,
	enum why_link *link)
{
	*link = t->cause[0] || (!t->known && source_says(w, e, " from ")) ? WHY_CAUSE : WHY_CONTEXT;
	if (t->cause[0])
		return true;
	return !source_says(w, e, " from None") && (!t->known || t->context[0]);
}

/* Is what the handler had the exception itself, raised once more? Then its frames go on there. */
static int merge_same(struct why *w, struct why_exception *e, const struct told *t,
	const struct pl_event *handled, struct pl_err *err)
{
	const struct crash of = {.type = e->type, .end = *handled};
	struct why_exception first = {.type = e->type};
	struct told other = {0};
	struct pl_event at;
	int code = take_frames(w, &first, &of, err);

	if (code == 0 && t->id)
		code = read_told(w, &first, &other, &at);
	const bool same = t->id && other.id ? t->id == other.id : raises_a_name(w, e);
	free(first.frames);
	free(first.message);
	if (code < 0)
		return code;
	return same ? take_frames(w, e, &of, err) : PL_END;
}

/* A raise of the type before the exception was raised: it may have been kept meanwhile. */
static int find_kept(
	struct why *w, const struct why_exception *e, const char *type, struct pl_event *to);

static int add_before(struct why *w, size_t i, const struct told *t, struct pl_err *err)
{
	struct why_exception *e = &w->all[i];
	enum why_link link;
	struct pl_event handled;
	const bool some = is_told(w, e, t, &link);
	const char *type = !t->known ? NULL : t->cause[0] ? t->cause : t->context;
	struct why_before before = {.raise = &e->raise, .type = some ? type : e->type};
	int code = why_before(w, &before, &handled, err);

	if (code == 0 && handled.type && !strcmp(handled.type, e->type)) {
		code = merge_same(w, e, t, &handled, err);
		if (code <= 0)
			return code ? code : 1 + PL_END;
		code = 0;
	}
	if (!some || code < 0)
		return code < 0 ? code : PL_END;
	if (code == PL_END && type)
		code = find_kept(w, e, type, &handled);
	if (code < 0 || (code && !type))
		return code;
	struct why_exception *other = add_exception(w, link, i);
	if (!other)
		return PL_END;
	if (code == 0)
		return set_exception(
			w, other, &(struct crash){.type = handled.type, .end = handled}, err);
	other->type = other->own = strdup(type);
	return other->own ? 0 : PL_ERR_MEMORY;
}

/* ---- those of a group ---- */

struct kept_search {
	const char *type;
};

static int kept_is(void *context, const struct pl_event *e)
{
	const struct kept_search *s = context;

	return e->type && !strcmp(e->type, s->type) ? 0 : PL_END;
}

static int kept_search_new(
	struct why *w, const struct why_exception *e, struct kept_search *s, struct pl_search **out)
{
	const struct pl_wanted wanted = {.process = e->raise.position.process,
		.thread = e->raise.position.thread,
		.kinds = BIT(RAISE),
		.is = kept_is,
		.context = s,
		.stop = w->stop};

	return pl_search_new(out, w->r, &wanted, NULL);
}

static int find_kept(
	struct why *w, const struct why_exception *e, const char *type, struct pl_event *to)
{
	struct kept_search of = {.type = type};
	struct pl_search *s = NULL;
	int code = kept_search_new(w, e, &of, &s);

	if (code == 0)
		code = pl_search_previous(s, e->raise.seq, 0, to, NULL);
	pl_search_free(s);
	return code;
}

/* Its last raise, which is in the outermost frame that it reached: the same type and identity. */
static int find_part(struct why *w, const struct why_exception *group, const char *type,
	uint64_t id, struct pl_event *to)
{
	struct kept_search of = {.type = type};
	struct pl_search *s = NULL;
	uint64_t before = group->raise.seq;
	int code = kept_search_new(w, group, &of, &s);

	for (int i = 0; code == 0; i++) {
		struct pl_event at;
		code = i < PARTS_TRIED ? pl_search_previous(s, before, 0, to, NULL) : PL_END;
		if (code)
			break;
		before = to->seq;
		code = valued_read(&w->valued, to, &at, NULL);
		if (code < 0 || (code == 0 && valued_exception(&at).id == id))
			break;
		code = 0;
	}
	pl_search_free(s);
	return code;
}

struct part {
	char type[TYPE_BYTES];
	char message[512];
	uint64_t id;
};

/* The exceptions in the args of a group. */
static size_t read_parts(const struct pl_value *group, struct part *parts, size_t max)
{
	struct pl_values rest = group->members;
	struct pl_value args, message, list, v;
	size_t n = 0;

	if (pl_values_next(&rest, &args))
		return 0;
	rest = args.members;
	if (pl_values_next(&rest, &message) || pl_values_next(&rest, &list) ||
		(list.kind != PL_VALUE_LIST && list.kind != PL_VALUE_TUPLE))
		return 0;
	rest = list.members;
	while (n < max && pl_values_next(&rest, &v) == 0) {
		struct part *p = &parts[n];
		if (!v.type.length)
			continue;
		*p = (struct part){.id = v.id};
		copy_type(p->type, v.type);
		valued_message(&v, p->type, p->message, sizeof p->message);
		n++;
	}
	return n;
}

static int add_part(struct why *w, size_t i, const struct part *p, struct pl_err *err)
{
	struct why_exception *e = add_exception(w, WHY_PART, i);
	struct pl_event raise;
	int code = PL_END;

	if (!e)
		return 0;
	e->type = e->own = strdup(p->type);
	e->message = strdup(p->message);
	if (!e->own || !e->message)
		return PL_ERR_MEMORY;
	if (p->id)
		code = find_part(w, &w->all[i], p->type, p->id, &raise);
	if (code)
		return code < 0 ? code : 0;
	return set_exception(w, e, &(struct crash){.type = e->own, .end = raise}, err);
}

static int add_parts(struct why *w, size_t i, const struct pl_event *told, struct pl_err *err)
{
	struct part parts[WHY_EXCEPTIONS];
	const struct pl_value value = valued_exception(told);
	const size_t n = strstr(w->all[i].type, "ExceptionGroup")
				 ? read_parts(&value, parts, WHY_EXCEPTIONS)
				 : 0;
	int code = 0;

	for (size_t k = 0; code == 0 && k < n; k++)
		code = add_part(w, i, &parts[k], err);
	return code;
}

/* ---- from another thread ---- */

/* "raise self._exception", or "await" and ".result()" where that is not recorded: what another
 * thread had, as a future has it. */
static bool raises_what_is_kept(const struct why *w, const struct why_exception *e)
{
	size_t indent = 0;
	const struct pl_text t = why_source(w->r, e->raise.code, e->raise.line, &indent);

	if (t.length > 6 && !memcmp(t.at, "raise ", 6) && !memchr(t.at, '(', t.length))
		return true;
	return crash_takes_over(w->r, &e->raise);
}

/* The thread's last raise of this exception, in the outermost frame that it reached there. */
static int find_in_thread(struct why *w, const struct why_exception *e, uint32_t thread,
	uint64_t id, struct pl_event *to)
{
	struct why_exception there = {.type = e->type, .raise = e->raise};

	there.raise.position.thread = thread;
	there.raise.seq = UINT64_MAX;
	return find_part(w, &there, e->type, id, to);
}

static int add_other_thread(
	struct why *w, struct why_exception *e, const struct told *t, struct pl_err *err)
{
	const struct pl_position *at = &e->raise.position;
	const struct pl_process *p = pl_recording_find_process(w->r, at->process);
	struct pl_event raise;
	int code = PL_END;

	if (!t->id || !p || !raises_what_is_kept(w, e))
		return 0;
	for (uint32_t n = 0; code == PL_END && n < p->thread_count && !why_stopped(w); n++)
		if (n != at->thread)
			code = find_in_thread(w, e, n, t->id, &raise);
	if (code)
		return code < 0 ? code : 0;
	return take_frames(w, e, &(struct crash){.type = e->type, .end = raise}, err);
}

/* ---- all ---- */

/* What led to it. An exception that was raised once more goes on with what its handler had. */
static int expand(struct why *w, size_t i, struct pl_err *err)
{
	struct told told;
	struct pl_event at;
	int code = w->all[i].count ? read_told(w, &w->all[i], &told, &at) : PL_END;

	if (!w->all[i].count)
		return 0;
	if (code == 0)
		code = add_parts(w, i, &at, err);
	for (int again = 0; code >= 0 && again < WHY_EXCEPTIONS; again++) {
		code = add_before(w, i, &told, err);
		if (code <= PL_END)
			break;
	}
	if (code >= 0)
		code = add_other_thread(w, &w->all[i], &told, err);
	return code < 0 ? code : 0;
}

int why_find(struct why *w, const struct crash *of, struct pl_err *err)
{
	struct why_exception *first = add_exception(w, WHY_ASKED, 0);

	w->valued.r = w->r;
	int code = first ? set_exception(w, first, of, err) : PL_ERR_ARGUMENT;
	for (size_t i = 0; code == 0 && i < w->count && !why_stopped(w); i++)
		code = expand(w, i, err);
	return code;
}

void why_release(struct why *w)
{
	for (size_t i = 0; i < w->count; i++) {
		free(w->all[i].own);
		free(w->all[i].message);
		free(w->all[i].frames);
	}
	w->count = 0;
	valued_release(&w->valued);
}
