/* An expression after it was read: nodes that point to each other and to operands, by index.
 *
 *	args.qty > 10 and not name == 'x'
 *
 *	nodes     AND ─┬─ GT ── operands: args.qty, 10
 *	               └─ NOT ── EQ ── operands: name, 'x'
 *
 * All is in one piece of memory with bounds that no sensible expression reaches.
 */
#ifndef PL_EXPR_NODE_H
#define PL_EXPR_NODE_H

#include "base/buf.h"
#include "base/map.h"
#include "expr/expr.h"
#include "expr/known_names.h"
#include "expr/pattern.h"

#define EXPR_NODES    256
#define EXPR_OPERANDS 256
#define EXPR_STEPS    128
#define EXPR_REGEXES  16
#define EXPR_DEPTH    64 /* of brackets and nots in each other */

enum expr_op {
	OP_OR,
	OP_AND,
	OP_NOT, /* left alone */
	OP_IS,	/* the operand `left` by itself: is it true? */
	/* of the operands left and right */
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_LIKE,
	OP_MATCHES,
	OP_IN,
};

/* Fields. A row: constant, word, what must be known for it (enum expr_known), meaning. */
#define EXPR_FIELDS(X)                                                                             \
	X(TIME, "time", EXPR_EVENT, "when it was: '2026-11-28 10:00:01.5', '10:00', '+1.5'")       \
	X(TID, "tid", EXPR_THREAD, "the thread's id, as gettid(2) gave it")                        \
	X(THREAD, "thread", EXPR_THREAD, "the thread's number in its process, or its name")        \
	X(TASK, "task", EXPR_EVENT, "the task's number in its process, or its name; or None")      \
	X(PROCESS, "process", EXPR_THREAD,                                                         \
		"the process' number in the recording, or its command line")                       \
	X(PID, "pid", EXPR_THREAD, "the process' id")                                              \
	X(MODULE, "module", EXPR_CODE, "by its file: shop.cart of shop/cart.py; or its end, cart") \
	X(FILE, "file", EXPR_CODE, "co_filename, or its end after a slash")                        \
	X(FUNC, "func", EXPR_CODE, "co_qualname, or its end after a dot")                          \
	X(LINE, "line", EXPR_LINE, "of the event; of a call, where the function begins")           \
	X(EVENT, "event", EXPR_KIND, "call, line, return, yield, resume, throw, unwind, raise …")  \
	X(SEQ, "seq", EXPR_EVENT, "number of the event in its thread, as #4711")                   \
	X(DEPTH, "depth", EXPR_EVENT, "frames below it")                                           \
	X(DURATION, "duration", EXPR_END, "of the call, at its end: 5ms, 1.5s")                    \
	X(ARG, "arg", EXPR_ARGS | EXPR_END,                                                        \
		"name of an argument; 'return value' and 'exception' are among them")              \
	X(VALUE, "value", EXPR_ARGS | EXPR_END, "of that argument")                                \
	X(TYPE, "type", EXPR_ARGS | EXPR_END, "of that argument's value, by name")                 \
	X(EXCEPTION, "exception", EXPR_END, "with which it ended, or that was raised; or None")    \
	X(RESULT, "result", EXPR_END, "what was returned or yielded")                              \
	X(ARGS, "args", EXPR_ARGS, "args.NAME: an argument; args.order['item'], args.self.name")   \
	X(VARIABLE, "", EXPR_ARGS, "")

enum expr_field {
#define X(constant, word, needs, meaning) FIELD_##constant,
	EXPR_FIELDS(X)
#undef X
		FIELD_COUNT
};

/* What an event by itself can have of it: kinds that have arguments, and so on. */
uint32_t field_kinds(enum expr_field field);
uint32_t field_needs(enum expr_field field);
/* FIELD_COUNT: there is none of this name. */
enum expr_field field_find(struct pl_text word);
/* The nearest word; NULL: none is near. */
const char *field_nearest(struct pl_text word);

/* .name, [3] or ['key'] */
struct expr_step {
	enum { STEP_ATTRIBUTE, STEP_INDEX, STEP_KEY } kind;
	struct pl_value key; /* a str or an int; of an attribute, its name */
};

struct expr_operand {
	enum { OPERAND_LITERAL, OPERAND_FIELD, OPERAND_LIST } kind;
	size_t at, end; /* in the text */
	struct pl_value literal;
	bool duration; /* the literal is one */
	int64_t unit;  /* of a literal that is a time: == is true for so many ns from it on */
	struct pattern *pattern; /* owned; of a literal after ~ */
	uint16_t first, count;	 /* of a list: operands. Of a field: steps */
	enum expr_field field;
	/* of args and of a variable: its name; of a variable that is a field if it is none */
	struct pl_text name;
	enum expr_field else_field;				/* FIELD_COUNT: none */
	enum { APPLY_NOTHING, APPLY_LENGTH, APPLY_TYPE } apply; /* len(), type() */
	/* which of the code's arguments it is, of the code that was asked for last */
	const struct pl_code *code;
	size_t index; /* SIZE_MAX: it has none of that name */
};

/* What happened to the part while it was asked, to be told where nothing was selected. */
struct expr_seen {
	bool asked, matched; /* with all that it compares known */
	bool lacks;	     /* or what it compares had not the part that it asks for */
	bool has_range;
	double least, most; /* numbers that it had */
	/* the first texts that it had; until it is asked, the names of parts that were there */
	char texts[8][48];
	uint32_t text_count;
	/* of all texts that it had the nearest to the one that was given; "": none is near */
	char near[48];
	size_t near_edits;
	uint32_t compared; /* texts that were compared for that */
	bool has_given;
	char given[PLAIN_WORD_BYTES];
};

struct expr_node {
	enum expr_op op;
	uint16_t left, right;
	size_t at, end; /* in the text */
	struct expr_seen seen;
};

struct expr {
	char text[EXPR_TEXT_MAX + 1];
	char strings[2 * EXPR_TEXT_MAX];
	struct expr_node nodes[EXPR_NODES];
	struct expr_operand operands[EXPR_OPERANDS];
	struct expr_step steps[EXPR_STEPS];
	uint16_t node_count, operand_count, step_count, regex_count, root;
	uint32_t needs;
	bool by_argument;  /* it has arg, value or type */
	bool looks_back;   /* it asks the end of a call for its beginning, or for what was raised */
	struct pl_map may; /* owned: of a code and a scope: two bits for each kind */
	struct pl_buf room; /* owned: for texts */
};

/* Of a comparison that was read: do its operands fit? NULL: they do; *at: where they do not. */
int node_fit(struct expr *e, struct expr_node *n, const struct expr_words *words,
	struct expr_fault *fault);
/* Say where and why. Returns PL_ERR_ARGUMENT. */
int fault_say(const struct expr *e, struct expr_fault *fault, size_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The nodes of a text that is in e. */
int parse(struct expr *e, const struct expr_words *words, struct expr_fault *fault);

/* The text to which it compares, of a list the first one; "": none. */
struct pl_text node_text(const struct expr *e, const struct expr_node *n);

/* Is this part true of the subject, or can it be? */
bool expr_part_is(struct expr *e, const struct expr_node *n, const struct expr_subject *s);

static inline struct pl_text text_part(const char *text, size_t at, size_t end)
{
	return (struct pl_text){.at = text + at, .length = end - at};
}

static inline bool text_is(struct pl_text t, const char *word)
{
	return strlen(word) == t.length && !memcmp(word, t.at, t.length);
}

#endif
