/* NDJSON: one object a line, each {"type":…,"version":1,"data":{…}}, written directly into the
 * output.
 *
 * Strings of a recording are bytes. UTF-8 stays as it is; a byte that is not UTF-8 becomes the lone
 * surrogate that Python's surrogateescape makes of it ("\udcff"), so that json.loads(…) and
 * os.fsencode give the bytes back.
 *
 * No library is used: jansson refuses text that is not UTF-8, and builds a tree for each row first:
 * 10.5 us a row, where decoding and writing one takes 0.7 us here (833,511 rows).
 */
#ifndef PL_CMD_JSON_H
#define PL_CMD_JSON_H

#include "cmd/text.h"

#define JSON_VERSION 1

struct json {
	struct out *out; /* not owned */
	bool comma;	 /* a member was written already in this object or array */
};

/* A line: json_line, then members, then json_line_end. */
void json_line(struct json *j, const char *type);
void json_line_end(struct json *j);

/* Members; key NULL inside arrays. A NULL text is written as null. */
void json_key(struct json *j, const char *key);
void json_text(struct json *j, const char *key, const char *s);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* Seconds since 1970 with nine decimals; 0 ns is written as null. */
void json_moment(struct json *j, const char *key, int64_t real_ns);
/* bracket: '{' or '['. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);

/* The inside of a JSON string. */
void out_json(struct out *o, struct text t);

#endif
