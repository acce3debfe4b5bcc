#include "format/event.h"

/* The unit of the caller at which the call is; not there, if nothing that is recorded called. */
static int read_site(struct pl_view *v, struct event *e)
{
	if (e->flags & EVENT_NO_CALLER) {
		e->site = EVENT_NO_SITE;
		return 0;
	}
	return view_varint_u32(v, &e->site);
}

/* A place that has no call yet names a code that is none, for the walk to notice: it is damage, or
 * the call was in a block that is lost. */
static void known_call(uint64_t call, struct event *e)
{
	*e = (struct event){.kind = EVENT_ENTER, .known = true, .code = (uint32_t)(call >> 32)};
	e->site = e->code ? (uint32_t)call : EVENT_NO_UNIT;
}

/* | EVENT_FAR_CALL | place u8 | */
static int read_far_call(struct pl_view *v, const struct event_calls *calls, struct event *e)
{
	uint8_t place;

	if (view_u8(v, &place))
		return PL_ERR_FORMAT;
	known_call(calls->far[place], e);
	e->far = true;
	return 0;
}

/* | first byte | place u8 | [unit], if it is not that of the last time | */
static int read_known_resume(
	struct pl_view *v, const struct event_calls *calls, uint8_t first, struct event *e)
{
	uint8_t place;

	if (view_u8(v, &place) || place >= EVENT_RESUMES)
		return PL_ERR_FORMAT;
	const struct event_resume *r = &calls->resumes[place];
	*e = (struct event){.kind = EVENT_RESUME,
		.known = true,
		.site = r->code ? r->site : EVENT_NO_UNIT,
		.code = r->code,
		.gen = r->gen,
		.unit = r->code ? r->unit : EVENT_NO_UNIT};
	return first & EVENT_SAME_UNIT ? 0 : view_varint_u32(v, &e->unit);
}

/* Each field that a kind can have. One that does not fit its type is damage: code after this does
 * not check ranges again. */
static int read_code(struct pl_view *v, struct event *e)
{
	return view_varint_u32(v, &e->code);
}

static int read_gen(struct pl_view *v, struct event *e)
{
	return view_varint(v, &e->gen);
}

static int read_made(struct pl_view *v, struct event *e)
{
	return e->flags & EVENT_GENERATOR ? read_gen(v, e) : 0;
}

static int read_unit(struct pl_view *v, struct event *e)
{
	return view_varint_u32(v, &e->unit);
}

static int read_lasti(struct pl_view *v, struct event *e)
{
	return view_varint_u32(v, &e->lasti);
}

static int read_type(struct pl_view *v, struct event *e)
{
	return view_varint_u32(v, &e->type);
}

static int read_line(struct pl_view *v, struct event *e)
{
	uint64_t line;

	if (view_varint_max(v, INT32_MAX, &line))
		return PL_ERR_FORMAT;
	e->line = (int32_t)line;
	return 0;
}

static int read_text(struct pl_view *v, struct event *e)
{
	return view_string(v, &e->text) || e->text.left > EVENT_TEXT_MAX ? PL_ERR_FORMAT : 0;
}

static int read_a(struct pl_view *v, struct event *e)
{
	return view_varint(v, &e->a);
}

static int read_b(struct pl_view *v, struct event *e)
{
	return view_varint(v, &e->b);
}

static int read_c(struct pl_view *v, struct event *e)
{
	return view_varint(v, &e->c);
}

static int read_number(struct pl_view *v, struct event *e)
{
	return e->flags & EVENT_NUMBERED ? read_a(v, e) : 0;
}

static int read_further(struct pl_view *v, struct event *e)
{
	return view_varint_max(v, EVENT_FURTHER_MAX, &e->a) || !e->a ? PL_ERR_FORMAT : 0;
}

static int read_bytes(struct pl_view *v, struct event *e)
{
	return view_string(v, &e->text);
}

#define READ_FIELDS_0()		  0
#define READ_FIELDS_1(a)	  read_##a(v, e)
#define READ_FIELDS_2(a, b)	  (READ_FIELDS_1(a) || read_##b(v, e))
#define READ_FIELDS_3(a, b, c)	  (READ_FIELDS_2(a, b) || read_##c(v, e))
#define READ_FIELDS_4(a, b, c, d) (READ_FIELDS_3(a, b, c) || read_##d(v, e))

/* As the table has them. */
static int read_event_fields(struct pl_view *v, struct event *e)
{
	switch (e->kind) {
#define X(constant, number, fields, ...)                                                           \
	case EVENT_##constant:                                                                     \
		return READ_##fields ? PL_ERR_FORMAT : 0;
		/* kinds may have the same fields: NOLINTNEXTLINE(bugprone-branch-clone) */
		EVENT_KINDS(X)
#undef X
	case EVENT_FURTHER:
		return READ_FIELDS_2(further, bytes) ? PL_ERR_FORMAT : 0;
	default:
		return PL_ERR_FORMAT;
	}
}

/* A call or resume that is written in full is known from then on, to writer and reader alike, and
 * the next time is a byte or two. */
static void know_event(struct event_calls *calls, const struct event *e)
{
	if (e->kind == EVENT_ENTER && !e->flags)
		event_calls_put(calls, event_call(e->site, e->code));
	if (e->kind == EVENT_RESUME && !e->flags)
		event_resumes_put(calls,
			&(struct event_resume){
				.site = e->site, .code = e->code, .unit = e->unit, .gen = e->gen});
}

/* The first byte decides:
 *
 *	1iiiiiii        LINE, of start i; 127: a varint follows, to be added
 *	00100000        one of a further kind, and its length
 *	0ffkkkkk        kind k with flags f, and its fields; or one of the known calls and resumes,
 *	                which have the bytes that no kind has (event.h)
 *
 * After damage *v is as before, so that the caller can tell where it is.
 */
int event_read_any(struct pl_view *v, struct event_calls *calls, struct event *out)
{
	struct pl_view before = *v;
	uint8_t first;

	*out = (struct event){0};
	if (view_u8(v, &first))
		return PL_ERR_FORMAT;
	if (first & 0x80) {
		out->kind = EVENT_LINE;
		out->index = first & 0x7f;
		if (out->index < 127)
			return 0;
		if (view_varint_u32(v, &out->index) == 0 && out->index <= UINT32_MAX - 127) {
			out->index += 127;
			return 0;
		}
	} else if (event_is_known_call(first)) {
		known_call(calls->at[first], out);
		return 0;
	} else if (first == EVENT_FAR_CALL) {
		if (read_far_call(v, calls, out) == 0)
			return 0;
	} else if (event_is_known_resume(first)) {
		if (read_known_resume(v, calls, first, out) == 0)
			return 0;
	} else {
		out->kind = first == EVENT_PREFIX ? EVENT_FURTHER : (enum event_kind)(first & 0x1f);
		out->flags = first == EVENT_PREFIX ? 0 : first & 0x60;
		if (read_event_fields(v, out) == 0) {
			know_event(calls, out);
			return 0;
		}
	}
	*v = before;
	return PL_ERR_FORMAT;
}
