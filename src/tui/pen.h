/* Text onto one row of the screen: cleaned, in columns, cut with … where there is no more room.
 *
 * No byte of a recording gets to the terminal but through here: control bytes are shown as ^A, what
 * is not UTF-8 as \x9b, and what would turn the direction of text as ?. Tabs go to the next of
 * eight columns.
 */
#ifndef PL_TUI_PEN_H
#define PL_TUI_PEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What text means, and so how it looks. */
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

/* Colours, or what stands for them. After curses has begun. */
void ink_init(void);

/* A row's piece from column x, so many columns wide. */
struct pen {
	int y, x, columns;
	int left;   /* columns of the text that are passed over */
	bool wraps; /* what is left goes into the next row, so that nothing says that it was cut */
	bool lit;   /* reversed: the cursor */
	int column; /* of the text, so far */
	bool full;  /* there is no more room: nothing more need be given */
};

void pen_bytes(struct pen *p, const char *at, size_t length, enum ink ink);
void pen_text(struct pen *p, const char *text, enum ink ink);
void pen_format(struct pen *p, enum ink ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Blanks, or what ch says, to the piece's end. */
void pen_fill(struct pen *p, const char *text, enum ink ink);

#endif
