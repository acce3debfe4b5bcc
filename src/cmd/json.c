#include "cmd/json.h"

#include "base/utf8.h"

static void put_u16(struct out *o, unsigned v)
{
	static const char hex[] = "0123456789abcdef";
	char room[6] = {
		'\\', 'u', hex[v >> 12 & 15], hex[v >> 8 & 15], hex[v >> 4 & 15], hex[v & 15]};

	out_put(o, room, sizeof room);
}

static void put_special(struct out *o, unsigned char c)
{
	if (c == '"' || c == '\\')
		out_put(o, (char[]){'\\', (char)c}, 2);
	else
		put_u16(o, c < 0x80 ? c : 0xdc00u + c);
}

/* Runs of plain bytes are copied at once: most text has no other. */
void out_json(struct out *o, struct text t)
{
	const unsigned char *at = (const unsigned char *)t.at;
	size_t from = 0, i = 0;

	while (i < t.length) {
		unsigned char c = at[i];
		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			i++;
			continue;
		}
		size_t n = utf8_bytes(at + i, t.length - i);
		if (n) {
			i += n;
			continue;
		}
		bool nul = text_nul(t.at + i, t.length - i);
		out_put(o, t.at + from, i - from);
		put_special(o, nul ? 0 : c);
		i += 1 + nul;
		from = i;
	}
	if (t.length > from)
		out_put(o, t.at + from, t.length - from);
}

/* {"type":"event","version":1,"data":{…}}: the same in all commands (json.h). */
void json_line(struct json *j, const char *type)
{
	out_text(j->out, "{\"type\":\"");
	out_text(j->out, type);
	out_text(j->out, "\",\"version\":");
	out_u64(j->out, JSON_VERSION);
	j->comma = true;
	json_open(j, "data", '{');
}

void json_line_end(struct json *j)
{
	out_text(j->out, "}}\n");
}

void json_key(struct json *j, const char *key)
{
	if (j->comma)
		out_char(j->out, ',');
	j->comma = true;
	if (key) {
		out_char(j->out, '"');
		out_text(j->out, key);
		out_put(j->out, "\":", 2);
	}
}

void json_text(struct json *j, const char *key, const char *s)
{
	if (!s) {
		json_null(j, key);
		return;
	}
	json_key(j, key);
	out_char(j->out, '"');
	out_json(j->out, text_of(s));
	out_char(j->out, '"');
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	out_u64(j->out, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	out_i64(j->out, v);
}

void json_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	out_text(j->out, v ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	json_key(j, key);
	out_text(j->out, "null");
}

/* Seconds since 1970 with nine decimals, as a number with all its digits; 0 is not known. */
void json_moment(struct json *j, const char *key, int64_t real_ns)
{
	json_key(j, key);
	if (real_ns)
		out_seconds(j->out, real_ns);
	else
		out_text(j->out, "null");
}

void json_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	out_char(j->out, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	out_char(j->out, bracket);
	j->comma = true;
}
