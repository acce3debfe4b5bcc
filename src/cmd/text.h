/* Output text: one large buffer before a descriptor, and the ways in which commands write things.
 *
 * Nothing here allocates or uses printf, so that the cost of a row is that of its bytes. The first
 * failed write is remembered and everything after it does nothing; the command checks at its end,
 * and in its loops.
 */
#ifndef PL_CMD_TEXT_H
#define PL_CMD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUT_BYTES (256u << 10)
/* The most that a single reserve may ask for. */
#define OUT_STEP 64u

struct out {
	char *bytes; /* owned, OUT_BYTES */
	size_t used;
	int fd;
	int error; /* errno of the first write that failed; 0: none */
	bool colour;
	/* of page.h */
	unsigned columns; /* lines are cut at this width; 0: they are not */
	char *here;	  /* owned by page.h; paths are shown relative to it; NULL: they are not */
	int pager;	  /* its pid; 0: there is none */
	int talk;	  /* what stderr was before the pager started; 0: no change */
	bool in_line;	  /* between out_line and out_line_end */
	size_t line;	  /* where it began, in bytes */
};

/* A piece of text owned by someone else. */
struct text {
	const char *at; /* NULL: there is none */
	size_t length;
};

/* 0, or PL_ERR_MEMORY. The descriptor stays the caller's. */
int out_init(struct out *o, int fd, bool colour);
void out_flush(struct out *o);
/* Flush and release; returns the exit code for the output: 0, 128 + SIGPIPE if the reader closed
 * its end, or 1. */
int out_release(struct out *o);

/* Room for OUT_STEP bytes. */
static inline char *out_step(struct out *o)
{
	if (OUT_BYTES - o->used < OUT_STEP)
		out_flush(o);
	return o->bytes + o->used;
}

void out_long(struct out *o, const char *at, size_t n);

static inline void out_put(struct out *o, const char *at, size_t n)
{
	if (n > OUT_BYTES - o->used) {
		out_long(o, at, n);
		return;
	}
	memcpy(o->bytes + o->used, at, n);
	o->used += n;
}

static inline void out_text(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

static inline void out_char(struct out *o, char c)
{
	*out_step(o) = c;
	o->used++;
}

void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
/* At least `width` digits, with leading zeros. */
void out_digits(struct out *o, uint64_t v, unsigned width);
void out_spaces(struct out *o, size_t n);
/* A number with so many decimals, rounded; independent of the locale. */
void out_fixed(struct out *o, double v, unsigned decimals);

/* Names of a recording have 0xc0 0x80 in place of NUL: is it here? */
static inline bool text_nul(const char *at, size_t left)
{
	return left > 1 && at[0] == '\xc0' && at[1] == '\x80';
}

/* A field of a row: TAB \t, newline \n, CR \r, NUL \0, backslash \\; all other bytes unchanged. */
void out_field(struct out *o, struct text t);
/* A message that ends a row: the same, with backslashes unchanged, as values have them. */
void out_message(struct out *o, struct text t);
/* For a terminal: control bytes are shown (^A, and \x9b for those of Latin-1 in UTF-8), never
 * sent. */
void out_clean(struct out *o, struct text t);
/* The same in a column: cut with …, or padded with spaces. */
void out_column(struct out *o, const char *s, size_t width);
/* Columns of a text on a terminal: wide characters take two, combining ones none. */
size_t text_width(const char *s);
/* A path, in at most `width` columns if lines are cut: relative to the working directory if it is
 * inside, and shortened from the left: "…/json/decoder.py". */
void out_path(struct out *o, const char *path, size_t width);
/* The first half of that: the path, or its part below the working directory. */
const char *out_relative(const struct out *o, const char *path);

/* ---- lines on a terminal ---- */

/* Begin and end a line of at most out.columns columns: a longer one is cut, with "…". out_line_end
 * writes its newline. Nothing is cut if columns is 0. */
void out_line(struct out *o);
void out_line_end(struct out *o);
/* A text that may be longer than the line: it is wrapped at blanks, and continues after so many
 * blanks; a word that is longer than a line is split. Between out_line and out_line_end. */
void out_wrap(struct out *o, const char *text, size_t indent);
/* Columns left in the line; SIZE_MAX if nothing is cut. */
size_t out_line_left(const struct out *o);

/* Colours, by their meaning. Nothing is written if colours are off. */
enum tone { TONE_PLAIN, TONE_FAINT, TONE_STRONG, TONE_NAME, TONE_TIME, TONE_GOOD, TONE_BAD };
void out_tone(struct out *o, enum tone tone);

/* Sizes, durations and local times in the notation of base/units.h and os/local.h, from which
 * cmd_say gets the same texts: "1.2 KiB"; "1.2 ms"; "±1.2 ms"; "2026-11-21 10:52:01";
 * "10:52:01.500". */
void out_bytes(struct out *o, uint64_t bytes);
void out_span(struct out *o, int64_t ns);
void out_error(struct out *o, int64_t ns);
void out_moment(struct out *o, int64_t real_ns);
void out_clock(struct out *o, int64_t real_ns, unsigned decimals);
/* 1234567 as 1,234,567. */
void out_count(struct out *o, uint64_t n);
/* Seconds since 1970 with nine decimals. */
void out_seconds(struct out *o, int64_t real_ns);

static inline struct text text_of(const char *s)
{
	return (struct text){.at = s, .length = s ? strlen(s) : 0};
}

#endif
