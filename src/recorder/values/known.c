/* A table by the object's address; a newer value takes the place of an older one. An object that
 * is seen again and again is noted; one that is seen for the first time mostly never comes again,
 * so it is not.
 */
#include "recorder/values/known.h"

#include "base/map.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/reads.h"

#define KNOWN_VALUES	512
#define KNOWN_BYTES_MAX 320 /* longer values are made each time */

static struct known {
	const PyObject *of; /* compared only */
	uint32_t length;    /* of the value; 0: it is not known */
	uint64_t hash;
	uint8_t bytes[KNOWN_BYTES_MAX];
	struct reads reads;
} known_values[KNOWN_VALUES];

static struct known *known_place(const PyObject *o)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;

	return &known_values[((uintptr_t)o >> 4) * odd >> 55];
}
_Static_assert(KNOWN_VALUES == 1 << (64 - 55), "as many as known_place can say");

static size_t make_value(PyObject *o, uint8_t *bytes, struct reads *reads)
{
	static struct capture c;
	const struct arena_head *h = root.arena.head;

	c.at = bytes;
	c.limits = &h->value_limits;
	c.limit = bytes + h->value_limits.bytes;
	c.shows_secrets = h->shows_secrets;
	c.depth = c.seen_count = 0;
	c.reads = reads;
	return capture_value(&c, o) ? (size_t)(c.at - bytes) : 0;
}

static void note_value(struct known *k, const struct known_value *v)
{
	k->length = 0;
	if (k->reads.failed || v->length > sizeof k->bytes)
		return;
	memcpy(k->bytes, v->bytes, v->length);
	k->length = (uint32_t)v->length;
	k->hash = v->hash;
}

struct known_value known_value_of(PyObject *o)
{
	static uint8_t bytes[VALUE_EVENT_MAX + CAPTURE_SLACK];
	struct known *k = known_place(o);
	const bool again = k->of == o;

	if (again && k->length && reads_are_same(&k->reads))
		return (struct known_value){k->bytes, k->length, k->hash};
	k->reads.words = k->reads.parts = 0;
	k->reads.failed = false;
	k->of = o;
	k->length = 0;
	struct known_value v = {
		.bytes = bytes, .length = make_value(o, bytes, again ? &k->reads : NULL)};
	v.hash = hash_bytes(bytes, v.length);
	if (again)
		note_value(k, &v);
	return v;
}
