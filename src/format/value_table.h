/* The table of values: how the recorder writes what an argument or a result was, and what readers
 * make of it.
 *
 * An event EVENT_VALUES (event.h, a further kind) is directly before the event to which its values
 * belong:
 *
 *	values   | flags | value... |		flags: VALUES_*; values up to the end of the bytes
 *	value    | tag u8 | fields |		as in the rows below
 *
 * Its values are, of
 *
 *	ENTER                the arguments, in the order of the body's arguments (body.h)
 *	RESUME               what was sent, None after a plain next()
 *	THROW, RAISE, RERAISE   the exception
 *	LEAVE, SUSPEND       the result; what is yielded or awaited
 *
 * An event EVENT_VARIABLES is in front of these two:
 *
 *	variables | flags | name string | value | name string | value | ...
 *
 * They are what the variables of the frame became since its event before.
 *
 *	X(constant, number, fields, text)
 *
 * `fields` are FORMAT.md's words. Numbers are varints; `id` is the object's address / 8, 0: it is
 * not kept; `length` is how many members, characters or bytes there were, of which fewer may
 * follow; a string has its length in bytes before it, and is UTF-8 as Python's surrogatepass writes
 * it. Members end with END; so a name has a byte at least.
 */
#ifndef PL_FORMAT_VALUE_TABLE_H
#define PL_FORMAT_VALUE_TABLE_H

#define VALUE_KINDS(X)                                                                             \
	X(END, 0, "", "the members of a value end")                                                \
	X(NONE, 1, "", "None")                                                                     \
	X(FALSE, 2, "", "False")                                                                   \
	X(TRUE, 3, "", "True")                                                                     \
	X(INT, 4, "number zigzag", "an int of at most 64 bits")                                    \
	X(LONG, 5, "bits * 2 + negative, magnitude string",                                        \
		"a longer int, the lowest byte first; the string is empty if it is not kept")      \
	X(FLOAT, 6, "8 bytes", "a float, as a little-endian double")                               \
	X(COMPLEX, 7, "8 bytes, 8 bytes", "a complex: its real and its imaginary part")            \
	X(STR, 8, "length, string", "a str, of `length` characters")                               \
	X(BYTES, 9, "length, string", "bytes")                                                     \
	X(BYTEARRAY, 10, "id length, string", "a bytearray")                                       \
	X(MEMORYVIEW, 11, "id length, string", "a memoryview, in bytes")                           \
	X(LIST, 12, "id length, value… END", "a list")                                             \
	X(TUPLE, 13, "id length, value… END", "a tuple")                                           \
	X(SET, 14, "id length, value… END", "a set")                                               \
	X(FROZENSET, 15, "id length, value… END", "a frozenset")                                   \
	X(DEQUE, 16, "id length, value… END", "a collections.deque")                               \
	X(DICT, 17, "id length, (value, value)… END", "a dict: keys and values")                   \
	X(NAMEDTUPLE, 18, "id length, (name string, value)… END", "a named tuple: its fields")     \
	X(OBJECT, 19, "id length, (name string, value)… END", "an object: its attributes")         \
	X(EXCEPTION, 20, "id cause string, context string, value",                                 \
		"an exception: types of __cause__ and __context__, empty: none; and its args")     \
	X(RANGE, 21, "value, value, value", "a range: start, stop, step")                          \
	X(SLICE, 22, "value, value, value", "a slice: start, stop, step")                          \
	X(FUNCTION, 23, "id name string", "a function, by its qualified name")                     \
	X(METHOD, 24, "id name string", "a bound method, by that of its function")                 \
	X(CLASS, 25, "id name string", "a class")                                                  \
	X(MODULE, 26, "id name string", "a module")                                                \
	X(TEXT, 27, "id text string",                                                              \
		"an object of the standard library, or of numpy, about as its repr has it: "       \
		"datetime, Decimal, UUID, a path, an enum's member, a pattern, an array")          \
	X(TYPED, 28, "type string, value",                                                         \
		"the value's type has this name, because it is a subclass, or has no kind of its " \
		"own")                                                                             \
	X(SEEN, 29, "id", "an object that this value has already, above or before")                \
	X(REDACTED, 30, "", "it is secret by its name")                                            \
	X(UNSET, 31, "", "a variable that is not bound")                                           \
	X(CUT, 32, "id type string", "its type alone: there was no room, or no time, for more")

enum value_kind {
#define X(constant, number, ...) VALUE_##constant = number,
	VALUE_KINDS(X)
#undef X
};

/* Flags of EVENT_VALUES and EVENT_VARIABLES. */
#define VALUES_OVER_BUDGET 1 /* more was captured in this second than --values-limit allows */
#define VARIABLES_ALL	   2 /* each variable that is bound is there */
#define VARIABLES_MORE	   4 /* without VARIABLES_ALL: others have changed, and had no room */
/* With VARIABLES_ALL, from this bit on: how many of them, the first ones, have changed. */
#define VARIABLES_CHANGED_SHIFT 2

/* How deep values can be in each other: what `depth` of --values-limit can be at most. */
#define VALUE_DEPTH_MAX 16

#endif
