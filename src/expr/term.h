/* What an operand is for a subject: values that it may be compared by. */
#ifndef PL_EXPR_TERM_H
#define PL_EXPR_TERM_H

#include "expr/node.h"

/* Of a question: the subject, and which of its arguments the fields arg, value and type mean. */
struct ask {
	struct expr *e;
	const struct expr_subject *s;
	struct {
		enum { ARGUMENT_ANY, ARGUMENT_NONE, ARGUMENT_THIS } state;
		struct pl_text name, type; /* type: of an exception without a value */
		const struct pl_value *value;
		bool later; /* its value is not known yet */
	} argument;
	struct pl_buf *room; /* for texts */
};

enum term_state {
	TERM_ABSENT, /* there is none */
	TERM_ANY,    /* not known yet: it may be anything, or absent */
	TERM_KNOWN
};

#define TERM_VALUES 3

struct term {
	enum term_state state;
	/* Ways to say it: a thread has a number, and a name. */
	struct pl_value values[TERM_VALUES];
	size_t count;
	bool more;	/* there may be others, that are not known yet */
	bool lacks;	/* the part is not there: values[0] is that which does not have it */
	char separator; /* a name can be given by its end, after one of these; 0: not */
};

void term_take(const struct ask *a, struct expr_operand *o, struct term *out);

#endif
