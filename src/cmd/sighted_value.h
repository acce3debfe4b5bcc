/* What a value was when it was seen last, to tell whether it is another one now.
 *
 *	d          [0, {'k': {…+1 item}}]       d[1]['k'] is {…+1 item}
 *	inner      {'a': 1}                     the same dict, less deep in what was kept
 *
 * The same object is kept in less detail where it is deeper in another one, or where an event had
 * little room. So only what was kept both times is compared, and the more detailed of the two is
 * what the next one is compared with.
 */
#ifndef PL_CMD_SIGHTED_VALUE_H
#define PL_CMD_SIGHTED_VALUE_H

#include "pathline/pathline.h"

struct sighted_copy;

/* All zero: nothing is known. */
struct sighted_value {
	uint64_t text; /* its hash */
	uint64_t id;
	struct sighted_copy *copy; /* owned; NULL: the text says all, or it was too large */
};

/* Keep what it is now; text: hash of its text. Returns whether it is the same as before, as far as
 * it was kept. any_object: another object with an equal text is the same, too. */
bool sighted_value_take(
	struct sighted_value *known, const struct pl_value *now, uint64_t text, bool any_object);
void sighted_value_reset(struct sighted_value *known);

#endif
