/* A sheet: rows of columns, as aligned text for a person, as JSON, or as CSV.
 *
 * A view describes its columns once, in a table, and gives the cell of any row and column; the
 * order of rows, the limit, and the three forms come from here. Names of columns are an interface:
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

struct cell {
	enum cell_kind {
		CELL_NONE,  /* empty, or null */
		CELL_COUNT, /* number: in the text 1,234,567 */
		/* number: in the text without commas, as those of lines and processes */
		CELL_NUMBER,
		CELL_SIZE,   /* number of bytes */
		CELL_NS,     /* number: a duration */
		CELL_ERROR,  /* number of ns: the error of a duration */
		CELL_SHARE,  /* share: in the text per cent */
		CELL_MOMENT, /* number of ns since 1970: in the text the clock time */
		CELL_DATE,   /* the same: in the text date and time */
		CELL_TEXT,
		CELL_ID,    /* text, in the cell itself */
		CELL_PLACE, /* text:number */
	} kind;
	int64_t number;
	double share;
	const char *text;
	char id[12];
	struct text source; /* after a place, or a text in the last column; faint */
};

struct column {
	const char *name;  /* NULL: not in the data */
	const char *title; /* NULL: not in the text */
	/* Of a text: its width at most, on a terminal. Otherwise each column is as wide as its
	 * widest cell; the last one takes what is left. */
	unsigned width;
	/* Where the table is wider than the terminal, columns are left out, the highest first; 0:
	 * never. */
	unsigned drop;
};

enum sheet_form { SHEET_TEXT, SHEET_JSON, SHEET_CSV };

struct sheet {
	const char *type; /* of the JSON's lines */
	const struct column *columns;
	struct cell (*cell)(const void *context, size_t row, unsigned column);
	bool (*wanted)(const void *context, size_t row); /* NULL: all are */
	const void *context;
	size_t rows;
	const char *sort; /* a column's name, with or without _ns; NULL: as they come */
	uint64_t most;	  /* rows of the text and of the CSV; 0: all */
	/* stand in front of each row of the data */
	uint32_t process, thread; /* thread: PL_ALL_THREADS: null */
	bool headless;		  /* the CSV's head has been written */
	/* of the text */
	unsigned indent,
		gap;   /* blanks in front of a row, and between columns; gap 0: one of each */
	unsigned last; /* columns of the terminal that are kept for the last column; 0: 30 */
};

/* CMD_GO; CMD_USAGE: there is no column of this name to sort by, which was said. */
int sheet_check_sort(const struct column *columns, const char *sort);
/* CMD_GO; CMD_USAGE: as sheet_check_sort; CMD_BAD: no memory. */
int sheet_write(const struct sheet *s, struct out *out, enum sheet_form form);

#endif
