/* A value as JSON, in the form in which SQLite's own operators find its parts:
 *
 *	{"order": {"__class__": "Order", "item": "anvil", "count": 2}, "rest": [1, "x"]}
 *
 *	args ->> '$.order.item'      json_array_length(args, '$.rest')
 *
 * None, bools, numbers, strs, sequences, sets, dicts and attributes are what JSON has for them. An
 * object has its class as the first member. A key that is no str, and every other value, is its
 * repr. So is a float that is not finite. What was cut off says so: a str ends with "…", a
 * sequence has "…+990" as its last member, a dict or object has a member "…".
 */
#ifndef PL_QUERY_VALUE_JSON_H
#define PL_QUERY_VALUE_JSON_H

#include "base/buf.h"
#include "pathline/values.h"

/* A text as a JSON string. */
void value_json_text(struct pl_buf *out, struct pl_text text);
/* If there is no memory, `out` says so. */
void value_json(struct pl_buf *out, const struct pl_value *value);
/* The arguments of a call, by name; *rest and **more by their names too. */
void value_json_arguments(struct pl_buf *out, const struct pl_code *code, struct pl_values values);

#endif
