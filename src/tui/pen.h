/* Text onto one row of the screen: cleaned, measured in columns, cut with … if there is no more
 * room.
 *
 * All bytes of a recording that reach the terminal pass through here: control bytes are shown as
 * ^A, what is not UTF-8 as \x9b, and characters that change the direction of text as ?. A tab moves
 * to the next multiple of eight columns.
 */
#ifndef PL_TUI_PEN_H
#define PL_TUI_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a text means, which determines how it looks. */
enum ink {
	INK_PLAIN,
	INK_KEYWORD,
	INK_STRING,
	INK_COMMENT,
	INK_NUMBER,
	INK_DECORATOR,
	INK_NAME,
	INK_FAINT,
	INK_RAN,
	INK_NEVER,
	INK_HERE, /* the current line */
	INK_BAR,  /* header and hints */
	INK_BAD,
	INKS
};

/* Choose colours, or their substitutes. After curses has begun. */
void ink_init(void);

/* A part of a row: from column x, so many columns wide. */
struct pen {
	int y, x, columns;
	int left;   /* columns of the text that are skipped */
	bool lit;   /* reversed: the cursor */
	int column; /* of the text, so far */
	bool full;  /* no more room: further text is ignored */
};

/* As the pen draws it; nothing reaches the screen. */
int pen_columns(const char *text);
void pen_bytes(struct pen *p, const char *at, size_t length, enum ink ink);
void pen_text(struct pen *p, const char *text, enum ink ink);
void pen_format(struct pen *p, enum ink ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* If the beginning of the text was skipped, mark that with < at the left end. */
void pen_sign(const struct pen *p);
/* Fill the part to its end with blanks, or with `text`. */
void pen_fill(struct pen *p, const char *text, enum ink ink);
/* A rule with a text in it, to the end of the part. */
void pen_rule(struct pen *p, const char *text, enum ink ink);

#endif
