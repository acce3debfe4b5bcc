/* Patterns for paths and for names of modules.
 *
 *	*        any run of characters; in a path none of them is a '/'
 *	**       any run of characters
 *	?        one character, in a path no '/'
 *	[a-z]    one of these; [!a-z] one of the others
 *
 * There is no escape: a character that means something stands in brackets, as [*]. What is matched
 * is bytes; a byte of UTF-8 is a character to '?' and to brackets.
 *
 * Pure, and without memory of its own; the time is bounded by pattern times text times text.
 */
#ifndef PL_FILTER_GLOB_H
#define PL_FILTER_GLOB_H

#include <stdbool.h>
#include "base/view.h"

/* Does the pattern match all of the text? separator: what * and ? do not match, 0: nothing. */
bool glob_match(struct pl_view pattern, struct pl_view text, char separator);
/* Is every bracket closed, and not empty? */
bool glob_is_sound(struct pl_view pattern);

#endif
