/* pathline report: what its views share. A view is a row of a table in report.c, and a function
 * here, in the file of its kind. */
#ifndef PL_CMD_REPORT_H
#define PL_CMD_REPORT_H

#include "cmd/cmd.h"
#include "cmd/expression.h"
#include "cmd/json.h"
#include "cmd/select.h"
#include "cmd/sheet.h"
#include "cmd/text.h"
#include "report/names.h"
#include "report/tree.h"
#include "session/value_path.h"

struct report {
	struct cmd *cmd;
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct out out;
	/* as given, NULL if not; point into argv */
	const char *rows_text, *sort, *file, *function, *callers, *callees, *blocking_text, *flame,
		*threshold_text, *by, *filter_text;
	struct expression filter;  /* of filter_text */
	bool of_calls, of_hits;	   /* it asks for more than counts know: calls, or lines */
	struct value_path by_path; /* of `by` */
	bool json, csv, functions, tree, tasks, exceptions, collapsed, follows, requests;
	enum sheet_form form;
	uint64_t rows; /* at most; 0: all */
	int64_t blocking_ns;
	double threshold;	  /* share of the whole below which a tree is folded */
	int code;		  /* exit */
	bool found;		  /* what was named exists */
	bool some;		  /* a line ran in what was asked for */
	bool headless;		  /* the CSV's head was written already */
	bool all_exceptions;	  /* also those that end loops */
	size_t exceptions_before; /* that were listed already, of other processes or threads */

	/* what is shown now: a process, or one of its threads */
	struct pl_times_range range;
	const struct pl_profile_tables *t;
	/* for report_lines: the codes of w->t that came first for each text of a file, by file,
	 * then in the order in which the texts came */
	const struct pl_code **texts; /* owned */
	size_t text_count;
	/* likewise, for each of the w->t->lines: another code has the same line */
	bool *shared_lines; /* owned */
	/* for each of its rows the event at which its longest pass began: its seq + 1, 0: not
	 * looked for yet, UINT64_MAX: not known */
	uint64_t *seqs;	    /* owned */
	uint64_t *seq_most; /* so many more are looked for, as that takes time; not owned */
	/* for --flame and --collapsed: all of it */
	struct tree whole;
	struct pl_profile **profiles; /* owned, each one as well: the tree refers to them */
	char **labels;		      /* owned, each one as well */
	size_t profile_count;
};

/* Each shows w->t. CMD_GO, or an exit code after an explanation. */
int report_lines(struct report *w);
int report_file(struct report *w); /* the source of --file, annotated */
int report_functions(struct report *w);
int report_hits(struct report *w); /* lines that run where --filter is true */
int report_by(struct report *w);   /* --functions --by, or of calls that --filter selects */
int report_callers(struct report *w);
int report_callees(struct report *w);
int report_tree(struct report *w);
int report_tasks(struct report *w);
int report_blocking(struct report *w);
int report_exceptions(struct report *w);
/* Those that ended something come first, each part as the table has it: fills `to`, of the table's
 * size, and returns their number. It reads r, range and t alone. */
size_t report_order_exceptions(const struct report *w, const struct pl_profile_exception **to);
/* Of all ranges at once, by route, and the slowest ones. */
int report_requests(struct report *w);
/* After all of them. */
int report_whole(struct report *w);

/* What --sort can name in each view. */
extern const struct column report_line_columns[], report_function_columns[], report_by_columns[],
	report_hit_columns[], report_caller_columns[], report_callee_columns[],
	report_task_columns[], report_exception_columns[], report_request_columns[];

/* All processes and threads that are asked for: w->code. */
void report_ranges(struct report *w);
/* What is known only after them: that nothing has the name that was given, what is missing. The
 * exit code. */
int report_conclude(struct report *w);
/* CMD_GO; CMD_USAGE after saying what has no meaning with --follow. */
int report_check_follow(const struct report *w);
/* report_ranges again and again until the end. The exit code. */
int report_follow(struct report *w);

/* Interpret --filter. CMD_GO, or an exit code after an explanation. */
int report_read_filter(struct report *w);
/* Are rows chosen, by --file, --function or --filter? */
bool report_chooses(const struct report *w);
/* Is a row with this code wanted? line 0: it is of the whole function. */
bool report_wants(const struct report *w, const struct pl_code *code, int32_t line);
/* The same by --file and --function alone. */
bool report_wants_place(const struct report *w, const struct pl_code *code);
bool report_wants_exception(const struct report *w, const struct pl_profile_exception *x);
/* Is each thread shown by itself, and is this one shown? */
bool report_by_thread(const struct report *w);
bool report_wants_thread(struct report *w, const struct pl_process *p, const struct pl_thread *t);
/* Interpret --by. CMD_GO, or CMD_USAGE after an explanation. */
int report_read_by(struct report *w);
/* report_around.c */

/* Was code left out when it was recorded? */
bool report_has_filter(const struct report *w);
/* Below a table of all time, for a person: the time that is in none of its rows. */
void report_rest(struct report *w);
/* A line below a table, for a person. */
void report_note(struct report *w, const char *note);
/* The same, where so many rows of a table are not shown; 0: all are. */
void report_more(struct report *w, size_t rows);
/* For the range; everything that the caller sets is 0. */
struct sheet report_sheet(const struct report *w, const char *type, const struct column *columns);
int report_show(struct report *w, const struct sheet *s);
/* Members of a row: what none of the numbers includes. */
void report_json_missing(const struct report *w, struct json *j);
/* What is missing, at the end, where no title says it. */
void report_say_missing(struct report *w);
/* Before a view's rows, for a person. */
void report_title(struct report *w, const char *what, const char *name);

/* report_lines.c */
/* A line's own time: what it computed, and what it waited for, without its calls. */
static inline int64_t line_own_ns(const struct pl_line_time *l)
{
	return l->computing_ns + l->waiting_ns;
}
#define OPEN_NOTE "?: no event says whether it ran; it may have, where the path breaks off"
/* It is not known whether it ran: it has no event, and may have run where the path breaks off. */
bool line_is_open(const struct report *w, const struct pl_profile_line *l);
/* Does the recording have the passes of loops that stay on a line? */
bool report_has_passes(const struct report *w);

/* report_cells.c */
struct cell cell_share(const struct report *w, int64_t ns); /* share of the range's sum */
struct cell cell_file(const struct pl_code *code);
struct cell cell_code(const struct pl_code *code);
struct cell cell_code_id(const struct pl_code *code);
struct cell cell_file_id(const struct pl_code *code);
/* file:line, with the text of the line. */
struct cell cell_place(const struct report *w, const struct pl_code *code, int32_t line);
/* Likewise for a function: file:line and its name. */
struct cell cell_function(const struct pl_code *code);
/* Of calls or passes; no cell without one: a function can be resumed without having been called in
 * this range. */
struct cell cell_average(int64_t ns, uint64_t count);
/* A longest duration, and what else is known of it, in the order of the columns. */
enum longest_column { LONGEST_NS, LONGEST_ERROR, LONGEST_AT, LONGEST_THREAD };
struct cell cell_longest(const struct pl_longest *l, enum longest_column column);
/* Of own time: the part in which it waited; none where no sample says that. */
struct cell cell_waiting(
	const struct report *w, int64_t waiting_ns, int64_t computing_ns, uint64_t samples);
/* The event at which it began, of a row with that code and line (0: a function). It is looked for
 * once. */
struct cell cell_longest_seq(const struct report *w, size_t row, const struct pl_longest *l,
	const struct pl_code *code, int32_t line);

#endif
