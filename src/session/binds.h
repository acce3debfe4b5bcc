/* Can a line have bound a variable? By its text: nothing else of a recording says which of the
 * frame's variables a line binds.
 *
 *	left = stock[item]      left, not stock or item
 *	for one in rows:        one; rows, too, as it is not read that exactly
 *	print(left)             none: who changed left meanwhile was not this line
 *
 * A frame's variables are looked at when the frame goes on. A debugger, another thread, exec or an
 * inner function can have written one while a line ran, or stood. Of what is no container, and was
 * changed while such a line ran, that is known; elsewhere it is not.
 */
#ifndef PL_SESSION_BINDS_H
#define PL_SESSION_BINDS_H

#include "pathline/pathline.h"
#include "pathline/values.h"

/* Can this line by itself have bound the name? true also where that is not known. continues: the
 * line is the middle of a statement. */
bool binds_name(struct pl_text line, struct pl_text name, bool continues);

/* Can this line of the code have given the variable the value? true also where that is not known,
 * and of a container, which what the line called can have changed. */
bool binds_value(struct pl_recording *r, const struct pl_code *code, int32_t line,
	const struct pl_value *value, struct pl_text name);

#endif
