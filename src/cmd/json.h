/* NDJSON: one object a line, each {"type":…,"version":1,"data":{…}}, written straight into the
 * output.
 *
 * Strings of a recording are bytes. What is UTF-8 stays so; a byte that is not becomes the lone
 * surrogate that Python's surrogateescape makes of it ("\udcff"), so that json.loads(…) and
 * os.fsencode give the bytes back.
 *
 * No library writes it: jansson refuses a text that is not UTF-8, and makes a tree of each row
 * first: 10.5 us a row, where decoding and writing one takes 0.7 us here (833,511 rows).
 */
#ifndef PL_CMD_JSON_H
#define PL_CMD_JSON_H

#include "cmd/text.h"

#define JSON_VERSION 1

struct json {
	struct out *out; /* not owned */
	bool comma;	 /* something stands in front in this object or array */
};

/* A line: json_line, then members, then json_line_end. */
void json_line(struct json *j, const char *type);
void json_line_end(struct json *j);

/* Members; key NULL inside arrays. A NULL text gives null. */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *key, const char *s);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* Seconds since 1970 with nine decimals; 0 ns gives null. */
void json_moment(struct json *j, const char *key, int64_t real_ns);
/* bracket: '{' or '['. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);

/* The inside of a JSON string. */
void out_json(struct out *o, struct text t);

#endif
