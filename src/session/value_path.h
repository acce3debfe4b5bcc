/* A path below a name: what a person types to ask for a part of a value that was captured.
 *
 *	self.total    order['item']    rows[0].price    table[-1]
 *
 * It says where to look in what was kept; nothing of the program runs.
 */
#ifndef PL_SESSION_VALUE_PATH_H
#define PL_SESSION_VALUE_PATH_H

#include "pathline/pathline.h"

#define VALUE_PATH_STEPS 16

struct value_step {
	enum {
		STEP_ATTRIBUTE, /* .text: of an object, or a field of a named tuple */
		STEP_NUMBER,	/* [number]: an item of a sequence, or a key of a dict */
		STEP_TEXT	/* ['text']: a key of a dict */
	} kind;
	struct pl_text text;
	int64_t number;
};

/* Its texts point into what was read. */
struct value_path {
	struct pl_text root;
	struct value_step steps[VALUE_PATH_STEPS];
	size_t count;
};

/* 0, or PL_ERR_ARGUMENT: it is no path; the cause says what is expected, and where. */
int value_path_read(struct value_path *p, const char *text, struct pl_err *err);

enum value_found {
	VALUE_FOUND,
	VALUE_ABSENT,  /* all of it was kept, and it has no such part */
	VALUE_NOT_KEPT /* it was cut, or its kind has no such parts */
};

/* The part to which one step leads. */
enum value_found value_path_step(
	const struct pl_value *in, const struct value_step *step, struct pl_value *out);
/* The same for all steps from `first` on; `first` = p->count gives the value itself. */
enum value_found value_path_find(
	const struct value_path *p, size_t first, const struct pl_value *in, struct pl_value *out);

/* Are these the same bytes? */
bool value_text_is(struct pl_text text, struct pl_text other);
/* Has one of the values this name? */
bool value_name_is_among(struct pl_values values, struct pl_text name);

#endif
