/* Codes: the recorder's number for each code object, and a body for each different one.
 *
 * Equal bodies with equal text are stored once, so a thousand lambdas of one line take a few bytes
 * each. Which body a code number has is stored twice: in each block that names the code, and in
 * CODES records, for a finisher.
 */
#ifndef PL_COLLECTOR_BODIES_H
#define PL_COLLECTOR_BODIES_H

#include "base/map.h"
#include "collector/graphs.h"
#include "collector/store.h"
#include "format/standing.h"

#define BODIES_KEPT_MAX                                                                            \
	((size_t)64 << 20) /* bytes kept to compare with; with more, equal ones are stored again */

#define BODIES_RECENT 256

struct bodies {
	struct pl_map codes; /* code number -> body number + 1 */
	struct pl_map known; /* hash of text and body -> position in kept + 1 */
	struct pl_buf kept;  /* (body number u32, text u32, length u32, bytes)… */
	uint32_t count;	     /* bodies so far; their numbers are 0 … count - 1 */
	uint32_t *freed;     /* owned: code numbers that no later event names */
	size_t freed_count, freed_room;
	struct pl_buf records; /* BODIES to write */
	struct pl_buf pairs;   /* CODES to write */
	struct graphs graphs;
	struct {
		uint32_t code; /* 0: none */
		struct follow_code *follow;
	} recent[BODIES_RECENT]; /* by a code's last bits: it never gets another body */
	struct standings standings;
};

/* A code has been described: it gets the number of an equal body, or a new one. text: of its
 * text, 0: none. `body` is copied. */
void bodies_add(struct bodies *b, uint32_t code, uint32_t text, struct pl_view body);
/* For counting rows without an event; borrows the bodies. */
struct follow_codes bodies_codes(struct bodies *b);
/* Append what is new to meta. */
void bodies_flush(struct bodies *b, struct store *out);

/* The recorder no longer needs this code. Its number is forgotten in bodies_forget, once all events
 * before are written. */
void bodies_free_code(struct bodies *b, uint32_t code);
void bodies_forget(struct bodies *b, size_t count);

/* Payloads of BODIES and CODES records, read from an existing recording. */
void bodies_load(struct bodies *b, struct pl_view payload);
void bodies_load_codes(struct bodies *b, struct pl_view payload);
void bodies_release(struct bodies *b);

#endif
