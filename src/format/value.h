/* The bytes of an event VALUES (value_table.h), read: what pathline/values.h gives.
 *
 *	VALUES   | flags | LIST id length | INT 1 | STR 1 "a" | END | NONE |
 *	                   '- a value, whose members are     '       '- the next one
 *	                      values again
 *
 * The members of a value are walked once when it is read, with a stack of fixed size. So who asks
 * for members, and for theirs, finds bytes that were checked, and a bounded depth.
 */
#ifndef PL_FORMAT_VALUE_H
#define PL_FORMAT_VALUE_H

#include "base/view.h"
#include "format/value_table.h"
#include "pathline/values.h"

_Static_assert(PL_VALUE_DEPTH > 3 * VALUE_DEPTH_MAX + 3, "exceptions and slices have no depth");

/* The values of an event. 0 or PL_ERR_FORMAT; the values themselves are not looked at. */
int values_open(struct pl_view bytes, struct pl_values *out);
/* The same for VARIABLES: its values have names. */
int variables_open(struct pl_view bytes, struct pl_values *out);
/* Read each value, and each member. 0, PL_ERR_FORMAT, or PL_ERR_VERSION. */
int values_check(struct pl_view bytes);
int variables_check(struct pl_view bytes);

#endif
