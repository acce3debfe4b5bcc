/* The values of an event (pathline/values.h), as commands write them.
 *
 *	text    order={'item': 'anvil', 'count': 2}, *rest=(1,)           of a call; else one value
 *	JSON    {"kind":"list","id":77,"length":1000,"cut":990,"members":[…]}
 */
#ifndef PL_CMD_VALUES_H
#define PL_CMD_VALUES_H

#include "cmd/json.h"
#include "pathline/pathline.h"

#define VALUES_TEXT_BYTES 65536

/* All values of the event, in the caller's memory of `max` bytes; a longer text is cut. It ends
 * with a NUL. Returns its length; 0: there are none. */
size_t values_text(const struct pl_event *e, char *text, size_t max);

/* The same of the variables that have changed: left = 3, order = <unset>. */
size_t variables_text(const struct pl_event *e, char *text, size_t max);
/* As a member of an object: an array, or null if none are there. */
void variables_json(struct json *j, const char *key, const struct pl_event *e);

/* As members of an object: an array, of a call with names, or null if there are none. */
void values_json_all(struct json *j, const char *key, const struct pl_event *e);
/* The first value alone, or null. */
void values_json_one(struct json *j, const char *key, const struct pl_event *e);

/* Any value. */
void values_json_value(struct json *j, const char *key, const struct pl_value *value);
/* A text of a value. */
void values_json_text(struct json *j, const char *key, struct pl_text text);

/* The kind of the first value; 0: there is none. */
enum pl_value_kind values_kind(const struct pl_event *e);

/* Has the recording any values, or can it still get some? */
bool values_there(const struct pl_recording *r);

#endif
