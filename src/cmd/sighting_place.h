/* An event that is being looked at for sightings, and what is done with a value that it has.
 *
 * Values of a frame are compared with what the frame had, parts of an object with what the object
 * had, and all others with the last one of the function.
 */
#ifndef PL_CMD_SIGHTING_PLACE_H
#define PL_CMD_SIGHTING_PLACE_H

#include "cmd/sightings.h"

/* Where a value comes from. */
struct sighting_origin {
	enum sighting_how how;
	const struct pl_code *code;
	int32_t line;
	bool written; /* by a line: what is equal to what was known is no news */
};

struct sighting_place {
	struct sightings *s;
	const struct pl_cursor *c;
	const struct pl_event *e;
	struct sighted_frame *f; /* NULL: frames are not needed */
	struct sighting_origin origin;
};

struct sighting sighting_row(const struct sighting_place *p, const struct pl_value *value);
/* Write the row, unless it is no news, and keep what it was in *known. */
void sighting_see(
	const struct sighting_place *p, struct sighting *row, struct sighted_value *known);
/* Of values that belong to no frame or object the last one of the function counts, with this id. */
void sighting_see_of_code(const struct sighting_place *p, struct sighting *row, uint64_t id);
/* Of the text of that length in the buffer. */
uint64_t sighting_text_hash(const struct sightings *s, size_t length);

/* The object becomes one that is followed; another one at its address is forgotten. */
void sighting_follow(const struct sighting_place *p, const struct pl_value *owner);
/* Write what the followed objects have that are in the value, each once in an event. */
void sighting_look_into(const struct sighting_place *p, const struct pl_value *value);
/* Its class; of a list and the like its kind. */
struct pl_text sighting_class_of(const struct pl_value *object);

#endif
