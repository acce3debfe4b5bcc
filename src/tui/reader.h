/* The reader: calls, results and exceptions of all threads as a list over the whole screen, with
 * the keys of less. It is a view of the screen, and what `pathline reader` begins with.
 *
 *	10:52:01.120031 MainThread  book(order={'item': 'anvil', 'count': 2})
 *	10:52:01.120090 MainThread    -> 9.0  price
 *	10:52:01.120112 MainThread    raise SoldOut('anvil')  book
 *
 * Rows are those of session/reading.h: only those in sight are read. A search and a filter test the
 * texts of rows, which can take long; then Ctrl-C ends it, and the list is what was read by then,
 * until another key.
 */
#ifndef PL_TUI_READER_H
#define PL_TUI_READER_H

#include "session/reading.h"
#include "expr/pattern.h"
#include "tui/state.h"

#define READER_WHOLE_BYTES 65536

struct reader {
	struct reading list;
	int64_t row, top;      /* numbers of rows: the chosen one, the first one that is shown */
	struct pl_position of; /* the session's position, where the list was brought to it last */
	uint64_t of_seq;
	bool placed;  /* it was */
	bool follows; /* the chosen row is the last one, also when the recording grows */
	bool stopped; /* by Ctrl-C: no more rows are read until a key */
	struct pattern match, search;
	struct expr *expr;	   /* owned: the filter; NULL: none */
	char filter[PROMPT_BYTES]; /* as it was typed */
	bool back;		   /* the last search went backward */
	char *whole;   /* owned: the text of the chosen row, if it is shown as a whole */
	int whole_top; /* of its rows on the screen */
	/* as drawn last */
	int rows;
	bool at_end;	 /* its last row is the last one */
	int64_t said_ns; /* CLOCK_MONOTONIC, when progress was shown last */
};

/* The view is shown, or the session's position has changed. */
void reader_moved(struct tui *t);
void reader_grown(struct tui *t);
void reader_release(struct tui *t);
/* reader_draw.c: header and rows, to so many rows of the screen. */
void reader_draw(struct tui *t, int rows);
/* A message at once, while a list is read: nothing else is drawn. */
void reader_say_progress(const struct tui *t, const char *text);

void reader_move(struct tui *t, int rows);
void reader_end(struct tui *t, bool top);
/* Show the newest rows, also those that come. */
void reader_follow(struct tui *t);
/* Choose the row in this row of the screen. */
void reader_click(struct tui *t, int y);
/* Bring the session to the chosen row. false: there is none. */
bool reader_enter(struct tui *t);
/* Show the chosen row as a whole, or no more. */
void reader_whole(struct tui *t);
/* Show only rows for which an expression is true, or which match a regular expression; "": all. */
void reader_filter(struct tui *t, const char *text);
void reader_match(struct tui *t, const char *text);
/* "/regex", "?regex", or ";" and ",": again, and in the other direction. */
void reader_search(struct tui *t, const char *line);
/* The row with this number, of those that may be read now. 0, PL_END, an error. */
int reader_row(struct tui *t, int64_t number, const struct reading_row **row);

#endif
