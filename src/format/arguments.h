/* Names of a code's arguments, in the order in which an event VALUES has their values
 * (value_table.h): as in a signature, the positional ones first, then that of `*`, then those by
 * keyword only, then that of `**`.
 *
 *	count | name string... | after the star	  since 1.13; missing: 0
 *
 * `after the star` is how many by keyword only are after the `*`. Before 1.13 they were before it.
 *
 * They stay as bytes: who reads values asks for them, others pass over them.
 */
#ifndef PL_FORMAT_ARGUMENTS_H
#define PL_FORMAT_ARGUMENTS_H

#include "base/buf.h"
#include "base/view.h"

/* Flags of a code, as in co_flags: it has an argument `*`, or `**`. */
#define ARGUMENTS_STAR	0x4u
#define ARGUMENTS_STARS 0x8u

struct arguments {
	uint32_t count;
	struct pl_view names; /* so many strings, one after another: a view into somebody's bytes */
	uint32_t after_star;  /* without those of `**`; at most `count` */
};

/* If there is no memory, `out` says so. */
void arguments_write(struct pl_buf *out, const struct arguments *a);
/* All names are checked to be there. 0; PL_ERR_FORMAT: *v is unchanged. */
int arguments_read(struct pl_view *v, struct arguments *out);
/* Take the first name of those that are left. False: there is none. */
bool arguments_next(struct arguments *a, struct pl_view *name);

#endif
