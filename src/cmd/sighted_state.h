/* What is known of the frames that live, and of the objects that are followed, while the events of
 * a process are gone through for sightings.
 *
 * A frame is that of a generator, by its identity, or the one at its depth on a stack. Frames are
 * forgotten when they end; those of which no end was recorded are limited to SIGHTED_FRAMES_MAX,
 * and objects to SIGHTED_OBJECTS_MAX: then all of them are forgotten, and are new when they come
 * again.
 */
#ifndef PL_CMD_SIGHTED_STATE_H
#define PL_CMD_SIGHTED_STATE_H

#include "base/map.h"
#include "cmd/sighted_value.h"
#include "pathline/pathline.h"

#define SIGHTED_FRAMES_MAX  (1u << 20)
#define SIGHTED_OBJECTS_MAX (1u << 16)

/* A value as it was captured, to be shown later. */
struct sighted_kept {
	struct pl_values values; /* owned: all of the event */
	size_t index;		 /* which of them it is */
	int how;		 /* enum sighting_how */
	const struct pl_code *code;
	int32_t line; /* that wrote or passed it */
};

struct sighted_frame {
	uint64_t key;
	int32_t line; /* at which it was, 0: not known */
	bool late;    /* the last event had no room for all, and not the name that is asked for */
	struct sighted_value value;
	struct sighted_kept kept;
};

struct sighted_object {
	uint64_t class_hash; /* 0: not known yet */
	uint64_t parts;	     /* a bit for each of its keys or attributes, by their hash */
	struct sighted_value value;
};

/* All zero is empty. */
struct sighted_state {
	struct pl_map frames;		  /* owned: -> index + 1 in all_frames */
	struct sighted_frame *all_frames; /* owned */
	size_t frame_count, frame_room;
	struct pl_map objects;		    /* owned: id -> index + 1 in all_objects */
	struct sighted_object *all_objects; /* owned */
	size_t object_count, object_room;
};

/* The frame of the event; one that begins is new. NULL: no memory. Valid until the next call. */
struct sighted_frame *sighted_frame_of(struct sighted_state *s, const struct pl_event *e);
void sighted_frame_end(struct sighted_state *s, struct sighted_frame *f);
/* Keep a copy of the values. false: no memory. */
bool sighted_keep(struct sighted_frame *f, const struct sighted_kept *kept);

/* The object with this id; NULL: it is not followed. */
struct sighted_object *sighted_object_find(struct sighted_state *s, uint64_t id);
/* Follow it. NULL: no memory. */
struct sighted_object *sighted_object_add(struct sighted_state *s, uint64_t id);

void sighted_state_release(struct sighted_state *s);

#endif
