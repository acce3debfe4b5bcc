/* Values that were kept, compared as Python compares them, as far as what was kept allows. Of what
 * was cut, redacted or met before, the answer may be that it is not known. */
#ifndef PL_EXPR_VALUE_H
#define PL_EXPR_VALUE_H

#include "base/buf.h"
#include "pathline/values.h"

enum value_relation {
	VALUE_EQUAL,
	VALUE_LESS,
	VALUE_MORE,
	VALUE_DIFFERENT, /* and neither is less */
	VALUE_UNKNOWN
};

enum value_relation value_compare(const struct pl_value *a, const struct pl_value *b);

/* Is anything but its type known? */
bool value_is_kept(const struct pl_value *v);
/* A number, also a bool, and a Decimal. */
bool value_number(const struct pl_value *v, long double *out);
/* Its text, if it is one: of a str, a path, an id, a function. false: it is none. */
bool value_text(const struct pl_value *v, struct pl_text *out);
/* As Python's repr, into the buffer. Empty: there is no memory. */
struct pl_text value_repr(const struct pl_value *v, struct pl_buf *room);
/* The name of its type. */
struct pl_text value_type(const struct pl_value *v);

enum value_answer { VALUE_NO, VALUE_YES, VALUE_NOT_KNOWN };

/* bool(value) */
enum value_answer value_truth(const struct pl_value *v);
/* len(value). VALUE_NO: it has none. */
enum value_answer value_length(const struct pl_value *v, int64_t *length);
/* value.name, value[3], value['key'] */
enum value_answer value_attribute(
	const struct pl_value *v, struct pl_text name, struct pl_value *out);
enum value_answer value_item(
	const struct pl_value *v, const struct pl_value *key, struct pl_value *out);
/* key in value */
enum value_answer value_contains(const struct pl_value *v, const struct pl_value *key);

#endif
