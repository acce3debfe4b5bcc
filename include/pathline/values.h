/* Values: what the arguments of a call were, and what was returned, yielded, sent or raised, of a
 * recording that has kept them (record --values). They are as they were at that event: later
 * changes of an object do not show.
 *
 *	pl_cursor_want_values(c, true);
 *	while (pl_cursor_next(c, &event, &err) == 0) {
 *		struct pl_values rest = event.values;
 *		while (pl_values_next(&rest, &value) == 0)
 *			...                     of a list: pl_values_next(&value.members, &member)
 *	}
 *
 * The values of an event are, of
 *
 *	call            the arguments, in the order of pl_code_arguments
 *	resume          what was sent; None after a plain next()
 *	throw, raise, reraise   the exception
 *	return          the result
 *	yield           what is yielded or awaited
 *
 * The variables of an event (record --values lines) are those of its frame that have changed since
 * the frame's event before: bound anew, deleted (UNSET), or with other contents. Each value has the
 * variable's `name`. An event that leaves the frame, or raises, has those of the frame's last line.
 * With PL_VALUES_ALL they are not only the changed ones: then each bound variable is there. Those
 * of a module or a class body are its names.
 *
 * Nothing here allocates. All texts and members point into the event's bytes, and are valid until
 * the cursor moves; the structs themselves can be copied. Texts are UTF-8, in which a lone
 * surrogate is as Python's surrogatepass writes it; they have no NUL at their end. The bytes are
 * not trusted: each function reads no further than they are, and no deeper than PL_VALUE_DEPTH.
 */
#ifndef PATHLINE_VALUES_H
#define PATHLINE_VALUES_H

#include "pathline/cursor.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Kinds of values. A row: constant, its number in the format, the word that `dump --json` writes.
 * What a value of the kind has is said at struct pl_value. */
#define PL_VALUE_KINDS(X)                                                                          \
	X(NONE, 1, "none")                                                                         \
	X(FALSE, 2, "false")                                                                       \
	X(TRUE, 3, "true")                                                                         \
	X(INT, 4, "int")   /* of at most 64 bits: integer */                                       \
	X(LONG, 5, "long") /* longer: length in bits, integer -1 or 1, text */                     \
	X(FLOAT, 6, "float")                                                                       \
	X(COMPLEX, 7, "complex")                                                                   \
	X(STR, 8, "str")     /* length in characters */                                            \
	X(BYTES, 9, "bytes") /* this and the next two: length in bytes */                          \
	X(BYTEARRAY, 10, "bytearray")                                                              \
	X(MEMORYVIEW, 11, "memoryview")                                                            \
	X(LIST, 12, "list")                                                                        \
	X(TUPLE, 13, "tuple")                                                                      \
	X(SET, 14, "set")                                                                          \
	X(FROZENSET, 15, "frozenset")                                                              \
	X(DEQUE, 16, "deque")                                                                      \
	X(DICT, 17, "dict") /* members: a key, its value, the next key */                          \
	X(NAMEDTUPLE, 18, "namedtuple")                                                            \
	X(OBJECT, 19, "object")	      /* members: attributes with names */                         \
	X(EXCEPTION, 20, "exception") /* a member: its args; cause, context */                     \
	X(RANGE, 21, "range")	      /* members: start, stop, step */                             \
	X(SLICE, 22, "slice")                                                                      \
	X(FUNCTION, 23, "function") /* this and the next four: text */                             \
	X(METHOD, 24, "method")                                                                    \
	X(CLASS, 25, "class")                                                                      \
	X(MODULE, 26, "module")                                                                    \
	X(TEXT, 27, "text")	    /* text is its repr: datetime, Decimal, a path */              \
	X(SEEN, 29, "seen")	    /* the object with this id, above or before */                 \
	X(REDACTED, 30, "redacted") /* it was secret by its name */                                \
	X(UNSET, 31, "unset")	    /* a variable that was not bound */                            \
	X(CUT, 32, "cut")	    /* its type alone */

enum pl_value_kind {
#define X(constant, number, word) PL_VALUE_##constant = number,
	PL_VALUE_KINDS(X)
#undef X
};

/* The greatest depth of values in each other; bytes that go deeper are damage. It is more than
 * three times the depth of --values-limit: of a list in an exception in a slice, the list alone has
 * one there. */
#define PL_VALUE_DEPTH 64

/* A value. What its kind does not have is 0, or has `at` NULL. */
struct pl_value {
	enum pl_value_kind kind;
	/* The name of its type, if the kind does not say it: of a subclass, an object. */
	struct pl_text type;
	struct pl_text name; /* of a member that is an attribute, or a field of a named tuple */
	/* Of a str: its characters. Of bytes: they. Of a long: its magnitude, the lowest byte
	 * first; empty: not kept. Of a function and the like: its name. It may be cut: see
	 * `missing`. */
	struct pl_text text;
	struct pl_text cause, context; /* of an exception: types of __cause__ and __context__ */
	uint64_t id;	  /* tells two objects apart while both are alive; 0: not kept */
	uint64_t length;  /* members, characters, bytes or bits that it had */
	uint64_t missing; /* of these, how many are not kept */
	int64_t integer;
	double real, imaginary; /* of a float: real */
	struct pl_values members;
};

/* Take the first value. 0; PL_END: there are no more; PL_ERR_FORMAT: the bytes are damaged, and
 * *values is unchanged; PL_ERR_VERSION: it is of a kind that this version does not know. */
int pl_values_next(struct pl_values *values, struct pl_value *out);

/* The word of a kind, as in PL_VALUE_KINDS; valid for ever. "?": it is not known. */
const char *pl_value_kind_name(enum pl_value_kind kind);

/* Write the value as Python's repr would, where that is possible: {'item': 'anvil', 'count': 2}. An
 * object is <Order item='anvil' count=2>, a part that was not kept …+990 items. No control
 * character is written. The text has at most max - 1 bytes, and a NUL: a longer one ends with ….
 * max: at least 8. Returns its length in bytes. */
size_t pl_value_text(const struct pl_value *value, char *text, size_t max);

/* An argument of a code. */
struct pl_argument {
	struct pl_text name; /* valid until the recording is closed */
	const char *stars;   /* "*" or "**": it takes those that are left over; else "" */
};
/* The arguments of which a call of the code has values, in their order. Returns their number, and
 * fills at most `max`. 0: there are none, or the recording has no values of the code. */
size_t pl_code_arguments(const struct pl_code *c, struct pl_argument *arguments, size_t max);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
