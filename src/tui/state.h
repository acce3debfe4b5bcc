/* What the screen knows, for those that draw it and those that change it. */
#ifndef PL_TUI_STATE_H
#define PL_TUI_STATE_H

#include <signal.h>
#include "tui/pen.h"
#include "tui/prompt.h"
#include "tui/listing.h"
#include "tui/tui.h"

#define TREE_ROWS	 4096
#define TREE_FOLDS	 256
#define TIMELINE_ROWS	 256
#define TIMELINE_COLUMNS 512

/* A piece of the screen, in cells. */
struct box {
	int y, x, rows, columns;
};

/* A call of the tree around the position. */
struct tree_row {
	uint64_t seq;
	uint32_t depth;
	int32_t line; /* of its caller */
	const struct pl_code *code;
};

struct tree {
	struct tree_row rows[TREE_ROWS];
	size_t count;
	uint64_t folds[TREE_FOLDS]; /* seqs of calls */
	size_t fold_count;
	struct pl_position of; /* of this thread */
	uint64_t from, to;     /* seqs that it was made of; 0, 0: it is not made */
};

/* Which thread or task ran in which column of time. */
struct timeline {
	struct {
		uint32_t thread;
		char task[64]; /* "": the thread itself */
		bool ran[TIMELINE_COLUMNS];
	} rows[TIMELINE_ROWS];
	size_t count;
	uint32_t process; /* 0: it is not made */
	int64_t from_ns, to_ns;
};

struct tui {
	const struct tui_options *o;
	struct session *s;
	struct listing source;
	int32_t cursor, top; /* lines of the source */
	int left;	     /* columns passed over */
	enum view view;
	bool help;
	int help_top;
	/* views of rows */
	size_t row, row_top;
	uint64_t path_row, path_top; /* seqs */
	struct path path;	     /* of the views; of the position's thread */
	uint32_t kinds;		     /* of the path view: bit per enum pl_event_kind; 0: all */
	struct pl_search *rows;	     /* owned: of those, in path's thread; NULL: not begun */
	struct pl_event found;	     /* by that */
	struct tree *tree;	     /* owned */
	struct timeline *timeline;   /* owned */
	struct prompt prompt;
	char stem[PROMPT_BYTES]; /* what Tab completes, as it was typed; "": nothing yet */
	size_t turn;
	const struct key *waiting; /* for one more key */
	char message[WHY_MAX];
	/* the last search was one in the source's text */
	bool in_text, has_regex, regex_back;
	regex_t regex;
	uint64_t hits_seq; /* of the position of which hits are, in that thread */
	struct pl_position hits_of;
	bool hits_ready;
	int mouse_y, mouse_x;
	bool asked;	    /* Ctrl-C was pressed while nothing was done */
	int64_t drawn_ns;   /* CLOCK_MONOTONIC, of the last progress */
	sigset_t unblocked; /* signals are blocked as before then, while it is waited for keys */
	bool quit;
	/* as drawn last */
	struct box source_box, side_box;
};

/* draw.c */
void draw(struct tui *t);
/* Is there no line before, or behind, the position in its thread? */
bool tui_at_edge(struct tui *t, bool back);
const struct pl_thread *tui_thread(const struct tui *t);
int32_t tui_line(const struct
	tui *t); /* of the position or of the selected frame, in the shown file; 0: it is not there */

/* views.c */
void view_draw(struct tui *t, struct box box);
/* Up or down by so many rows, to the first and the last one. */
void view_move(struct tui *t, int rows);
void view_end(struct tui *t, bool top);
/* The row under y. */
void view_click(struct tui *t, int y);
/* A command for Enter: "" none. */
void view_enter(struct tui *t, char command[64]);
void view_fold(struct tui *t);
/* The path view shows these kinds only; 0: all. */
void view_filter(struct tui *t, uint32_t kinds);
/* The position is another one. */
void view_moved(struct tui *t);
/* The recording grew. */
void view_grown(struct tui *t);
void view_release(struct tui *t);

/* tui.c */
int tui_frame(struct tui *t, struct pl_frame *frame); /* the selected one; 0 or PL_END */

#endif
