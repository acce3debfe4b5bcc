/* What `p` is asked: a variable, what is below it, and len() of these, of what was captured.
 *
 *	order    order.item    order['item']    rows[2]    len(rows[2])
 *
 * It looks only in what was kept; nothing of the program runs, so nothing else can be asked.
 */
#ifndef PL_SESSION_VALUE_QUESTION_H
#define PL_SESSION_VALUE_QUESTION_H

#include "session/variables.h"

enum value_answer {
	ANSWER_VALUE,
	ANSWER_NOT_UNDERSTOOD,
	ANSWER_NO_VARIABLE, /* near; or it is not known: see variables.state */
	ANSWER_UNSET,	    /* the variable is not bound at this position */
	ANSWER_ABSENT,	    /* the variable has no such part */
	ANSWER_NOT_KEPT,    /* that part was cut, or is of a kind without such parts */
	ANSWER_NO_LENGTH,   /* of len(): of no kind that has one */
};

#define VALUE_NAME_BYTES 256 /* what is recorded is no longer */

struct value_question {
	enum value_answer answer;
	const struct variable *variable; /* that was named; NULL: there is none */
	char name[VALUE_NAME_BYTES];	 /* that was asked for, cut */
	char near[VALUE_NAME_BYTES];	 /* ANSWER_NO_VARIABLE: that may be meant; or "" */
	char path[VALUE_NAME_BYTES];	 /* the name and what is below it, cut */
	bool length;			 /* len() was asked */
	struct pl_value value;		 /* ANSWER_VALUE; of a length: an int */
};

/* Fills q. The value is valid as long as the variables are. */
void value_question_ask(struct value_question *q, const struct variables *v, const char *text);

#endif
