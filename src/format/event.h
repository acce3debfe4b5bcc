/* The bytes of an event, as the recorder writes them into a ring, and as they are in a block.
 *
 *   line     | 1 index:7 |                      index < 127: in the code's table of line starts
 *            | 1 1111111 | index-127 varint |
 *   a call   | 0 place:2 11 place:3 |           a known one: ENTER with the site and code of that
 *                                               place (struct event_calls)
 *            | 0 10 00000 | place |             the same, of a far place
 *   a resume | 0 same 1 00100 | place [unit] |  a known one: RESUME with what is at that place,
 *                                               from there or from `unit`
 *   further  | 0 01 00000 | kind | length | bytes |    since 1.10: of a kind that readers may not
 *                                                      know, which they pass over
 *   others   | 0 flags:2 kind:5 | fields, all varints, in the order of event_table.h |
 *
 * A module calls f, f runs two lines and returns. The module has code 10, f has code 11:
 *
 *   41 0a        ENTER, no caller | code 10                    the module begins
 *   80           LINE 0           f's def
 *   81           LINE 1           the call
 *   01 0c 0b     ENTER | the caller is at unit 12 | code 11
 *   80 81        LINE 0, LINE 1   of f
 *   02 09        LEAVE | from unit 9
 *   3c           the same call again, which is at place 12
 *
 * A frame is named by its place on its thread's stack, never by an address. An event is of the top
 * frame; if frames above it have ended without an event, POPS comes before it. Units are two-byte
 * code units from the start of the code. Numbers of codes and strings are those of the recording
 * (arena.h); positions and ticks are those of the thread's stream.
 *
 * The format is built around one byte for a line, because most events are lines. A line number
 * would seldom fit into the byte; an index into the code's line starts does, up to the 127th.
 *
 * Pure: no clock, no I/O, no global. The writers are inline, because they are the recorder's hot
 * path.
 */
#ifndef PL_FORMAT_EVENT_H
#define PL_FORMAT_EVENT_H

#include <stdbool.h>
#include "base/expect.h"
#include "base/varint.h"
#include "base/view.h"
#include "format/event_table.h"

/* The two bits above the kind. Each kind uses them in its own way. If a kind does not use a bit, it
 * is 0, and readers ignore it. */
#define EVENT_GENERATOR 0x20 /* ENTER: a generator-like frame, gen follows */
/* ENTER, RESUME, THROW, OUTSIDE: it is the bottom frame, there is no site */
#define EVENT_NO_CALLER 0x40
#define EVENT_KNOWN	0x20 /* RESUME: a known one, by a caller */
#define EVENT_SAME_UNIT 0x40 /* known RESUME: from the unit that it had when it became known */
#define EVENT_BACK	0x40 /* LINK: the frame was there when its greenlet was left */
/* RAISE: the frame is at a start whose LINE did not fire, because a trace function raised
 * instead */
#define EVENT_EARLY 0x20
/* LINK: the frame went on since then; `unit` is where the next event is */
#define EVENT_MOVED 0x20
/* LINK, without EVENT_BACK: a frame of a trace function, which is not recorded */
#define EVENT_HIDDEN 0x20

/* TASK: it has a number, and is about the frame that is pushed next. Without the flag it has no
 * number, and is about the top frame. */
#define EVENT_NUMBERED 0x20

/* AGAIN: written when the thread had its next event; the pass was then or before, after the unit at
 * which the frame was */
#define EVENT_OPEN 0x20

/* In place of a unit, for writers and in struct event. NO_SITE is a flag on disk. NO_UNIT is
 * written as it is, because no code has so many units. */
#define EVENT_NO_SITE UINT32_MAX
/* There is no unit: the frame is of C code that reports its own events (Cython), or was called by
 * such code. */
#define EVENT_NO_UNIT (UINT32_MAX - 1)

/* The first byte of an event of a further kind. A number of such a kind is never used again. */
#define EVENT_PREFIX	  0x20
#define EVENT_FURTHER_MAX 63 /* kinds count from 1 */
#define EVENT_VALUES	  1  /* of the event behind it (value_table.h) */
#define EVENT_VARIABLES	  2  /* that its frame's last line has changed, as well */
/* Does this version know it? */
#define EVENT_FURTHER_KNOWN(kind) ((kind) == EVENT_VALUES || (kind) == EVENT_VARIABLES)

/* Names of tasks and texts of marks are in the event, so that they are dropped with their block: a
 * server makes new ones for ever. Longer ones are cut. */
#define EVENT_TEXT_MAX 120

/* The longest event: a first byte and at most four varints, or one varint with a length and a
 * text. */
#define EVENT_BYTES_MAX (12 + EVENT_TEXT_MAX)

/* What a RESUME says. */
struct event_resume {
	uint32_t site, code, unit; /* as in struct event */
	uint64_t gen;
};

/* Known calls: a call site and the callee. Both the writer and the reader of a stream put each
 * ENTER of a plain function by a caller at its place, so both have the same there. As long as it is
 * there, that call is one byte, its place. The same holds for each RESUME by a caller that is
 * written in full: a loop resumes the generator that it resumed before, and the number of the
 * generator need not be written, so that all runs of a loop have the same bytes. An ENTER is also
 * put at a far place, where it stays longer: a call whose place was taken by another one is then
 * two bytes. All zero: none is known. */
#define EVENT_CALLS 32 /* places */
/* these two bits are set in the byte of a place, and the top bit is not */
#define EVENT_KNOWN_CALL 0x18
#define EVENT_FAR_CALL	 0x40 /* a call's first byte; the second is the far place */
#define EVENT_FAR_CALLS	 256
#define EVENT_RESUMES	 64
struct event_calls {
	uint64_t at[128];			    /* code << 32 | site; 0: none */
	uint64_t far[EVENT_FAR_CALLS];		    /* likewise */
	struct event_resume resumes[EVENT_RESUMES]; /* code 0: none */
	/* A hash of all that is there: equal for equal calls or resumes, and most likely for no
	 * others. */
	uint64_t print, resumes_print;
};

/* A call as the tables have it. */
static inline uint64_t event_call(uint32_t site, uint32_t code)
{
	return (uint64_t)code << 32 | site;
}

/* Its place in `at`, which is also the first byte of the event. */
static inline uint8_t event_call_place(uint64_t call)
{
	return (uint8_t)(call * 0x9e3779b97f4a7c15u >> 57 | EVENT_KNOWN_CALL);
}

/* Its place in `far`, of other bits of the same product: two calls that share a place here rarely
 * share one there. */
static inline uint8_t event_call_far_place(uint64_t call)
{
	return (uint8_t)(call * 0x9e3779b97f4a7c15u >> 48);
}

static inline bool event_is_known_call(uint8_t first)
{
	return (first & (0x80 | EVENT_KNOWN_CALL)) == EVENT_KNOWN_CALL;
}

/* Put a call at its place; what was there is forgotten. The prints are sums, so they need no pass
 * over the table. A writer and a reader must do the same in the same order. */
static inline void event_calls_put_near(struct event_calls *calls, uint64_t call)
{
	uint64_t *place = &calls->at[event_call_place(call)];
	uint64_t was = *place * 0xc2b2ae3d27d4eb4fu, is = call * 0xc2b2ae3d27d4eb4fu;

	calls->print ^= was ^ was >> 29 ^ is ^ is >> 29;
	*place = call;
}

static inline void event_calls_put_far(struct event_calls *calls, uint64_t call)
{
	uint64_t *place = &calls->far[event_call_far_place(call)];
	uint64_t was = *place * 0xd6e8feb86659fd93u, is = call * 0xd6e8feb86659fd93u;

	calls->print ^= was ^ was >> 31 ^ is ^ is >> 31;
	*place = call;
}

static inline void event_calls_put(struct event_calls *calls, uint64_t call)
{
	event_calls_put_near(calls, call);
	event_calls_put_far(calls, call);
}

static inline uint32_t event_resume_place(uint32_t site, uint32_t code)
{
	return (uint32_t)(event_call(site, code) * 0x9e3779b97f4a7c15u >> 58);
}

static inline uint64_t event_resume_print(const struct event_resume *r)
{
	uint64_t mixed = event_call(r->site, r->code) * 0x9e3779b97f4a7c15u ^
			 (r->gen << 24 ^ r->unit) * 0xd6e8feb86659fd93u;

	return mixed ^ mixed >> 31;
}

static inline void event_resumes_put(struct event_calls *calls, const struct event_resume *r)
{
	struct event_resume *place = &calls->resumes[event_resume_place(r->site, r->code)];

	calls->resumes_print ^= event_resume_print(place) ^ event_resume_print(r);
	*place = *r;
}

static inline bool event_is_known_resume(uint8_t first)
{
	return (first & ~EVENT_SAME_UNIT) == (EVENT_RESUME | EVENT_KNOWN);
}

/* A decoded event. Fields that its kind does not have are 0. */
struct event {
	enum event_kind kind;
	uint8_t flags;
	bool known;	     /* ENTER, RESUME: it was a known one; its flags are then 0 */
	bool far;	     /* known ENTER: by its far place */
	uint32_t index;	     /* LINE: into the table of line starts */
	uint32_t site;	     /* ENTER, RESUME, THROW, OUTSIDE: unit of the caller */
	uint32_t code;	     /* number of the code */
	uint32_t unit;	     /* at which this frame is */
	uint32_t lasti;	     /* RERAISE: f_lasti, the unit of the first raise */
	uint32_t type;	     /* number of a string: the exception's type */
	struct pl_view text; /* TASK, MARK, FURTHER: within the bytes read */
	int32_t line;	     /* LINE_AT */
	uint64_t gen;
	uint64_t a, b, c; /* POPS: n. TIME: ticks. SWITCH: number, thread+1, position. GAP: reason,
			     lost. STOP: signal, unit+1. GREENLET, TASK: number. FURTHER: kind */
};

/* Read one event from the front of the view. After PL_ERR_FORMAT the view is unchanged. Unknown
 * kinds are errors: a block says with the format's minor number which kinds it can have. `calls`
 * are the known ones of the stream before the event, and after it those after the event; reading
 * the event again does no harm. A known call or resume whose place is empty (bytes of the stream
 * are missing) has code 0 and EVENT_NO_UNIT. */
int event_read_any(struct pl_view *v, struct event_calls *calls, struct event *out);

#define EVENT_SHORT_LINES 127	     /* LINEs of this many starts are one byte */
#define EVENT_SHORT_MAX	  (1u << 14) /* varints of two bytes at most are below it */

static inline int event_read(struct pl_view *v, struct event_calls *calls, struct event *out)
{
	if (!v->left || *v->at < 0x80 || *v->at >= 0x80 + EVENT_SHORT_LINES)
		return event_read_any(v, calls, out);
	*out = (struct event){.kind = EVENT_LINE, .index = *v->at & 0x7f};
	v->at++;
	v->left--;
	return 0;
}

/* Is its place among the events of other threads unknown? */
static inline bool event_is_open(const struct event *e)
{
	return e->kind == EVENT_AGAIN && e->flags & EVENT_OPEN;
}

/* The format's minor version that first had the event with its flags. A block has the greatest of
 * its events' (needs_minor), so that an older reader can distinguish what it does not know from
 * damage. */
static inline uint32_t event_minor(const struct event *e)
{
	static const uint8_t minors[EVENT_KIND_COUNT] = {
#define X(constant, number, fields, row, stack, traits, since, text) [number] = since,
		EVENT_TABLE(X)
#undef X
	};

	if (e->known)
		return e->far ? 5 : e->kind == EVENT_RESUME ? 4 : 3;
	if (!e->flags)
		return minors[e->kind];
#define X(constant, with, since)                                                                   \
	if (e->kind == EVENT_##constant && (!(with) || e->flags == (with)))                        \
		return since;
	EVENT_FLAG_MINORS(X)
#undef X
	return minors[e->kind];
}

/* ---- writers: each returns the byte after what it wrote; the caller has room for EVENT_BYTES_MAX
 * ---- */

/* A LINE of a code's start: 0x80 | index, or 0xff and the rest as a varint. */
static inline uint8_t *event_write_line(uint8_t *p, uint32_t index)
{
	if (likely(index < EVENT_SHORT_LINES)) {
		*p++ = (uint8_t)(0x80 | index);
		return p;
	}
	*p++ = 0xff;
	return varint_write(p, index - 127);
}

/* An event of 0 to 3 numbers without flags. */
static inline uint8_t *event_write0(uint8_t *p, enum event_kind kind)
{
	*p++ = (uint8_t)kind;
	return p;
}

__attribute__((always_inline)) static inline uint8_t *event_write1(
	uint8_t *p, enum event_kind kind, uint64_t a)
{
	*p++ = (uint8_t)kind;
	return varint_write(p, a);
}

/* Whether it takes one byte or two cannot be predicted, so there is no branch; the byte after it
 * may be overwritten. */
__attribute__((always_inline)) static inline uint8_t *event_write_time(uint8_t *p, uint64_t ticks)
{
	const unsigned more = ticks >= 0x80;

	if (unlikely(ticks >= EVENT_SHORT_MAX))
		return event_write1(p, EVENT_TIME, ticks);
	p[0] = EVENT_TIME;
	p[1] = (uint8_t)((ticks & 0x7f) | more << 7);
	p[2] = (uint8_t)(ticks >> 7);
	return p + 2 + more;
}

static inline uint8_t *event_write2(uint8_t *p, enum event_kind kind, uint64_t a, uint64_t b)
{
	return varint_write(event_write1(p, kind, a), b);
}

/* An interpreter can report any number: a line below 1 (of a syntax tree that a program changed),
 * or what lies after a line table that ends too early. Readers do not accept a line below 0; 0: not
 * known. */
static inline uint8_t *event_write_line_at(uint8_t *p, uint32_t unit, long line)
{
	const bool known = line > 0 && line <= INT32_MAX;

	return event_write2(p, EVENT_LINE_AT, unit, known ? (uint64_t)line : 0);
}

static inline uint8_t *event_write3(
	uint8_t *p, enum event_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
	return varint_write(event_write2(p, kind, a, b), c);
}

/* kind: EVENT_TASK or EVENT_MARK; n is at most EVENT_TEXT_MAX */
static inline uint8_t *event_write_text(
	uint8_t *p, enum event_kind kind, const void *text, size_t n)
{
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)n;
	memcpy(p, text, n);
	return p + n;
}

/* The frame that is pushed next is the root of the task with this number; n as above. */
static inline uint8_t *event_write_task(uint8_t *p, uint64_t number, const void *name, size_t n)
{
	*p++ = EVENT_TASK | EVENT_NUMBERED;
	p = varint_write(p, number);
	*p++ = (uint8_t)n;
	memcpy(p, name, n);
	return p + n;
}

/* Of a further kind; the caller has room for n bytes more than for others. */
static inline uint8_t *event_write_further(uint8_t *p, uint32_t kind, const void *bytes, size_t n)
{
	*p++ = EVENT_PREFIX;
	p = varint_write(varint_write(p, kind), n);
	memcpy(p, bytes, n);
	return p + n;
}

/* gen 0: a plain function, without a caller; with one use event_write_call. */
static inline uint8_t *event_write_enter(uint8_t *p, uint32_t site, uint32_t code, uint64_t gen)
{
	*p++ = (uint8_t)(EVENT_ENTER | (gen ? EVENT_GENERATOR : 0) |
			 (site == EVENT_NO_SITE ? EVENT_NO_CALLER : 0));
	if (site != EVENT_NO_SITE)
		p = varint_write(p, site);
	p = varint_write(p, code);
	return gen ? varint_write(p, gen) : p;
}

/* Is the call at its place, or else at its far place? */
static inline bool event_call_is_near(const struct event_calls *calls, uint64_t call)
{
	return calls->at[event_call_place(call)] == call;
}

static inline bool event_call_is_far(const struct event_calls *calls, uint64_t call)
{
	return calls->far[event_call_far_place(call)] == call;
}

/* The bytes of a known call above their number; the first byte is the lowest. 0: it is not
 * known. */
#define EVENT_KNOWN_LENGTH 16
static inline uint32_t event_known_call(const struct event_calls *calls, uint64_t call)
{
	if (likely(event_call_is_near(calls, call)))
		return 1u << EVENT_KNOWN_LENGTH | event_call_place(call);
	if (event_call_is_far(calls, call))
		return 2u << EVENT_KNOWN_LENGTH | (uint32_t)event_call_far_place(call) << 8 |
		       EVENT_FAR_CALL;
	return 0;
}

/* Always writes two bytes, of which one may not be part of it. */
static inline uint8_t *event_write_known_call(uint8_t *p, uint32_t known)
{
	p[0] = (uint8_t)known;
	p[1] = (uint8_t)(known >> 8);
	return p + (known >> EVENT_KNOWN_LENGTH);
}

/* Of a plain function by a caller. Every such call must be written with this function. */
static inline uint8_t *event_write_call(
	uint8_t *p, struct event_calls *calls, uint32_t site, uint32_t code)
{
	const uint64_t call = event_call(site, code);
	const uint32_t known = event_known_call(calls, call);

	if (known)
		return event_write_known_call(p, known);
	event_calls_put(calls, call);
	return event_write_enter(p, site, code, 0);
}

static inline uint8_t *event_write_outside(uint8_t *p, uint32_t site, uint32_t code)
{
	*p++ = (uint8_t)(EVENT_OUTSIDE | (site == EVENT_NO_SITE ? EVENT_NO_CALLER : 0));
	if (site != EVENT_NO_SITE)
		p = varint_write(p, site);
	return varint_write(p, code);
}

/* By a caller; `known` is what is at its place. */
static inline bool event_resume_is_known(
	const struct event_resume *known, const struct event_resume *e)
{
	return known->gen == e->gen && known->code == e->code && known->site == e->site;
}

static inline uint8_t *event_write_known_resume(
	uint8_t *p, const struct event_resume *known, uint32_t place, uint32_t unit)
{
	const bool same = known->unit == unit;

	*p++ = (uint8_t)(EVENT_RESUME | EVENT_KNOWN | (same ? EVENT_SAME_UNIT : 0));
	*p++ = (uint8_t)place;
	return same ? p : varint_write(p, unit);
}

/* kind: EVENT_RESUME or EVENT_THROW. RESUMEs by a caller are written with event_write_reentry. */
static inline uint8_t *event_write_resume(
	uint8_t *p, enum event_kind kind, const struct event_resume *e)
{
	*p++ = (uint8_t)(kind | (e->site == EVENT_NO_SITE ? EVENT_NO_CALLER : 0));
	if (e->site != EVENT_NO_SITE)
		p = varint_write(p, e->site);
	return varint_write(varint_write(varint_write(p, e->code), e->gen), e->unit);
}

/* A RESUME or THROW, known or in full; one that was not known is known afterwards. */
static inline uint8_t *event_write_reentry(
	uint8_t *p, struct event_calls *calls, enum event_kind kind, const struct event_resume *e)
{
	if (kind != EVENT_RESUME || e->site == EVENT_NO_SITE)
		return event_write_resume(p, kind, e);
	const uint32_t place = event_resume_place(e->site, e->code);
	const struct event_resume *known = &calls->resumes[place];
	if (event_resume_is_known(known, e))
		return event_write_known_resume(p, known, place, e->unit);
	event_resumes_put(calls, e);
	return event_write_resume(p, kind, e);
}

#endif
