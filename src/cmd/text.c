#include "cmd/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/units.h"
#include "cmd/cmd.h"
#include "os/local.h"

#define NS_PER_S 1000000000

int out_init(struct out *o, int fd, bool colour)
{
	*o = (struct out){.fd = fd, .colour = colour, .bytes = malloc(OUT_BYTES)};
	return o->bytes ? 0 : PL_ERR_MEMORY;
}

/* The first error stays: nothing is written after it, and the command says it once, at its end. */
static void write_all(struct out *o, const char *at, size_t n)
{
	while (n && !o->error) {
		ssize_t done = write(o->fd, at, n);
		if (done >= 0) {
			at += done;
			n -= (size_t)done;
		} else if (errno != EINTR) {
			o->error = errno;
		}
	}
}

void out_flush(struct out *o)
{
	write_all(o, o->bytes, o->used);
	o->used = 0;
}

/* A reader that closed its end early (head, a pager) is not a failure: the exit code is the one
 * that SIGPIPE would cause. */
int out_release(struct out *o)
{
	int error;

	if (o->bytes)
		out_flush(o);
	error = o->error;
	free(o->bytes);
	*o = (struct out){.fd = -1};
	if (error == EPIPE)
		return 128 + SIGPIPE;
	if (error)
		cmd_say("cannot write: %s", strerror(error));
	return error ? CMD_NOT_WRITTEN : CMD_OK;
}

/* What does not fit into the rest of the buffer. */
void out_long(struct out *o, const char *at, size_t n)
{
	out_flush(o);
	if (n > OUT_BYTES) {
		write_all(o, at, n);
		return;
	}
	memcpy(o->bytes, at, n);
	o->used = n;
}

/* ---- numbers ---- */

static const char two_digits[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233"
	"34353637383940414243444546474849505152535455565758596061626364656667"
	"6869707172737475767778798081828384858687888990919293949596979899";

/* Write v so that it ends just before `end`; returns its first digit. */
static char *digits_before(char *end, uint64_t v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, two_digits + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, two_digits + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

void out_u64(struct out *o, uint64_t v)
{
	char room[20];
	char *first = digits_before(room + sizeof room, v);
	size_t n = (size_t)(room + sizeof room - first);

	memcpy(out_step(o), first, n);
	o->used += n;
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void out_digits(struct out *o, uint64_t v, unsigned width)
{
	char room[20];
	char *first = digits_before(room + sizeof room, v);

	while (first > room && (size_t)(room + sizeof room - first) < width)
		*--first = '0';
	out_put(o, first, (size_t)(room + sizeof room - first));
}

void out_fixed(struct out *o, double v, unsigned decimals)
{
	uint64_t scale = 1;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	if (!(v >= 0 && v < 1e12)) {
		out_char(o, '?');
		return;
	}
	uint64_t scaled = (uint64_t)(v * (double)scale + 0.5);
	out_u64(o, scaled / scale);
	if (decimals) {
		out_char(o, '.');
		out_digits(o, scaled % scale, decimals);
	}
}

void out_count(struct out *o, uint64_t n)
{
	char text[UNITS_BYTES];

	out_put(o, text, units_count(text, n));
}

void out_spaces(struct out *o, size_t n)
{
	static const char blanks[] =
		"                                                                ";

	for (; n > sizeof blanks - 1; n -= sizeof blanks - 1)
		out_put(o, blanks, sizeof blanks - 1);
	out_put(o, blanks, n);
}

/* ---- text from a recording ---- */

/* What would end a field or a row of tab-separated text, and the backslash itself. */
static char field_escape(char c)
{
	switch (c) {
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\0':
		return '0';
	case '\\':
		return '\\';
	default:
		return 0;
	}
}

static void put_field(struct out *o, struct text t, bool message)
{
	size_t from = 0;

	for (size_t i = 0; i < t.length; i++) {
		bool nul = text_nul(t.at + i, t.length - i);
		char letter = nul ? '0' : field_escape(t.at[i]);
		if (!letter || (message && letter == '\\'))
			continue;
		out_put(o, t.at + from, i - from);
		out_put(o, (char[]){'\\', letter}, 2);
		i += nul;
		from = i + 1;
	}
	if (t.length > from)
		out_put(o, t.at + from, t.length - from);
}

void out_field(struct out *o, struct text t)
{
	put_field(o, t, false);
}

void out_message(struct out *o, struct text t)
{
	put_field(o, t, true);
}

/* Bytes of the character at `at` if a terminal may get it; 0 if it is a control character or not
 * UTF-8. */
static size_t shown_bytes(const char *at, size_t left)
{
	unsigned char c = (unsigned char)at[0];
	size_t n = c < 0x80 ? 1 : c >= 0xf0 && c < 0xf8 ? 4 : c >= 0xe0 ? 3 : 2;

	if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xc2) || c >= 0xf5 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return 0;
	return c == 0xc2 && (unsigned char)at[1] < 0xa0 ? 0 : n;
}

/* Text of a recording for a terminal: control characters are shown as ^A, what is not UTF-8 as
 * \x9b. No byte of it may move the cursor or change the colours. */
void out_clean(struct out *o, struct text t)
{
	static const char hex[] = "0123456789abcdef";

	/* What is beyond the width need not be written: so a line fits into the buffer. */
	if (o->columns && o->in_line && t.length > 4 * (size_t)o->columns)
		t.length = 4 * (size_t)o->columns;
	for (size_t i = 0; i < t.length;) {
		unsigned char c = (unsigned char)t.at[i];
		size_t n = shown_bytes(t.at + i, t.length - i);
		if (n)
			out_put(o, t.at + i, n);
		else if (c == '\t')
			out_char(o, ' ');
		else if (c < 0x20)
			out_put(o, (char[]){'^', (char)(c + '@')}, 2);
		else
			out_put(o, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
		i += n ? n : 1;
	}
}

struct range {
	uint32_t from, to;
};

static bool is_in(uint32_t c, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

/* The blocks of wide characters (East Asian, emoji), and of those with no width. */
static unsigned columns_of_character(uint32_t c)
{
	static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},
		{0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
	static const struct range none[] = {
		{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

	if (c < 0x300)
		return 1;
	if (is_in(c, none, sizeof none / sizeof *none))
		return 0;
	return is_in(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* Consume one character of UTF-8, or one byte that is not UTF-8; returns its columns. */
static unsigned eat_character(const char **at, const char *end)
{
	const unsigned char *c = (const unsigned char *)*at;
	size_t n = *c < 0xc2 ? 1 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
	uint32_t v = n == 1 ? *c : *c & (0xffu >> (n + 1));

	if (n > (size_t)(end - *at))
		n = 1;
	for (size_t i = 1; i < n; i++)
		v = v << 6 | (c[i] & 0x3f);
	*at += n;
	return columns_of_character(v);
}

/* As many columns as what out_clean writes, except for control bytes. */
size_t text_width(const char *s)
{
	const char *end = s + strlen(s);
	size_t width = 0;

	while (s < end)
		width += eat_character(&s, end);
	return width;
}

/* Bytes of the longest beginning that fits into *width columns; these are subtracted. */
static size_t fitting(const char *s, size_t *width)
{
	const char *end = s + strlen(s), *at = s;

	for (const char *next = s; at < end; at = next) {
		unsigned columns = eat_character(&next, end);
		if (columns > *width)
			break;
		*width -= columns;
	}
	return (size_t)(at - s);
}

/* Exactly `width` columns: padded, or cut with … at the end. */
void out_column(struct out *o, const char *s, size_t width)
{
	size_t whole = text_width(s), left = width ? width - 1 : 0;

	if (whole <= width) {
		out_clean(o, text_of(s));
		out_spaces(o, width - whole);
		return;
	}
	out_clean(o, (struct text){.at = s, .length = fitting(s, &left)});
	out_text(o, "…");
	out_spaces(o, left);
}

/* A path below the current directory, as the user would type it. */
const char *out_relative(const struct out *o, const char *path)
{
	size_t length = o->here ? strlen(o->here) : 0;

	if (length > 1 && !strncmp(path, o->here, length) && path[length] == '/' &&
		path[length + 1])
		return path + length + 1;
	return path;
}

/* The end of a path says more than its beginning: it is cut from the left, after a slash if that is
 * possible. Names in <> have their meaning at the left. */
void out_path(struct out *o, const char *path, size_t width)
{
	const char *shown = out_relative(o, path), *at = shown;

	if (!o->columns || text_width(shown) <= width) {
		out_clean(o, text_of(shown));
		return;
	}
	if (*shown == '<') {
		out_column(o, shown, width);
		return;
	}
	while ((at = strchr(at + 1, '/')))
		if (text_width(at) < width)
			break;
	/* Even the last part does not fit: keep its end. */
	if (!at)
		for (at = shown; *at && text_width(at) >= width;)
			eat_character(&at, shown + strlen(shown));
	out_text(o, "…");
	out_clean(o, text_of(at));
}

/* ---- lines on a terminal ---- */

#define LINE_ROOM  (OUT_BYTES / 2)
#define WRAP_LEAST 8 /* columns: with fewer no word is split */

void out_line(struct out *o)
{
	if (o->columns && OUT_BYTES - o->used < LINE_ROOM)
		out_flush(o);
	o->in_line = true;
	o->line = o->used;
}

/* Skip one character, or one escape sequence of colour. */
static unsigned eat_shown(const char **at, const char *end)
{
	if (**at != '\033')
		return eat_character(at, end);
	while (*at < end && **at != 'm')
		++*at;
	*at += *at < end;
	return 0;
}

/* From the bytes of the line in the buffer, which is why out_line makes room for a whole line
 * first. */
static size_t line_width(const struct out *o)
{
	const char *at = o->bytes + o->line, *end = o->bytes + o->used;
	size_t width = 0;

	while (at < end)
		width += eat_shown(&at, end);
	return width;
}

size_t out_line_left(const struct out *o)
{
	size_t width;

	if (!o->columns || !o->in_line)
		return SIZE_MAX;
	width = line_width(o);
	return width < o->columns ? o->columns - width : 0;
}

static void cut_line(struct out *o)
{
	const char *at = o->bytes + o->line, *end = o->bytes + o->used;
	size_t left = o->columns - 1;

	for (const char *next = at; at < end; at = next) {
		unsigned columns = eat_shown(&next, end);
		if (columns > left)
			break;
		left -= columns;
	}
	o->used = (size_t)(at - o->bytes);
	out_text(o, "…");
	out_tone(o, TONE_PLAIN);
}

void out_line_end(struct out *o)
{
	if (o->columns && line_width(o) > o->columns)
		cut_line(o);
	o->in_line = false;
	out_char(o, '\n');
}

static void next_line(struct out *o, size_t indent)
{
	out_line_end(o);
	out_line(o);
	out_spaces(o, indent);
}

/* A word that is no longer than the text; split if it is longer than a line. */
static void wrap_word(struct out *o, const char *word, size_t indent)
{
	size_t left = out_line_left(o);

	while (text_width(word) > left && left && indent + WRAP_LEAST <= o->columns) {
		const size_t n = fitting(word, &left);
		out_clean(o, (struct text){.at = word, .length = n});
		word += n;
		next_line(o, indent);
		left = out_line_left(o);
	}
	out_clean(o, text_of(word));
}

/* Words of a line, the further lines indented. If the output is not a terminal, it is one line. */
void out_wrap(struct out *o, const char *text, size_t indent)
{
	char *words = o->columns ? strdup(text) : NULL, *rest = NULL;

	if (!words) {
		out_clean(o, text_of(text));
		return;
	}
	for (char *word = strtok_r(words, " ", &rest), *first = word; word;
		word = strtok_r(NULL, " ", &rest)) {
		const size_t width = text_width(word) + (word != first);
		if (width > out_line_left(o) && indent + width <= o->columns)
			next_line(o, indent);
		else if (word != first)
			out_char(o, ' ');
		wrap_word(o, word, indent);
	}
	free(words);
}

/* ---- for a person ---- */

void out_tone(struct out *o, enum tone tone)
{
	static const char *const codes[] = {
		[TONE_PLAIN] = "\033[0m",
		[TONE_FAINT] = "\033[2m",
		[TONE_STRONG] = "\033[1m",
		[TONE_NAME] = "\033[36m",
		[TONE_TIME] = "\033[34m",
		[TONE_GOOD] = "\033[32m",
		[TONE_BAD] = "\033[1;31m",
	};

	if (o->colour)
		out_text(o, codes[tone]);
}

void out_bytes(struct out *o, uint64_t bytes)
{
	char text[UNITS_BYTES];

	out_put(o, text, units_size(text, bytes));
}

void out_span(struct out *o, int64_t ns)
{
	char text[UNITS_BYTES];

	out_put(o, text, units_duration(text, ns));
}

void out_error(struct out *o, int64_t ns)
{
	char text[UNITS_BYTES];

	out_put(o, text, units_error(text, ns));
}

void out_moment(struct out *o, int64_t real_ns)
{
	char text[LOCAL_BYTES];

	out_put(o, text, local_moment(text, real_ns));
}

void out_clock(struct out *o, int64_t real_ns, unsigned decimals)
{
	char text[LOCAL_BYTES];

	out_put(o, text, local_clock(text, real_ns, decimals));
}

void out_seconds(struct out *o, int64_t real_ns)
{
	uint64_t ns = real_ns < 0 ? 0 - (uint64_t)real_ns : (uint64_t)real_ns;

	if (real_ns < 0)
		out_char(o, '-');
	out_u64(o, ns / NS_PER_S);
	out_char(o, '.');
	out_digits(o, ns % NS_PER_S, 9);
}
