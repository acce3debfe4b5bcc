#include "recorder/values/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "recorder/compat/objects.h"
#include "recorder/root.h"
#include "recorder/values/capture.h"
#include "recorder/values/text.h"
#include "recorder/values/variables.h"

/* Frames with as many variables as most have are taken from those that were freed. */
#define USUAL_VARIABLES 16
#define SPARE_MAX	64

static struct {
	struct pl_map by_frame; /* address of a frame -> kept_frame */
	struct kept_frame *newest, *oldest;
	struct kept_frame *spare; /* by `older` */
	unsigned spares;
	size_t bytes; /* of all but the spare ones */
} kept;

static uint64_t kept_key(const py_frame *frame)
{
	return (uint64_t)(uintptr_t)frame;
}

static uint64_t lost_by_now(void)
{
	return root.slot ? atomic_load_explicit(&root.slot->lost, memory_order_relaxed) : 0;
}

static size_t frame_bytes(const struct kept_frame *k)
{
	return sizeof *k + k->room * sizeof k->variables[0];
}

/* ---- by when they ran ---- */

static void unlink_frame(struct kept_frame *k)
{
	*(k->newer ? &k->newer->older : &kept.newest) = k->older;
	*(k->older ? &k->older->newer : &kept.oldest) = k->newer;
}

static void link_newest(struct kept_frame *k)
{
	k->newer = NULL;
	k->older = kept.newest;
	*(kept.newest ? &kept.newest->newer : &kept.oldest) = k;
	kept.newest = k;
}

/* ---- memory ---- */

static void names_release(struct kept_names *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		kept.bytes -= n->at[i].bytes;
		free(n->at[i].text);
	}
	kept.bytes -= n->room * sizeof *n->at;
	free(n->at);
	*n = (struct kept_names){0};
}

static void free_frame(struct kept_frame *k)
{
	names_release(&k->names);
	kept.bytes -= frame_bytes(k);
	unlink_frame(k);
	if (k->room != USUAL_VARIABLES || kept.spares == SPARE_MAX) {
		free(k);
		return;
	}
	k->older = kept.spare;
	kept.spare = k;
	kept.spares++;
}

static struct kept_frame *new_frame(uint32_t count)
{
	const uint32_t room = count < USUAL_VARIABLES ? USUAL_VARIABLES : count;
	struct kept_frame *k = room == USUAL_VARIABLES ? kept.spare : NULL;

	if (k) {
		kept.spare = k->older;
		kept.spares--;
	} else {
		k = malloc(sizeof *k + room * sizeof k->variables[0]);
	}
	if (k)
		memset(k, 0, sizeof *k + count * sizeof k->variables[0]);
	if (k) {
		k->count = count;
		k->room = room;
		kept.bytes += frame_bytes(k);
		link_newest(k);
	}
	return k;
}

/* ---- frames ---- */

static struct kept_frame *look_up(const py_frame *frame)
{
	if (kept.newest && kept.newest->frame == frame)
		return kept.newest;
	const uint64_t *place = map_find(&kept.by_frame, kept_key(frame));
	return place ? (struct kept_frame *)(uintptr_t)*place : NULL;
}

static void forget(struct kept_frame *k)
{
	map_remove(&kept.by_frame, kept_key(k->frame));
	free_frame(k);
}

void kept_forget(const py_frame *frame)
{
	struct kept_frame *k = look_up(frame);

	if (k)
		forget(k);
}

void kept_forget_all(void)
{
	while (kept.oldest)
		forget(kept.oldest);
}

struct kept_frame *kept_begin(const py_frame *frame, const PyCodeObject *code)
{
	const uint32_t all = (uint32_t)code->co_nlocalsplus;

	kept_forget(frame);
	while (kept.bytes > KEPT_BYTES_MAX && kept.oldest)
		forget(kept.oldest);
	uint64_t *place = map_put(&kept.by_frame, kept_key(frame));
	if (!place)
		return NULL;
	struct kept_frame *k = new_frame(all < KEPT_VARIABLES_MAX ? all : KEPT_VARIABLES_MAX);
	if (!k) {
		map_remove(&kept.by_frame, kept_key(frame));
		return NULL;
	}
	*place = (uintptr_t)k;
	k->frame = frame;
	k->code = code;
	k->lost = lost_by_now();
	return k;
}

struct kept_frame *kept_find(const py_frame *frame, const PyCodeObject *code)
{
	struct kept_frame *k = look_up(frame);

	if (!k || k->code != code || k->lost != lost_by_now()) {
		k = kept_begin(frame, code);
		if (k)
			k->fresh = true;
	} else if (k != kept.newest) {
		unlink_frame(k);
		link_newest(k);
	}
	return k;
}

/* ---- names ---- */

/* Keys of a dict have their hash. */
static int64_t key_hash(PyObject *key)
{
	return ((PyASCIIObject *)key)->hash;
}

struct kept_name *kept_name_find(struct kept_names *n, PyObject *key)
{
	const int64_t hash = key_hash(key);

	for (uint32_t i = 0; i < n->count; i++) {
		const uint32_t at = n->next + i < n->count ? n->next + i : n->next + i - n->count;
		if (n->at[at].hash == hash) {
			n->next = at + 1 < n->count ? at + 1 : 0;
			return &n->at[at];
		}
	}
	return NULL;
}

/* A row for one more; of a name that is not bound, if there are too many. */
static struct kept_name *name_row(struct kept_names *n)
{
	if (n->count == KEPT_NAMES_MAX) {
		for (uint32_t i = 0; i < n->count; i++)
			if (!n->at[i].is.number && n->at[i].turn != n->turn) {
				kept.bytes -= n->at[i].bytes;
				free(n->at[i].text);
				return &n->at[i];
			}
		return NULL;
	}
	if (n->count == n->room) {
		const uint32_t room = n->room ? 2 * n->room : 16;
		struct kept_name *more = realloc(n->at, room * sizeof *more);
		if (!more)
			return NULL;
		kept.bytes += (room - n->room) * sizeof *more;
		n->at = more;
		n->room = room;
	}
	return &n->at[n->count++];
}

struct kept_name *kept_name_of(struct kept_frame *k, PyObject *key)
{
	uint8_t text[VARIABLE_NAME_MAX];
	struct kept_name *row = kept_name_find(&k->names, key);

	if (row)
		return row;
	row = name_row(&k->names);
	if (!row)
		return NULL;
	*row = (struct kept_name){.hash = key_hash(key), .hidden = capture_name_is_secret(key)};
	size_t bytes = variable_is_told(key) ? text_encode(text, sizeof text, key, SIZE_MAX) : 0;
	row->text = bytes ? malloc(bytes) : NULL;
	if (!row->text)
		return row;
	memcpy(row->text, text, bytes);
	row->bytes = (uint8_t)bytes;
	kept.bytes += bytes;
	return row;
}
