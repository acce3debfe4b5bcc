#include "cmd/sighted_state.h"

#include <stdlib.h>
#include <string.h>
#include "base/array.h"

/* ---- frames ---- */

/* The identity of a generator is not the number of a stack. */
static uint64_t frame_key(const struct pl_event *e)
{
	const uint64_t words[] = {e->generator, e->generator ? 0 : e->position.thread,
		e->generator ? 0 : e->greenlet, e->generator ? 0 : e->depth};

	return hash_bytes(words, sizeof words);
}

static void release_frame(struct sighted_frame *f)
{
	free((void *)f->kept.values.at);
	sighted_value_reset(&f->value);
}

static void forget_frames(struct sighted_state *s)
{
	for (size_t i = 0; i < s->frame_count; i++)
		release_frame(&s->all_frames[i]);
	map_release(&s->frames);
	s->frame_count = 0;
}

static bool frames_have_room(struct sighted_state *s)
{
	if (s->frame_count == SIGHTED_FRAMES_MAX)
		forget_frames(s);
	struct sighted_frame *all =
		array_room(s->all_frames, s->frame_count, &s->frame_room, sizeof *all);
	if (all)
		s->all_frames = all;
	return all;
}

static struct sighted_frame *frame_add(struct sighted_state *s, uint64_t key)
{
	uint64_t *place = frames_have_room(s) ? map_put(&s->frames, key) : NULL;

	if (!place)
		return NULL;
	struct sighted_frame *f = &s->all_frames[s->frame_count++];
	*f = (struct sighted_frame){.key = key};
	*place = s->frame_count;
	return f;
}

struct sighted_frame *sighted_frame_of(struct sighted_state *s, const struct pl_event *e)
{
	const uint64_t key = frame_key(e), *place = map_find(&s->frames, key);

	if (!place)
		return frame_add(s, key);
	struct sighted_frame *f = &s->all_frames[*place - 1];
	if (e->kind == PL_EVENT_CALL) {
		release_frame(f);
		*f = (struct sighted_frame){.key = key};
	}
	return f;
}

/* The last one takes its place. */
void sighted_frame_end(struct sighted_state *s, struct sighted_frame *f)
{
	struct sighted_frame *last = &s->all_frames[s->frame_count - 1];
	const uint64_t key = f->key;

	release_frame(f);
	if (last != f) {
		uint64_t *place = map_find(&s->frames, last->key);
		*f = *last;
		if (place)
			*place = (uint64_t)(f - s->all_frames) + 1;
	}
	map_remove(&s->frames, key);
	s->frame_count--;
}

bool sighted_keep(struct sighted_frame *f, const struct sighted_kept *kept)
{
	unsigned char *at = malloc((size_t)kept->values.bytes + 1);

	if (!at)
		return false;
	memcpy(at, kept->values.at, kept->values.bytes);
	free((void *)f->kept.values.at);
	f->kept = *kept;
	f->kept.values.at = at;
	return true;
}

/* ---- objects ---- */

struct sighted_object *sighted_object_find(struct sighted_state *s, uint64_t id)
{
	const uint64_t *place = map_find(&s->objects, id);

	return place ? &s->all_objects[*place - 1] : NULL;
}

static void forget_objects(struct sighted_state *s)
{
	for (size_t i = 0; i < s->object_count; i++)
		sighted_value_reset(&s->all_objects[i].value);
	map_release(&s->objects);
	s->object_count = 0;
}

static bool objects_have_room(struct sighted_state *s)
{
	if (s->object_count == SIGHTED_OBJECTS_MAX)
		forget_objects(s);
	struct sighted_object *all =
		array_room(s->all_objects, s->object_count, &s->object_room, sizeof *all);
	if (all)
		s->all_objects = all;
	return all;
}

struct sighted_object *sighted_object_add(struct sighted_state *s, uint64_t id)
{
	struct sighted_object *known = sighted_object_find(s, id);

	if (known)
		return known;
	uint64_t *place = objects_have_room(s) ? map_put(&s->objects, id) : NULL;
	if (!place)
		return NULL;
	known = &s->all_objects[s->object_count++];
	*known = (struct sighted_object){0};
	*place = s->object_count;
	return known;
}

void sighted_state_release(struct sighted_state *s)
{
	forget_frames(s);
	forget_objects(s);
	free(s->all_frames);
	free(s->all_objects);
	*s = (struct sighted_state){0};
}
