/* Secret parts of a text. Each kind is known at one byte of it, its trigger, and begins there or
 * after it; so a text is copied in one pass.
 */
#define _GNU_SOURCE
#include <string.h>
#include "recorder/values/secret_table.h"
#include "recorder/values/secrets.h"

struct text {
	const char *at;
	size_t length;
	bool cut; /* more of it follows, which is not here */
};

struct part {
	size_t from, to;
};

/* Names before ':' and '=' are looked at for so many bytes back. */
#define NAME_BYTES_MAX 64

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_dashed(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_' || c == '-';
}

/* The end of a run of letters and digits, and of `others`, from i on. */
static size_t run_end(const struct text *t, size_t i, const char *others)
{
	while (i < t->length && t->at[i] &&
		(is_alpha(t->at[i]) || is_digit(t->at[i]) || strchr(others, t->at[i])))
		i++;
	return i;
}

static bool begins(const struct text *t, size_t i, const char *word)
{
	size_t n = strlen(word);

	return n <= t->length - i && !memcmp(t->at + i, word, n);
}

static bool begins_any_case(const struct text *t, size_t i, const char *word)
{
	size_t n = strlen(word);

	return n <= t->length - i && !strncasecmp(t->at + i, word, n);
}

static bool is_word_begin(const struct text *t, size_t i)
{
	return i == 0 || !(is_alpha(t->at[i - 1]) || is_digit(t->at[i - 1]) || t->at[i - 1] == '_');
}

static bool has_digit(const struct text *t, size_t from, size_t to)
{
	for (; from < to; from++)
		if (is_digit(t->at[from]))
			return true;
	return false;
}

static bool has_capital(const struct text *t, size_t from, size_t to)
{
	for (; from < to; from++)
		if (t->at[from] >= 'A' && t->at[from] <= 'Z')
			return true;
	return false;
}

/* ---- keys that are known by how they begin ---- */

#define BASE64_URL "-_"
#define WEB_TOKEN  "eyJ" /* {" in base64 */

/* At least two of the three parts: head, claims, signature. */
static bool find_web_token(const struct text *t, size_t i, struct part *p)
{
	size_t head, claims;

	if (!begins(t, i, WEB_TOKEN))
		return false;
	head = run_end(t, i, BASE64_URL);
	*p = (struct part){i, run_end(t, i, BASE64_URL ".")};
	if (head == t->length)
		return t->cut;
	if (head - i < 10 || t->at[head] != '.')
		return false;
	claims = run_end(t, head + 1, BASE64_URL);
	return claims - head > 4 || (claims == t->length && t->cut);
}

static bool find_known_key(const struct text *t, size_t i, struct part *p)
{
	static const struct {
		const char *prefix;
		size_t characters;
		bool dashed;
	} rows[] = {
#define X(prefix, characters, dashed, ...) {prefix, characters, dashed},
		SECRET_KEYS(X)
#undef X
	};

	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		if (t->at[i] != rows[row].prefix[0] || !begins(t, i, rows[row].prefix))
			continue;
		size_t from = i + strlen(rows[row].prefix);
		size_t to = run_end(t, from, rows[row].dashed ? "-_" : "");
		*p = (struct part){i, to};
		if (to == t->length && t->cut)
			return true;
		if (to - from >= rows[row].characters &&
			(!rows[row].dashed || has_digit(t, from, to)))
			return true;
	}
	return false;
}

#define PEM_BEGIN     "-----BEGIN "
#define PEM_END	      "-----END "
#define PEM_DASHES    "-----"
#define PEM_LABEL_MAX 64

static const char *find_bytes(const struct text *t, size_t from, size_t to, const char *bytes)
{
	return memmem(t->at + from, to - from, bytes, strlen(bytes));
}

/* Up to the end of the text, if the block has none. */
static bool find_private_key(const struct text *t, size_t i, struct part *p)
{
	size_t label, end, limit;
	const char *at;

	if (!begins(t, i, PEM_BEGIN))
		return false;
	label = i + strlen(PEM_BEGIN);
	limit = t->length - label < PEM_LABEL_MAX ? t->length : label + PEM_LABEL_MAX;
	at = find_bytes(t, label, limit, PEM_DASHES);
	end = at ? (size_t)(at - t->at) : limit;
	if (!find_bytes(t, label, end, "PRIVATE KEY"))
		return false;
	*p = (struct part){i, t->length};
	at = find_bytes(t, end, t->length, PEM_END);
	if (!at)
		return true;
	label = (size_t)(at - t->at) + strlen(PEM_END);
	at = find_bytes(t, label, t->length, PEM_DASHES);
	if (at)
		p->to = (size_t)(at - t->at) + strlen(PEM_DASHES);
	return true;
}

/* ---- what follows Bearer and Basic ---- */

/* Is the word before byte i, with marks, spaces or b' between, Authorization? */
static bool is_authorization(const struct text *t, size_t i)
{
	static const char word[] = "authorization";
	size_t n = strlen(word), j = i;

	while (j > 0 && i - j < 8 &&
		(!is_alpha(t->at[j - 1]) || (t->at[j - 1] == 'b' && !is_alpha(t->at[j]))))
		j--;
	return j >= n && begins_any_case(t, j - n, word);
}

/* In other text only what can hardly be a word of a sentence. */
static bool find_scheme(const struct text *t, size_t i, struct part *p)
{
	bool bearer = begins_any_case(t, i, "bearer ");
	size_t from = i + strlen(bearer ? "bearer " : "basic "), to;

	if (!bearer && !begins_any_case(t, i, "basic "))
		return false;
	to = run_end(t, from, "-._~+/=");
	*p = (struct part){from, to};
	if (to == from)
		return false;
	if (is_authorization(t, i) || (to == t->length && t->cut))
		return true;
	if (bearer)
		return (i == 0 && to == t->length) || to - from >= 20 ||
		       (to - from >= 8 && has_digit(t, from, to));
	return i == 0 && to == t->length && to - from >= 8 &&
	       (has_digit(t, from, to) || has_capital(t, from, to));
}

/* ---- the password of a URL ---- */

static size_t find_one_of(const struct text *t, size_t from, const char *bytes)
{
	for (; from < t->length; from++)
		if ((unsigned char)t->at[from] <= ' ' || strchr(bytes, t->at[from]))
			break;
	return from;
}

static bool is_port(const struct text *t, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!is_digit(t->at[from]))
			return false;
	return true;
}

static const char *find_last(const struct text *t, size_t from, size_t to, char byte)
{
	return memrchr(t->at + from, byte, to - from);
}

/* i: the colon of "://". A password can have '@' and, against the rules, '/' in it. */
static bool find_url_password(const struct text *t, size_t i, struct part *p)
{
	size_t from = i + strlen("://");
	size_t host_end = find_one_of(t, from, "/?#\"'<>`");
	size_t end = find_one_of(t, from, "\"'<>`");
	const char *colon = memchr(t->at + from, ':', host_end - from), *at;

	if (!colon || t->at[from] == '[')
		return false;
	from = (size_t)(colon - t->at) + 1;
	at = find_last(t, from, host_end, '@');
	if (!at && is_port(t, from, host_end))
		return false;
	if (!at)
		at = find_last(t, from, end, '@');
	*p = (struct part){from, at ? (size_t)(at - t->at) : t->length};
	return p->to > from && (at || (end == t->length && t->cut));
}

/* ---- values of secret names ---- */

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static bool is_secret_run(const struct text *t, size_t from, size_t to)
{
	return from < to && secret_name(t->at + from, to - from);
}

/* Where the name that ends before `to` begins. */
static size_t name_begin(const struct text *t, size_t to)
{
	size_t from = to;

	while (from > 0 && to - from < NAME_BYTES_MAX &&
		(is_dashed(t->at[from - 1]) || t->at[from - 1] == '.'))
		from--;
	return from;
}

static size_t line_end(const struct text *t, size_t i)
{
	const char *end = memchr(t->at + i, '\n', t->length - i);

	return end ? (size_t)(end - t->at) : t->length;
}

static size_t quoted_end(const struct text *t, size_t i, char quote)
{
	for (; i < t->length && t->at[i] != quote; i++)
		if (t->at[i] == '\\' && i + 1 < t->length)
			i++;
	return i;
}

/* A value from i on: in quotes, without them, or in brackets, whose end is not looked for. */
static bool take_value(const struct text *t, size_t i, struct part *p)
{
	while (i < t->length && t->at[i] == '\\')
		i++;
	if (i + 1 < t->length && strchr("bBuU", t->at[i]) && t->at[i] && is_quote(t->at[i + 1]))
		i++;
	if (i >= t->length)
		return false;
	if (is_quote(t->at[i]))
		*p = (struct part){i + 1, quoted_end(t, i + 1, t->at[i])};
	else if (t->at[i] && strchr("[{(", t->at[i]))
		*p = (struct part){i, line_end(t, i)};
	else
		*p = (struct part){i, find_one_of(t, i, ",;&\"'<>)]}")};
	return p->to > p->from;
}

/* i: the '='. A comparison is none, nor is an assignment with spaces, as of a program's text. */
static bool find_assigned(const struct text *t, size_t i, struct part *p)
{
	return is_secret_run(t, name_begin(t, i), i) && i + 1 < t->length && t->at[i + 1] != '=' &&
	       take_value(t, i + 1, p);
}

static size_t spaces_end(const struct text *t, size_t i)
{
	while (i < t->length && t->at[i] == ' ')
		i++;
	return i;
}

/* i: the colon, of "name": "value" or of a line "name: value". */
static bool find_named(const struct text *t, size_t i, struct part *p)
{
	size_t to = i, from, line;
	bool quoted = to > 0 && is_quote(t->at[to - 1]);

	for (to -= quoted; quoted && to > 0 && t->at[to - 1] == '\\';) /* JSON in a string */
		to--;
	from = name_begin(t, to);
	if (!is_secret_run(t, from, to))
		return false;
	if (quoted)
		return from > 0 && t->at[from - 1] == t->at[i - 1] &&
		       take_value(t, spaces_end(t, i + 1), p);
	for (line = from; line > 0 && t->at[line - 1] == ' ';)
		line--;
	*p = (struct part){spaces_end(t, i + 1), line_end(t, i)};
	return (line == 0 || t->at[line - 1] == '\n') && p->from > i + 1 && p->to > p->from;
}

/* ---- all of them ---- */

/* What a part is known by, and what must be there: 2: it begins a word. */
static const uint8_t triggers[256] = {
	['-'] = 1,
	[':'] = 1,
	['='] = 1,
	['A'] = 2,
	['B'] = 2,
	['b'] = 2,
	['e'] = 2,
	['g'] = 2,
	['p'] = 2,
	['s'] = 2,
	['x'] = 2,
};

static size_t next_trigger(const struct text *t, size_t i, size_t to)
{
	for (; i < to; i++) {
		uint8_t trigger = triggers[(uint8_t)t->at[i]];
		if (trigger == 1 || (trigger && is_word_begin(t, i)))
			break;
	}
	return i;
}

/* i: at a trigger. */
static bool find_part(const struct text *t, size_t i, struct part *p)
{
	switch (t->at[i]) {
	case '-':
		return find_private_key(t, i, p);
	case '=':
		return find_assigned(t, i, p);
	case ':':
		return begins(t, i, "://") ? find_url_password(t, i, p) : find_named(t, i, p);
	case 'B':
	case 'b':
		return find_scheme(t, i, p);
	case 'e':
		return find_web_token(t, i, p);
	default:
		return find_known_key(t, i, p);
	}
}

struct secret_output {
	uint8_t *to;
	size_t room, used;
	struct secret_parts *hidden;
};

/* The cut at or before `at` that splits no character. Bytes need not be UTF-8: then it is there. */
static size_t whole_characters(const char *text, size_t at)
{
	size_t to = at;

	while (to > 0 && at - to < 3 && (text[to] & 0xc0) == 0x80)
		to--;
	return (text[to] & 0xc0) == 0x80 ? at : to;
}

/* false: it did not fit, or not all of it. */
static bool put_plain(struct secret_output *out, const char *at, size_t n)
{
	size_t take = n < out->room - out->used ? n : out->room - out->used;

	if (take < n)
		take = whole_characters(at, take);
	if (take)
		memcpy(out->to + out->used, at, take);
	out->used += take;
	return take == n;
}

static size_t count_characters(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += (text[i] & 0xc0) != 0x80;
	return count;
}

/* In place of the n bytes at `secret`. */
static bool put_mark(struct secret_output *out, const char *secret, size_t n)
{
	size_t length = strlen(SECRET_MARK);

	if (length > out->room - out->used)
		return false;
	out->hidden->count++;
	out->hidden->bytes += n;
	out->hidden->characters += count_characters(secret, n);
	return put_plain(out, SECRET_MARK, length);
}

/* A short mark in place of a long secret does not let the copy reach further into the text: of what
 * is near the end of a cut text it is not known whether it is secret. */
static size_t shown_bytes(const char *text, size_t length, size_t room)
{
	return length <= room ? length : whole_characters(text, room);
}

/* No secret in a text is shorter, but for those in a text with one of these bytes. */
#define SHORTEST 16
static bool is_too_short(const char *text, size_t length)
{
	if (length >= SHORTEST)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] == ' ' || text[i] == ':' || text[i] == '=')
			return false;
	return true;
}

size_t secret_copy(
	uint8_t *to, size_t room, const char *text, size_t length, struct secret_parts *hidden)
{
	if (length <= room && is_too_short(text, length)) {
		memcpy(to, text, length);
		return length;
	}
	struct text t = {.at = text, .length = length, .cut = length > room};
	struct secret_output out = {.to = to, .room = room, .hidden = hidden};
	struct part p;
	size_t from = 0, shown = shown_bytes(text, length, room);

	for (size_t i = 0; (i = next_trigger(&t, i, shown)) < shown;) {
		if (!find_part(&t, i, &p) || p.from >= shown) {
			i++;
			continue;
		}
		if (!put_plain(&out, text + from, p.from - from) ||
			!put_mark(&out, text + p.from, p.to - p.from))
			return out.used;
		i = from = p.to;
	}
	if (from < shown)
		put_plain(&out, text + from, shown - from);
	return out.used;
}
