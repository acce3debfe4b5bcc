/* Expressions: which events, or which calls, are wanted.
 *
 *	module == 'shop%' and args.qty > 10 and not (event == 'line' or duration < 5ms)
 *
 * A part that compares something that there is not (an argument that the function does not have, a
 * result of a line) is neither true nor false, and so is what `not` makes of it: it selects
 * nothing.
 *
 * An expression is asked about a subject of which more or less is known, as a stop is: of a kind
 * alone, of a row (kind, code, line), of an event with its values. It answers no, maybe or yes. So
 * who reads a path can pass over what cannot match:
 *
 *	expr_kinds          the kinds of events that can match
 *	expr_may            a row, as pl_wanted.may
 *	expr_ask            anything
 *
 * What is read is text from a user: all is bounded, and a fault says where it is.
 */
#ifndef PL_EXPR_EXPR_H
#define PL_EXPR_EXPR_H

#include "pathline/pathline.h"
#include "pathline/values.h"
#include "session/when.h"

#define EXPR_TEXT_MAX 4096 /* bytes of an expression */

struct expr;

/* What its words mean where it is used. */
struct expr_words {
	/* of the recording, for times; not kept. NULL: times are refused */
	const struct when_scale *scale;
	bool variables; /* a bare name is a variable of the frame, and only then a field */
};

/* Why it was not read. */
struct expr_fault {
	size_t column; /* from 1, in characters */
	char what[384];
	char unknown[64]; /* a name that is no field, where that is why; else "" */
};

/* 0; PL_ERR_ARGUMENT: *fault says why; PL_ERR_MEMORY. The text is copied. */
int expr_read(struct expr **out, const char *text, const struct expr_words *words,
	struct expr_fault *fault);
void expr_free(struct expr *e); /* NULL is fine */

/* ---- what is asked ---- */

/* What is known of a subject. Of what is not known, anything is possible. */
enum expr_known {
	EXPR_KIND = 1,
	EXPR_CODE = 2,
	EXPR_LINE = 4,
	EXPR_THREAD = 8, /* and the process */
	EXPR_EVENT = 16, /* time, seq, depth, task */
	EXPR_ARGS = 32,
	EXPR_END = 64, /* how a call ended: result, exception, duration */
	EXPR_ALL = 127,
};

/* A subject is one of these. */
enum expr_scope {
	EXPR_OF_EVENT, /* an event: only that of a call, and that of its end, have arguments */
	EXPR_OF_CALL,  /* a call with its end: `event` is the kind of either */
	EXPR_OF_FRAME, /* an event in a frame, whose arguments each of its events has */
};

#define EXPR_NO_DURATION (-1)

struct expr_subject {
	enum expr_scope scope;
	uint32_t known;			   /* enum expr_known */
	enum pl_event_kind kind, end_kind; /* end_kind: of a call, or the same */
	const struct pl_code *code;
	int32_t line;
	uint32_t depth;
	const struct pl_process *process;
	const struct pl_thread *thread;
	int64_t time_ns;
	uint64_t seq, task_id;
	const char *task;
	/* Not owned; NULL: it has none. args: of the call, in the order of pl_code_arguments. */
	const struct pl_values *args, *result, *exception;
	const char *type;    /* of the exception; NULL: there is none */
	int64_t duration_ns; /* or EXPR_NO_DURATION */
	/* A variable of the frame, for EXPR_OF_FRAME; `passed`: an argument as it was passed, if
	 * `args` is NULL. false: it is not bound, or not known. */
	bool (*variable)(void *context, struct pl_text name, bool passed, struct pl_value *out);
	void *context;
};

enum expr_answer { EXPR_NO, EXPR_MAYBE, EXPR_YES };

enum expr_answer expr_ask(struct expr *e, const struct expr_subject *s);

/* An event by itself, with its values. */
void expr_subject_of(struct expr_subject *s, const struct pl_event *e);

/* A bit for each kind of event that can match. */
uint32_t expr_kinds(struct expr *e, enum expr_scope scope);
/* Can an event with this code, line and kind match? Answers for a code are kept. */
bool expr_may(struct expr *e, enum expr_scope scope, const struct pl_count *row);
/* Can any event of this code? */
bool expr_may_code(struct expr *e, enum expr_scope scope, const struct pl_code *code);
/* Can anything of this thread match? */
bool expr_may_thread(
	struct expr *e, const struct pl_process *process, const struct pl_thread *thread);
/* Only events with *from <= time <= *to can match. */
void expr_times(struct expr *e, int64_t *from, int64_t *to);
/* Does it look at anything for which these must be known? A mask of enum expr_known. */
uint32_t expr_needs(const struct expr *e);
/* The names of variables that it reads, one by one, some more than once. false: there are no
 * more. */
bool expr_variable(const struct expr *e, size_t index, struct pl_text *name);

/* Must the end of a call know its beginning, as frames.h has it, for some event to match? */
bool expr_looks_back(struct expr *e);

/* Does it read this field? Does it look into a value, as exception.args[0]? */
bool expr_reads(const struct expr *e, const char *field);
bool expr_reads_parts(const struct expr *e);

/* The fields for a help, "time tid …": a word and its meaning; NULL after the last. */
struct expr_field_row {
	const char *word, *meaning;
};
const struct expr_field_row *expr_field_row(size_t index);

#endif
