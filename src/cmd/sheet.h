/* A sheet: rows of columns, as aligned text for a person, as JSON, or as CSV.
 *
 * A view describes its columns once, in a table, and returns the cell for any row and column; this
 * module does the order of rows, the limit, and the three forms. Names of columns are an interface:
 * they are the keys of the JSON, the heads of the CSV, and what --sort takes.
 *
 *	static const struct column columns[] = {
 *		{"own_ns", "own"},
 *		{"file", NULL},                 no title: not in the text
 *		{NULL, "place"},                no name: in the text only
 *		{0},
 *	};
 */
#ifndef PL_CMD_SHEET_H
#define PL_CMD_SHEET_H

#include "cmd/text.h"
#include "pathline/pathline.h"

#define CELL_ID_BYTES 48

struct cell {
	enum cell_kind {
		CELL_NONE, /* empty, or null */
		/* number: in the text as 1,234,567. `text`: it is not known; this is
		 * shown, and the data has nothing */
		CELL_COUNT,
		/* number: in the text without commas, as for lines and processes */
		CELL_NUMBER,
		CELL_SIZE,   /* number of bytes */
		CELL_NS,     /* number: a duration */
		CELL_ERROR,  /* number of ns: the error of a duration */
		CELL_SHARE,  /* share: in the text as a percentage */
		CELL_MOMENT, /* number of ns since 1970: in the text as clock time */
		CELL_DATE,   /* the same: in the text as date and time */
		CELL_TEXT,
		CELL_ID,    /* text, in the cell itself */
		CELL_PLACE, /* text:number */
	} kind;
	int64_t number;
	double share;
	const char *text;
	char id[CELL_ID_BYTES];
	/* of a place in the last column: the function that it is in, if that is to be said */
	const char *in;
	struct text source; /* after a place, or after a text in the last column; faint */
};

static inline struct cell cell_number(int64_t n)
{
	return (struct cell){.kind = CELL_NUMBER, .number = n};
}

static inline struct cell cell_count(uint64_t n)
{
	return (struct cell){.kind = CELL_COUNT, .number = n < INT64_MAX ? (int64_t)n : INT64_MAX};
}

static inline struct cell cell_ns(enum cell_kind kind, int64_t ns)
{
	return (struct cell){.kind = kind, .number = ns};
}

static inline struct cell cell_text(const char *text)
{
	return (struct cell){.kind = text ? CELL_TEXT : CELL_NONE, .text = text};
}

struct column {
	const char *name;  /* NULL: not in the data */
	const char *title; /* NULL: not in the text */
	/* For a text: its maximum width on a terminal. Other columns are as wide as their widest
	 * cell; the last one takes the rest. */
	unsigned width;
	/* If the table is wider than the terminal, columns are left out, the highest number first;
	 * 0: never. */
	unsigned drop;
};

enum sheet_form { SHEET_TEXT, SHEET_JSON, SHEET_CSV };

struct sheet {
	const char *type; /* `type` of the JSON's lines */
	const struct column *columns;
	struct cell (*cell)(const void *context, size_t row, unsigned column);
	bool (*wanted)(const void *context, size_t row); /* NULL: all rows */
	const void *context;
	size_t rows;
	const char *sort; /* a column's name, with or without _ns; NULL: unsorted */
	uint64_t most;	  /* rows of the text and of the CSV; 0: all */
	/* written before each row of the data */
	uint32_t process, thread; /* thread: PL_ALL_THREADS: null */
	bool headless;		  /* the CSV's head was written already */
	/* for the text */
	unsigned indent, gap; /* blanks before a row, and between columns; gap 0: one */
	unsigned last;	      /* columns of the terminal kept for the last column; 0: 30 */
};

/* CMD_GO; CMD_USAGE, after a message: there is no column of this name to sort by. */
int sheet_check_sort(const char *command, const struct column *columns, const char *sort);
/* Which row of the view is the one that is written at this place, from 0? false: none is. */
bool sheet_row(const struct sheet *s, size_t index, size_t *row);
/* CMD_GO; CMD_USAGE as sheet_check_sort; CMD_BAD: no memory. */
int sheet_write(const struct sheet *s, struct out *out, enum sheet_form form);
struct json;
/* A cell as a member of an object. */
void sheet_member(struct json *j, const char *name, const struct cell *c);
/* A text as a cell of CSV. */
void sheet_quoted(struct out *out, const char *text);
/* How many rows its text leaves out, as there are more than `most`. */
size_t sheet_hidden(const struct sheet *s);

#endif
