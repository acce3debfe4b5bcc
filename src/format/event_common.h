/* The most common events of all programs, decoded without what others need: for who follows events
 * by look-up (standing.h). The functions are inline, so that what is known of an event by its first
 * byte is known where it is used.
 */
#ifndef PL_FORMAT_EVENT_COMMON_H
#define PL_FORMAT_EVENT_COMMON_H

#include "format/event.h"

/* With small numbers: LINE, POPS, TIME, AGAIN, what ends a frame, what raises and handles an
 * exception, ENTER and RESUME by a caller. A number of a generator may be large. */
struct event_common {
	enum event_kind kind;
	/* LINE: index; POPS: n; TIME: ticks; ENTER, RESUME: site; others: unit, UNWIND has none */
	uint32_t number;
	uint32_t code; /* ENTER, RESUME */
	uint32_t unit; /* RESUME */
	uint64_t gen;  /* RESUME; ENTER: 0 for a plain function */
	bool known;    /* RESUME: it was a known one */
};

/* Read a varint of one or two bytes; NULL: it is longer. */
static inline const uint8_t *event_short_varint(const uint8_t *p, uint32_t *out)
{
	*out = p[0] & 0x7fu;
	if (p[0] < 0x80)
		return p + 1;
	*out |= (uint32_t)p[1] << 7;
	return p[1] < 0x80 ? p + 2 : NULL;
}

/* Read a generator's number; NULL: it has more than 63 bits. */
static inline const uint8_t *event_gen_varint(const uint8_t *p, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 63; shift += 7) {
		*out |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80)
			return p;
	}
	return NULL;
}

#define EVENT_COMMON_BYTES	5
#define EVENT_COMMON_LONG_BYTES 16 /* of exceptions, and of what names a generator */

/* Is this the first byte of an event of its kind and `count` numbers? */
__attribute__((always_inline)) static inline bool event_is_common_numbers(
	uint8_t first, uint32_t count)
{
#define X(constant, number, fields, row, stack, traits, ...)                                       \
	| EVENT_KIND_BIT((traits)&EVENT_COMMON &&EVENT_COUNT_##fields == count &&                  \
				 EVENT_FRAMES_##stack != FRAMES_ENTRY,                             \
		  number)
	return first < 32 && (0 EVENT_KINDS(X)) >> first & 1;
#undef X
}

/* These return the byte after the event; NULL: it is not a common one. */

static inline const uint8_t *event_read_common_resume(
	const uint8_t *p, const struct event_calls *calls, struct event_common *out)
{
	if (p[1] >= EVENT_RESUMES)
		return NULL;
	const struct event_resume *r = &calls->resumes[p[1]];
	*out = (struct event_common){.kind = EVENT_RESUME,
		.known = true,
		.number = r->site,
		.code = r->code,
		.unit = r->unit,
		.gen = r->gen};
	p = *p & EVENT_SAME_UNIT ? p + 2 : event_short_varint(p + 2, &out->unit);
	return out->code && out->gen && (out->number | out->code | out->unit) < EVENT_SHORT_MAX
		       ? p
		       : NULL;
}

/* A RESUME that is written in full, and known from then on. */
static inline const uint8_t *event_read_full_resume(
	const uint8_t *p, struct event_calls *calls, struct event_common *out)
{
	*out = (struct event_common){.kind = EVENT_RESUME};
	p = event_short_varint(p + 1, &out->number);
	p = p ? event_short_varint(p, &out->code) : NULL;
	p = p ? event_gen_varint(p, &out->gen) : NULL;
	p = p ? event_short_varint(p, &out->unit) : NULL;
	if (!p || !out->code || !out->gen)
		return NULL;
	event_resumes_put(calls, &(struct event_resume){.site = out->number,
					 .code = out->code,
					 .unit = out->unit,
					 .gen = out->gen});
	return p;
}

/* An ENTER of a generator, which is not a known call. */
static inline const uint8_t *event_read_made(const uint8_t *p, struct event_common *out)
{
	*out = (struct event_common){.kind = EVENT_ENTER};
	p = event_short_varint(p + 1, &out->number);
	p = p ? event_short_varint(p, &out->code) : NULL;
	p = p ? event_gen_varint(p, &out->gen) : NULL;
	return out->gen ? p : NULL;
}

/* Of an exception: the types do not matter to the path. */
static inline const uint8_t *event_read_exception(const uint8_t *p, struct event_common *out)
{
	const uint8_t first = *p++;
	uint32_t other;

	*out = (struct event_common){.kind = (enum event_kind)first};
	if (event_is_common_numbers(first, 0))
		return p;
	p = event_short_varint(p, &out->number);
	p = p ? event_short_varint(p, &other) : NULL;
	return p && event_is_common_numbers(first, 3) ? event_short_varint(p, &other) : p;
}

static inline bool event_is_exception(uint8_t first)
{
	return event_is_common_numbers(first, 0) || event_is_common_numbers(first, 2) ||
	       event_is_common_numbers(first, 3);
}

/* One of those that may be long. */
__attribute__((noinline)) static const uint8_t *event_read_long(
	const uint8_t *p, struct event_calls *calls, struct event_common *out)
{
	if (*p == EVENT_RESUME)
		return event_read_full_resume(p, calls, out);
	if (*p == (EVENT_ENTER | EVENT_GENERATOR))
		return event_read_made(p, out);
	return event_is_exception(*p) ? event_read_exception(p, out) : NULL;
}

/* As event_read, for common events. false: it is another one, or near the end of the view; nothing
 * was read. */
__attribute__((always_inline)) static inline bool event_read_common(
	struct pl_view *v, struct event_calls *calls, struct event_common *out)
{
	const uint8_t *p = v->at;

	if (v->left < EVENT_COMMON_BYTES)
		return false;
	if (*p >= 0x80) {
		*out = (struct event_common){.kind = EVENT_LINE, .number = *p & 0x7fu};
		p = *p < 0x80 + EVENT_SHORT_LINES ? p + 1 : NULL;
	} else if (event_is_common_numbers(*p, 1)) {
		*out = (struct event_common){.kind = (enum event_kind) * p};
		p = event_short_varint(p + 1, &out->number);
	} else if (*p == EVENT_ENTER) {
		*out = (struct event_common){.kind = EVENT_ENTER};
		p = event_short_varint(p + 1, &out->number);
		p = p ? event_short_varint(p, &out->code) : NULL;
		if (p)
			event_calls_put(calls, event_call(out->number, out->code));
	} else if (event_is_known_call(*p) || *p == EVENT_FAR_CALL) {
		const bool far = *p == EVENT_FAR_CALL;
		uint64_t call = far ? calls->far[p[1]] : calls->at[*p];
		*out = (struct event_common){.kind = EVENT_ENTER,
			.number = (uint32_t)call,
			.code = (uint32_t)(call >> 32)};
		p = out->code && (out->number | out->code) < EVENT_SHORT_MAX ? p + 1 + far : NULL;
	} else if (event_is_known_resume(*p)) {
		p = event_read_common_resume(p, calls, out);
	} else {
		/* a copy, so that *out can be in registers */
		struct event_common long_one;
		p = v->left < EVENT_COMMON_LONG_BYTES ? NULL : event_read_long(p, calls, &long_one);
		if (p)
			*out = long_one;
	}
	if (!p)
		return false;
	v->left -= (size_t)(p - v->at);
	v->at = p;
	return true;
}

#endif
