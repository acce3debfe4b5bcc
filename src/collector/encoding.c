#include "collector/encoding.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"

#define NAME_ROOM 64

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

static bool is_name(uint8_t c)
{
	return isalnum(c) || c == '-' || c == '_' || c == '.';
}

/* Consume a line; it is returned without its end. */
static struct pl_view next_line(struct pl_view *v)
{
	size_t n = 0;

	while (n < v->left && v->at[n] != '\n' && v->at[n] != '\r')
		n++;
	struct pl_view line = view_of(v->at, n);
	if (n + 1 < v->left && v->at[n] == '\r' && v->at[n + 1] == '\n')
		n++;
	n += n < v->left;
	v->at += n;
	v->left -= n;
	return line;
}

/* The name after "coding:" or "coding=" in a line that is a comment. *more: the line has no code,
 * so the next one may have it. */
static bool coding_of(struct pl_view line, char name[NAME_ROOM], bool *more)
{
	static const char word[] = "coding";
	const size_t word_length = sizeof word - 1;
	size_t at = 0;

	while (at < line.left && is_blank(line.at[at]))
		at++;
	*more = at == line.left || line.at[at] == '#';
	if (at == line.left || line.at[at] != '#')
		return false;
	for (; at + word_length < line.left; at++) {
		if (memcmp(line.at + at, word, word_length) != 0 ||
			(line.at[at + word_length] != ':' && line.at[at + word_length] != '='))
			continue;
		size_t from = at + word_length + 1, n = 0;
		while (from < line.left && (line.at[from] == ' ' || line.at[from] == '\t'))
			from++;
		while (from + n < line.left && is_name(line.at[from + n]))
			n++;
		if (!n)
			continue;
		snprintf(name, NAME_ROOM, "%.*s", (int)(n < NAME_ROOM ? n : NAME_ROOM - 1),
			(const char *)line.at + from);
		return true;
	}
	return false;
}

/* As Python compares the names of its codecs: ignoring case, "_" as "-". */
static void make_plain(char *name)
{
	for (; *name; name++)
		*name = *name == '_' ? '-' : (char)tolower((unsigned char)*name);
}

/* Is it one of the names, or one of them and a "-" suffix, as Emacs's "utf-8-unix"? */
static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		size_t n = strlen(*names);
		if (!strcmp(name, *names) || ((*names)[n - 1] == '-' && !strncmp(name, *names, n)))
			return true;
	}
	return false;
}

static const char *const utf8_names[] = {"utf-8", "utf-8-", "utf8", "u8", "utf", "cp65001", NULL};
static const char *const latin_names[] = {"latin-1", "latin-1-", "iso-8859-1", "iso-8859-1-",
	"iso-latin-1", "iso-latin-1-", "latin1", "latin", "l1", "iso8859-1", "8859", "cp819", NULL};
static const char *const ascii_names[] = {"ascii", "us-ascii", "646", NULL};

static bool is_utf8(struct pl_view v)
{
	while (v.left) {
		size_t n = *v.at < 0x80 ? 1 : utf8_bytes(v.at, v.left);
		if (!n)
			return false;
		v.at += n;
		v.left -= n;
	}
	return true;
}

static bool is_ascii(struct pl_view v)
{
	for (size_t i = 0; i < v.left; i++)
		if (v.at[i] >= 0x80)
			return false;
	return true;
}

/* Latin-1 bytes are the numbers of their characters: two bytes of UTF-8 from 0x80 on. */
static void put_latin(struct pl_buf *text, struct pl_view v)
{
	buf_reserve(text, v.left);
	for (size_t i = 0; i < v.left; i++) {
		if (v.at[i] >= 0x80)
			buf_u8(text, (uint8_t)(0xc0 | v.at[i] >> 6));
		buf_u8(text, v.at[i] < 0x80 ? v.at[i] : (uint8_t)(0x80 | (v.at[i] & 0x3f)));
	}
}

/* In pieces: how long the text becomes is not known before. */
static const char *put_converted(struct pl_buf *text, struct pl_view v, iconv_t converter)
{
	char *from = (char *)(uintptr_t)v.at;
	size_t left = v.left;

	while (left) {
		const size_t want = left * 2 + 64;
		uint8_t *to = buf_reserve(text, want);
		if (!to)
			return "no memory for it";
		char *at = (char *)to;
		size_t room = want;
		size_t done = iconv(converter, &from, &left, &at, &room);
		text->used += want - room;
		if (done == (size_t)-1 && errno != E2BIG)
			return "its bytes are not of its coding";
	}
	return NULL;
}

/* All other codings are the C library's; one that Python alone knows is a reason, not a text. */
static const char *put_other(struct pl_buf *text, struct pl_view v, const char *name)
{
	static char why[NAME_ROOM + 64];
	iconv_t converter = iconv_open("UTF-8", name);

	if (converter == (iconv_t)-1) {
		snprintf(why, sizeof why, "its coding is not known here: %s", name);
		return why;
	}
	const char *refused = put_converted(text, v, converter);
	iconv_close(converter);
	return refused;
}

/* As the tokenizer does (PEP 263): the second line counts if the first one has no code, and a byte
 * order mark must not contradict them. A text with a NUL is not source for any Python. */
const char *text_decode(struct pl_view bytes, struct pl_buf *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	char name[NAME_ROOM] = "utf-8";
	bool marked = bytes.left >= 3 && memcmp(bytes.at, mark, 3) == 0, more;

	buf_reset(text);
	if (marked) {
		bytes.at += 3;
		bytes.left -= 3;
	}
	struct pl_view rest = bytes;
	if (bytes.left && memchr(bytes.at, 0, bytes.left))
		return "it has a NUL byte";
	if (!coding_of(next_line(&rest), name, &more) && more)
		coding_of(next_line(&rest), name, &more);
	make_plain(name);
	bool is_plain = is_one_of(name, utf8_names);
	if (marked && !is_plain)
		return "its coding line contradicts its byte order mark";
	if (is_plain && !is_utf8(bytes))
		return "it is not UTF-8";
	if (is_one_of(name, ascii_names)) {
		if (!is_ascii(bytes))
			return "it is not ASCII, as its coding line says";
		is_plain = true;
	}
	if (is_plain)
		buf_put(text, bytes.at, bytes.left);
	else if (is_one_of(name, latin_names))
		put_latin(text, bytes);
	else
		return put_other(text, bytes, name);
	return NULL;
}

/* ---- PEP 552 ---- */

static uint64_t turn(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = turn(v[1], 13) ^ v[0];
	v[3] = turn(v[3], 16) ^ v[2];
	v[0] = turn(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = turn(v[1], 17) ^ v[2];
	v[3] = turn(v[3], 21) ^ v[0];
	v[2] = turn(v[2], 32);
}

/* SipHash-1-3 with a key of 64 bits, as importlib's source_hash: what a .pyc by hash has of its
 * source. */
uint64_t text_hash(uint64_t key, struct pl_view bytes)
{
	uint64_t v[4] = {key ^ 0x736f6d6570736575, 0x646f72616e646f6d, key ^ 0x6c7967656e657261,
		0x7465646279746573};
	uint64_t last = (uint64_t)bytes.left << 56, word;

	while (view_u64(&bytes, &word) == 0) {
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	for (size_t i = 0; i < bytes.left; i++)
		last |= (uint64_t)bytes.at[i] << (8 * i);
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
