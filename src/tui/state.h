/* What the screen knows, for the parts that draw it and those that change it. */
#ifndef PL_TUI_STATE_H
#define PL_TUI_STATE_H

#include <limits.h>
#include <signal.h>
#include "expr/pattern.h"
#include "session/complete.h"
#include "tui/pen.h"
#include "tui/prompt.h"
#include "tui/listing.h"
#include "tui/tui.h"

#define TREE_ROWS	 4096
#define TREE_FOLDS	 256
#define TIMELINE_ROWS	 256
#define TIMELINE_COLUMNS 512

/* A part of the screen, in cells. */
struct box {
	int y, x, rows, columns;
};

/* The mouse's, see pointer.h. */
#define VARIABLE_NAME_BYTES 256
struct pointer {
	bool followed;			/* the terminal reports that it moves */
	bool moved;			/* and it has */
	bool said;			/* the message is the value of: */
	char name[VARIABLE_NAME_BYTES]; /* what it is over; "": no name */
};

/* A call in the tree around the position. */
struct tree_row {
	uint64_t seq;
	uint32_t depth;
	int32_t line; /* in its caller */
	const struct pl_code *code;
};

struct tree {
	struct tree_row rows[TREE_ROWS];
	size_t count;
	uint64_t folds[TREE_FOLDS]; /* seqs of calls */
	size_t fold_count;
	struct pl_position of; /* of this position's thread */
	uint64_t from, to;     /* seqs that it covers; 0, 0: not made */
};

/* What is known about a column of time. */
enum timeline_cell { CELL_NONE, CELL_MAYBE, CELL_RAN };

/* A thread or a task. */
struct timeline_row {
	uint32_t thread;
	uint64_t task_id;		 /* 0: none, or a task in a recording older than 1.9 */
	char task[64];			 /* task_id 0 and "": the thread itself */
	int64_t first_ns, last_ns;	 /* it exists from, and to */
	uint8_t cells[TIMELINE_COLUMNS]; /* enum timeline_cell */
	uint64_t seqs[TIMELINE_COLUMNS]; /* of the first event there; UINT64_MAX: none */
};

/* Which thread or task ran in which column of time. */
struct timeline {
	struct timeline_row rows[TIMELINE_ROWS];
	size_t count;
	uint32_t process; /* 0: not made */
	int64_t from_ns, to_ns;
	int left, cells; /* as drawn last: columns of names, of time */
	int first_y;	 /* y of the first row */
	int cursor;	 /* the chosen one of the cells; -1: the position's */
};

struct reader; /* reader.h */

struct tui {
	const struct tui_options *o;
	struct session *s;
	struct listing source;
	int32_t cursor, top; /* lines of the source */
	int left;	     /* columns skipped */
	enum view view;
	bool help;
	int help_top, help_found; /* rows; help_found: number of the row found, from 1; 0: none */
	int body_rows;		  /* as drawn last */
	int help_columns;	  /* as drawn last */
	/* views of rows */
	size_t row, row_top;
	int row_left;		     /* in the path view: columns skipped */
	uint64_t path_row, path_top; /* seqs */
	struct path path;	     /* for the views; of the position's thread */
	uint32_t kinds;		     /* in the path view: bit per enum pl_event_kind; 0: all */
	struct pl_search *rows; /* owned: events of these kinds in path's thread; NULL: not begun */
	struct pl_event found;	/* by `rows` */
	struct tree *tree;	/* owned */
	struct timeline *timeline;	  /* owned */
	struct reader *reader;		  /* owned */
	struct variables_view *variables; /* owned */
	bool no_values_beside;		  /* at the ends of source lines */
	struct prompt prompt;
	struct {
		const struct complete_word *own; /* commands of the screen; not owned */
		char stem[PROMPT_BYTES];	 /* what is completed, as it was typed */
		struct completion found;
		bool listed;
		size_t turn; /* which of the words found is in the prompt, from 1; 0: none */
	} tab;
	const struct key *waiting; /* for one more key */
	uint32_t count;		   /* typed before a key; 0: none */
	char folder[PATH_MAX];	   /* the current one, with a slash at the end; "": unknown */
	char message[WHY_MAX];
	/* the last search was in the source's text */
	bool in_text, pattern_back;
	struct pattern pattern; /* of a search in the text */
	uint64_t hits_seq;	/* of the position for which hits are, in that thread */
	struct pl_position hits_of;
	bool hits_ready;
	int mouse_y, mouse_x;
	struct pointer pointer;
	bool pasting;	  /* the terminal sends pasted text */
	bool asked;	  /* Ctrl-C was pressed while nothing was running */
	int64_t drawn_ns; /* CLOCK_MONOTONIC, when progress was last drawn */
	sigset_t
		unblocked; /* signals blocked while it waits for keys: as before the screen began */
	bool follows;	   /* what the program writes is read, until it has ended */
	bool quit;
	/* as drawn last */
	struct box source_box, side_box;
	int gutter; /* columns left of the source's text */
};

/* draw.c */
void draw(struct tui *t);
/* Is there no line before, or after, the position in its thread? */
bool tui_at_edge(struct tui *t, bool back);
const struct pl_thread *tui_thread(const struct tui *t);

/* Bytes of the text that fit into a row of so many columns: up to a space, if possible. */
size_t tui_row_bytes(const char *text, int columns);
const char *tui_next_row(const char *text, int columns);

/* source_draw.c */
void source_draw(struct tui *t, struct box box);
/* Of replay_place or the selected frame, in the shown file; 0: it is not in it */
int32_t tui_line(const struct tui *t);

/* views.c */
void view_draw(struct tui *t, struct box box);
/* Up or down by so many rows, as far as the first or last one. */
void view_move(struct tui *t, int rows);
/* Scroll so that the chosen one of `count` rows is among those shown, and no room is left
 * unused. */
void view_keep_in_sight(struct tui *t, size_t rows, size_t count);
void view_end(struct tui *t, bool top);
/* Choose what is under the mouse. true: and go there. */
bool view_click(struct tui *t, int y, int x);
/* Move the timeline's cursor by so many columns. */
void view_column(struct tui *t, int columns);
/* The command for Enter; "": none. */
void view_enter(struct tui *t, char command[64]);
void view_fold(struct tui *t);
/* The path view shows only these kinds; 0: all. */
void view_filter(struct tui *t, uint32_t kinds);
/* The position has changed. */
void view_moved(struct tui *t);
/* The recording grew. */
void view_grown(struct tui *t);
void view_release(struct tui *t);

/* timeline.c */
void timeline_draw(struct tui *t, struct box box);
void timeline_moved(struct tui *t);
void timeline_column(struct tui *t, int columns);
bool timeline_click(struct tui *t, int y, int x);
void timeline_enter(struct tui *t);

/* variables.c */
void variables_draw(struct tui *t, struct box box);
void variables_fold(struct tui *t);
/* The variable that is chosen in the view; false: none is. */
bool variables_chosen(struct tui *t, char name[VARIABLE_NAME_BYTES]);
/* After the text of a line of source: the values of its names, if the frame is at `here`. */
void variables_beside(struct tui *t, struct pen *p, int32_t line, int32_t here);
/* The name at this column of the text, with what is before its dots; false: there is none. */
bool variables_under(struct tui *t, int32_t line, int column, char name[VARIABLE_NAME_BYTES]);
void variables_release_view(struct tui *t);

/* help.c */
void help_draw(struct tui *t, struct box box);
/* To the next row, or the one before, that has t->pattern; false: none. */
bool help_search(struct tui *t, bool back);

/* tab.c */
void tab_press(struct tui *t);
void tab_close(struct tui *t);
/* List the words found at the bottom of the box; returns the rows used. */
int tab_draw(struct tui *t, struct box box);

/* header_draw.c: on the first row, or the first two. */
void header_draw(const struct tui *t, int rows);
/* A file's name in at most so many columns: relative to the current folder, and cut from the
 * left. */
#define FILE_BYTES 512
void tui_file(const struct tui *t, const char *file, int columns, char text[FILE_BYTES]);

/* tui.c: the message below. */
void tui_say(struct tui *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* command.c */
/* Run a line, as typed or as a key stands for it: "5 s", "b 12", "view path". */
void tui_do(struct tui *t, const char *line);
/* Run a command of the session, and show its answer, or where it led. */
void tui_do_session(struct tui *t, const char *line);

/* position.c */
int tui_frame(struct tui *t, struct pl_frame *frame); /* the selected one; 0 or PL_END */
/* Show another file, from its first line. */
void position_show_file(struct tui *t, const struct pl_code *code);
/* Show the source at the position, or at the selected frame. */
void position_show(struct tui *t);
/* Do a part of the counting; returns whether there is more. */
bool counting_piece(struct tui *t);
/* Small recordings are counted before anything is shown. */
void counting_some(struct tui *t);
/* For a command that needs the whole count. false: it was interrupted, or failed. */
bool counting_all(struct tui *t);
/* CLOCK_MONOTONIC: for deadlines, not to be compared with the times of a recording. */
int64_t tui_now_ns(void);

#endif
