/* pathline calls: the tree of calls as text, one call a line. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/map.h"
#include "cmd/calls_text.h"
#include "cmd/calls_tree.h"
#include "cmd/follow.h"
#include "cmd/page.h"
#include "cmd/request_at.h"
#include "cmd/values.h"
#include "filter/glob.h"

#define NUMBER_MAX 100000

struct calls {
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct out out;
	struct calls_text text;
	struct expression filter;
	const char *filter_text;   /* as given; NULL: none */
	const char *function;	   /* as given; NULL: all */
	const char *request;	   /* likewise; NULL: none */
	char request_words[5][24]; /* what is selected by it */
	uint32_t depth, width;	   /* 0: all levels; whole lines */
	bool all, json, follows;
	bool some;	 /* there was a call to print */
	uint32_t headed; /* the process whose heading was written; 0: none yet */
	bool thread_headed;
	uint32_t headed_thread; /* of that process */
	struct pl_map trees;	/* owned: process << 32 | thread -> its tree */
	int code;		/* exit */
	uint64_t damages;	/* seen so far */
};

/* "process 1  pid 4711  python3 shop.py" */
static void write_process(struct calls *w)
{
	const struct pl_process *p = w->text.process;
	struct out *o = &w->out;

	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "process ");
	out_u64(o, p->number);
	out_text(o, "  pid ");
	out_u64(o, p->pid);
	out_text(o, "  ");
	out_clean(o, text_of(p->command));
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* The command that goes to a line's #number. */
static void write_replay(struct calls *w)
{
	struct pl_buf words = {0};

	buf_printf(&words, "  pathline replay -p %" PRIu32 " -t %" PRIu32 " --at '#N'%s",
		w->text.process->number, w->text.thread->number, cmd_recording());
	out_tone(&w->out, TONE_FAINT);
	out_clean(&w->out, (struct text){.at = (char *)words.at, .length = words.used});
	out_tone(&w->out, TONE_PLAIN);
	buf_release(&words);
}

/* "thread 0  MainThread  pathline replay -p 1 -t 0 --at '#N'" */
static void write_thread(struct calls *w)
{
	const struct pl_thread *t = w->text.thread;
	struct out *o = &w->out;

	if (w->headed)
		out_char(o, '\n');
	if (w->headed != w->text.process->number)
		write_process(w);
	w->headed = w->text.process->number;
	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "thread ");
	out_u64(o, t->number);
	out_tone(o, TONE_PLAIN);
	if (t->name && t->name[0]) {
		out_text(o, "  ");
		out_clean(o, text_of(t->name));
	}
	write_replay(w);
	out_line_end(o);
}

/* A thread of which nothing is shown has no heading. */
static bool write_call(void *context, const struct call_node *n)
{
	struct calls *w = context;

	if (!w->thread_headed && !w->json)
		write_thread(w);
	w->thread_headed = true;
	w->some = true;
	calls_text_write(&w->text, n);
	return !w->out.error;
}

static struct calls_tree tree_of(struct calls *w)
{
	return (struct calls_tree){.r = w->r,
		.selection = &w->selection,
		.function = w->function,
		.expression = w->filter.expr ? &w->filter : NULL,
		.depth = w->depth,
		.all = w->all,
		.follows = w->follows,
		.values = values_there(w->r),
		.write = write_call,
		.context = w};
}

static bool wants_thread(struct calls *w, const struct pl_thread *t)
{
	return t && select_thread(&w->selection, w->r, t) && expression_may_thread(&w->filter, t);
}

static int walk_thread(struct calls *w, const struct pl_thread *t, struct pl_err *err)
{
	struct calls_tree tree = tree_of(w);

	w->text.thread = t;
	w->thread_headed = false;
	int code = calls_tree_walk(&tree, t->process, t->number, err);
	w->damages += tree.damages;
	return code;
}

static void walk_process(struct calls *w, const struct pl_process *p)
{
	struct pl_err err = {0};
	int code = 0;

	w->text.process = p;
	expression_process(&w->filter, p);
	for (uint32_t n = 0; n < p->thread_count && code == 0 && !w->out.error; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, n);
		if (wants_thread(w, t))
			code = walk_thread(w, t, &err);
	}
	if (code < 0) {
		w->code = CMD_BAD;
		cmd_say("calls: process %" PRIu32 ": %s", p->number,
			err.used ? pl_err_text(&err) : pl_error_name(code));
	}
}

static void walk_processes(struct calls *w)
{
	for (uint32_t i = 0; i < pl_recording_process_count(w->r) && !w->out.error; i++) {
		const struct pl_process *p = pl_recording_process(w->r, i);
		if (select_process(&w->selection, w->r, p))
			walk_process(w, p);
	}
}

/* ---- while it is written ---- */

static void end_tree(struct calls *w, struct calls_tree *tree)
{
	calls_tree_end(tree);
	w->damages += tree->damages;
	free(tree);
}

/* 0, and the tree of a thread in w->trees, NULL if the thread has ended; or an error. */
static int tree_at(
	struct calls *w, const struct pl_thread *t, struct calls_tree **tree, struct pl_err *err)
{
	const uint64_t key = (uint64_t)t->process << 32 | t->number;
	uint64_t *value = map_find(&w->trees, key);
	int code = 0;

	if (value) {
		*tree = (struct calls_tree *)(uintptr_t)*value;
		return 0;
	}
	value = map_put(&w->trees, key);
	*tree = value ? malloc(sizeof **tree) : NULL;
	if (!*tree)
		return PL_ERR_MEMORY;
	**tree = tree_of(w);
	*value = (uintptr_t)*tree;
	code = calls_tree_begin(*tree, t->process, t->number, err);
	return code < 0 ? code : 0;
}

/* The heading is written again when the rows are those of another thread. */
static int follow_thread(struct calls *w, const struct pl_thread *t, struct pl_err *err)
{
	struct calls_tree *tree;
	int code = tree_at(w, t, &tree, err);

	if (code || !tree)
		return code;
	w->text.thread = t;
	w->thread_headed = w->headed == t->process && w->headed_thread == t->number;
	code = calls_tree_step(tree, err);
	if (t->end_ns) {
		end_tree(w, tree);
		*map_find(&w->trees, (uint64_t)t->process << 32 | t->number) = 0;
	}
	if (w->thread_headed)
		w->headed_thread = t->number;
	return code;
}

static int follow_process(struct calls *w, const struct pl_process *p, struct pl_err *err)
{
	int code = 0;

	w->text.process = p;
	expression_process(&w->filter, p);
	for (uint32_t n = 0; n < p->thread_count && code == 0 && !w->out.error; n++) {
		const struct pl_thread *t = pl_recording_thread(w->r, p->number, n);
		if (wants_thread(w, t))
			code = follow_thread(w, t, err);
	}
	return code;
}

static int follow_round(struct calls *w, struct pl_err *err)
{
	const struct pl_process *p;
	int code = 0;

	for (uint32_t i = 0; code == 0 && (p = pl_recording_process(w->r, i)); i++)
		if (select_process(&w->selection, w->r, p))
			code = follow_process(w, p, err);
	out_flush(&w->out);
	if (code == 0)
		code = w->out.error ? PL_END : follow_wait(w->r, err);
	return code;
}

/* The end of those that still run: what is kept of them is written. */
static void end_trees(struct calls *w)
{
	const struct pl_process *p;

	for (uint32_t i = 0; (p = pl_recording_process(w->r, i)); i++)
		for (uint32_t n = 0; n < p->thread_count; n++) {
			uint64_t *value = map_find(&w->trees, (uint64_t)p->number << 32 | n);
			w->text.process = p;
			w->text.thread = pl_recording_thread(w->r, p->number, n);
			w->thread_headed = w->headed == p->number && w->headed_thread == n;
			if (value && *value)
				end_tree(w, (struct calls_tree *)(uintptr_t)*value);
		}
	map_release(&w->trees);
}

static void follow_calls(struct calls *w)
{
	struct pl_err err = {0};
	int code = 0;

	w->filter.keeps = true;
	follow_begin(w->r);
	while (code == 0)
		code = follow_round(w, &err);
	end_trees(w);
	if (code == PL_END)
		return;
	w->code = CMD_BAD;
	cmd_say("calls: %s", err.used ? pl_err_text(&err) : pl_error_name(code));
}

static void say_nothing(struct calls *w)
{
	char range[SELECT_RANGE_BYTES], why[EXPRESSION_WHY_BYTES];
	struct pl_recording_info info;

	if (w->some || w->out.error || w->code != CMD_OK)
		return;
	w->code = CMD_NOTHING;
	expression_why(&w->filter, w->r, why);
	pl_recording_info(w->r, &info);
	select_range(&info, range);
	if (*why)
		cmd_say("calls: no call is selected%s", why);
	else if (w->function && !w->selection.from_text && !w->selection.to_text)
		cmd_say("calls: no call of a function '%s' is selected; `pathline report "
			"--functions -n 0%s` lists the functions that ran",
			w->function, cmd_recording());
	else
		cmd_say("calls: no call is selected; the recording is from %s", range);
}

/* ---- options ---- */

static int read_number(const char *option, const char *text, uint32_t *number)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && n <= NUMBER_MAX) {
		*number = (uint32_t)n;
		return CMD_GO;
	}
	cmd_say("calls: --%s: '%s' is not a number up to %d", option, text, NUMBER_MAX);
	return CMD_USAGE;
}

static int read_numbers(struct calls *w, const char *depth, const char *width)
{
	int code = depth ? read_number("depth", depth, &w->depth) : CMD_GO;

	if (code == CMD_GO)
		code = page_read_width("calls", width, &w->width);
	if (code == CMD_GO && w->function &&
		!glob_is_sound(view_of(w->function, strlen(w->function)))) {
		cmd_say("calls: --function: a bracket of '%s' is not closed", w->function);
		code = CMD_USAGE;
	}
	return code;
}

/* Elsewhere than on a terminal lines are cut, too; paths below this directory are relative. */
static int open_output(struct calls *w, struct cmd *c, bool width_given)
{
	c->no_pager |= w->follows;
	int code = page_open(c, &w->out, !w->json);

	if (code != CMD_GO)
		return code;
	if (!w->json && (width_given || !w->out.columns))
		w->out.columns = w->width;
	if (!w->json && !w->out.here)
		w->out.here = getcwd(NULL, 0);
	w->text = (struct calls_text){.out = &w->out, .json = w->json};
	return calls_text_init(&w->text);
}

static const char *calls_word(char word[24], const char *before, uint64_t number)
{
	snprintf(word, 24, "%s%" PRIu64, before, number);
	return word;
}

/* It is what its thread ran between its first and its last event; of a coroutine its task alone. */
static int choose_request(struct calls *w)
{
	struct selection *s = &w->selection;
	struct request q;

	if (!w->request)
		return CMD_GO;
	if (w->follows || s->process || s->thread || s->task || s->from_text || s->to_text) {
		cmd_say("calls: --request says which calls; leave out --follow, --process, "
			"--thread, --task, --from and --to");
		return CMD_USAGE;
	}
	int code = request_at_number("calls", w->r, w->request, &q);
	if (code != CMD_GO)
		return code;
	s->process = calls_word(w->request_words[0], "", q.process);
	s->thread = calls_word(w->request_words[1], "", q.thread);
	s->from_text = calls_word(w->request_words[2], "#", q.seq);
	s->to_text = calls_word(w->request_words[3], "#", q.end_seq);
	if (q.task_id)
		s->task = calls_word(w->request_words[4], "", q.task_id);
	return CMD_GO;
}

static int calls_prepare(struct calls *w, struct cmd *c, bool width_given)
{
	w->selection.command = "calls";
	int code = w->follows ? follow_check(&w->selection) : CMD_GO;

	if (code == CMD_GO)
		code = choose_request(w);
	if (code == CMD_GO)
		code = select_read(&w->selection, w->r);
	if (code == CMD_GO)
		code = select_find_tasks(&w->selection, w->r);
	if (code == CMD_GO)
		code = expression_read(&w->filter, "calls", w->filter_text, w->r);
	return code == CMD_GO ? open_output(w, c, width_given) : code;
}

static const char ABOUT[] =
	"Print the calls of each thread as a tree, one call a line, indented by depth:\n\n"
	"  name(arguments) -> result  file:line  time  #seq\n\n"
	"Arguments and results are there if they were recorded (record --values). !! is an\n"
	"exception with which the call ended. Calls that follow each other and are alike are\n"
	"one line with their number and the sum of their times; below it is the first of them.\n"
	"Where several follow each other again and again, they are below a line: repeated.\n"
	"A run of a generator or a coroutine, until it yields or awaits, is a call.";

/* Print what is wanted, and say what is to be said of it. Returns an exit code. */
static int calls_print(struct calls *w, struct cmd *c)
{
	page_start(c, &w->out);
	if (w->follows)
		follow_calls(w);
	else
		walk_processes(w);
	if (cmd_say_damages("calls", w->r, w->damages) != CMD_OK)
		w->code = CMD_BAD;
	say_nothing(w);
	return w->code;
}

int cmd_calls(struct cmd *c)
{
	struct calls w = {.code = CMD_OK};
	const char *depth = NULL, *width = NULL;
	const struct cmd_option options[] = {
		{"all", 'a', NULL, "a line for each call: nothing is folded", .flag = &w.all},
		{"depth", 'd', "N", "at most N levels; +12 below counts what is left out",
			.text = &depth},
		{"width", 'w', "N", PAGE_WIDTH_HELP, .text = &width},
		{"json", 0, NULL, "one JSON object a line", .flag = &w.json},
		{"function", 'F', "PATTERN",
			"only calls of such functions, and what is below them: a name, or its "
			"last\n"
			"part, as book, Shop.* or test_*",
			.text = &w.function},
		{"filter", 0, "EXPR", EXPRESSION_HELP, .text = &w.filter_text},
		{"request", 0, "N", "only " REQUEST_HELP, .text = &w.request},
		SELECT_PROCESS(w.selection),
		SELECT_THREAD(w.selection, ""),
		SELECT_TASK(w.selection),
		SELECT_FROM(w.selection),
		SELECT_TO(w.selection),
		{"follow", 0, NULL, FOLLOW_HELP, .flag = &w.follows},
		{0},
	};
	int code, written;

	code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", ABOUT, options, .paged = true});
	if (code == CMD_GO)
		code = read_numbers(&w, depth, width);
	if (code == CMD_GO)
		code = cmd_open(c, &w.r);
	if (code == CMD_GO)
		code = calls_prepare(&w, c, width);
	if (code == CMD_GO)
		code = calls_print(&w, c);
	calls_text_release(&w.text);
	select_release(&w.selection);
	expression_release(&w.filter);
	written = page_close(c, &w.out);
	pl_recording_close(w.r);
	return written ? written : follow_stopped ? 128 + SIGINT : code;
}
