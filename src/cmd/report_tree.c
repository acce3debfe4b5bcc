/* pathline report: the call tree, as text, as a flame graph, and in formats of other tools. */
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/units.h"
#include "cmd/json.h"
#include "cmd/summary.h"
#include "report/flame.h"

#define FOLDED_LEAST 0.0005 /* of the whole: what would show as 0.0% is not mentioned */
#define PATH_LEAST   12	    /* columns of a path on a narrow terminal */
#define LINE_ROOM    6	    /* for its line number */
#define INDENT_MAX   40	    /* levels; deeper ones are not indented, but numbered */

/* ---- a node ---- */

/* On a terminal the indentation takes at most a third of the room to the right of the numbers. */
static uint32_t indent_max(const struct out *o)
{
	uint32_t most = o->columns > 40 ? (o->columns - 40) / 6 : 2;

	return o->columns && most < INDENT_MAX ? most : INDENT_MAX;
}

static void write_share(struct report *w, int64_t ns)
{
	const double all = (double)w->t->sum_ns;
	char text[32];

	snprintf(text, sizeof text, "%5.1f%%", all > 0 ? 100 * (double)ns / all : 0);
	out_text(&w->out, text);
}

static void write_span(struct out *o, int64_t ns)
{
	char text[UNITS_BYTES];

	units_duration(text, ns);
	out_spaces(o, text_width(text) < 10 ? 10 - text_width(text) : 1);
	out_text(o, text);
}

/* Numbers first, in columns; the name is indented by its level, so that the columns stay
 * straight. */
static void tree_text(struct report *w, const struct tree_node *n)
{
	struct out *o = &w->out;
	const uint32_t level = n->depth - 1, most = indent_max(o);
	char entries[UNITS_BYTES];

	out_line(o);
	write_share(w, n->cumulated_ns);
	write_span(o, n->cumulated_ns);
	write_span(o, n->own_ns);
	units_count(entries, n->calls + n->resumes + n->throws);
	out_spaces(o, strlen(entries) < 10 ? 10 - strlen(entries) : 1);
	out_text(o, entries);
	out_text(o, "  ");
	out_spaces(o, 2 * (size_t)(level < most ? level : most));
	if (level > most) {
		out_char(o, '[');
		out_u64(o, level);
		out_text(o, "] ");
	}
	out_clean(o, text_of(pl_code_name(n->code)));
	if (n->task) {
		out_text(o, " in ");
		out_clean(o, text_of(n->task));
	}
	out_text(o, n->recursive ? " (recursion)" : "");
	out_tone(o, TONE_FAINT);
	out_text(o, "  ");
	out_path(o, pl_code_file(n->code),
		out_line_left(o) > PATH_LEAST + LINE_ROOM ? out_line_left(o) - LINE_ROOM
							  : PATH_LEAST);
	out_char(o, ':');
	out_i64(o, pl_code_first_line(n->code));
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* For programs each node is a row, with its parent's id; node_cell has them in this order. */
static const struct column columns[] = {{"id"}, {"parent"}, {"depth"}, {"file"}, {"line"}, {"code"},
	{"code_id"}, {"recursive"}, {"calls"}, {"resumes"}, {"throws"}, {"own_ns"},
	{"cumulated_ns"}, {"share"}, {0}};

struct tree_rows {
	const struct report *w;
	const struct tree *tree;
};

static struct cell node_cell(const void *context, size_t row, unsigned column)
{
	const struct tree_rows *rows = context;
	const struct tree_node *n = &rows->tree->nodes[row + 1];
	const struct cell cells[] = {
		cell_count(row + 1),
		cell_count(n->parent),
		cell_count(n->depth),
		cell_file(n->code),
		cell_count((uint64_t)pl_code_first_line(n->code)),
		cell_code(n->code),
		cell_code_id(n->code),
		cell_count(n->recursive),
		cell_count(n->calls),
		cell_count(n->resumes),
		cell_count(n->throws),
		cell_ns(CELL_NS, n->own_ns),
		cell_ns(CELL_NS, n->cumulated_ns),
		cell_share(rows->w, n->cumulated_ns),
	};

	return cells[column];
}

/* ---- the tree ---- */

/* What is folded: one line below those that are shown. */
static void write_folded(struct report *w, uint32_t depth, uint32_t count, int64_t ns)
{
	struct out *o = &w->out;
	const uint32_t most = indent_max(o);

	out_line(o);
	out_tone(o, TONE_FAINT);
	write_share(w, ns);
	write_span(o, ns);
	out_spaces(o, 22 + 2 * (size_t)(depth < most ? depth : most));
	out_text(o, "… ");
	out_count(o, count);
	out_text(o, count == 1 ? " more function" : " more functions");
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

static bool is_shown(const struct report *w, const struct tree_node *n)
{
	return (double)n->cumulated_ns >= w->threshold * (double)w->t->sum_ns;
}

/* Children are sorted by time, the longest first: after the first that is folded, all are. */
static void fold(struct report *w, const struct tree *t, uint32_t from)
{
	uint32_t count = 0;
	int64_t ns = 0;

	for (uint32_t i = from; i; i = t->nodes[i].next) {
		count++;
		if (__builtin_add_overflow(ns, t->nodes[i].cumulated_ns, &ns))
			ns = INT64_MAX;
	}
	if ((double)ns >= FOLDED_LEAST * (double)w->t->sum_ns)
		write_folded(w, t->nodes[from].depth - 1, count, ns);
}

/* From parent to children without recursion: a tree can be hundreds of levels deep. After the last
 * child it goes up until there is a sibling. */
static void write_tree(struct report *w, const struct tree *t)
{
	struct out *o = &w->out;
	uint32_t i = t->nodes[0].first_child;

	out_tone(o, TONE_STRONG);
	out_text(o, " share      time       own   entered  function\n");
	out_tone(o, TONE_PLAIN);
	while (i && !o->error) {
		bool shown = is_shown(w, &t->nodes[i]);
		if (shown)
			tree_text(w, &t->nodes[i]);
		else
			fold(w, t, i);
		uint32_t next = shown ? t->nodes[i].first_child : 0;
		if (!next && shown)
			next = t->nodes[i].next;
		while (!next && t->nodes[i].parent) {
			i = t->nodes[i].parent;
			next = t->nodes[i].next;
		}
		i = next;
	}
}

int report_tree(struct report *w)
{
	struct tree t = {0};
	struct tree_rows rows = {w, &t};
	struct sheet s = report_sheet(w, "node", columns);
	int code = CMD_GO;

	if (tree_add(&t, w->t, NULL) || tree_link(&t)) {
		cmd_say("report: no memory for the call tree");
		code = CMD_BAD;
	} else if (w->form == SHEET_TEXT) {
		report_title(w, "call tree", NULL);
		write_tree(w, &t);
		out_char(&w->out, '\n');
		report_rest(w);
	} else {
		s.context = &rows;
		s.cell = node_cell;
		s.rows = t.count - 1;
		s.most = 0;
		code = report_show(w, &s);
	}
	tree_release(&t);
	return code;
}

/* ---- all ranges ---- */

static void tree_put(void *context, const char *bytes, size_t count)
{
	out_put(context, bytes, count);
}

/* The command, and what is missing. */
static int flame_title(const struct report *w, struct pl_buf *title)
{
	char texts[SUMMARY_MISSING_MAX][SUMMARY_MISSING_BYTES];
	const size_t count = summary_missing(w->r, texts);
	struct pl_recording_info info;

	pl_recording_info(w->r, &info);
	buf_printf(title, "%s", info.command);
	for (size_t i = 0; i < count; i++)
		buf_printf(title, " (%s)", texts[i]);
	buf_u8(title, 0);
	return title->failed ? PL_ERR_MEMORY : 0;
}

/* Errors of writing come late, at the flush or at close: each of them is said with the file's
 * name. */
static int write_flame(struct report *w, const struct tree *t)
{
	struct pl_buf title = {0};
	struct out o;
	int fd = open(w->flame, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || out_init(&o, fd, false) < 0) {
		cmd_say("report: %s cannot be written: %s", w->flame,
			strerror(fd < 0 ? errno : ENOMEM));
		if (fd >= 0)
			close(fd);
		return CMD_NOT_WRITTEN;
	}
	int code = flame_title(w, &title);
	if (code == 0)
		code = flame_svg(t, (const char *)title.at, &(struct flame_sink){tree_put, &o});
	buf_release(&title);
	out_flush(&o);
	int error = o.error;
	o.error = 0; /* it is said below, with the file's name */
	out_release(&o);
	if (close(fd) < 0 && !error)
		error = errno;
	if (code || error) {
		cmd_say("report: %s cannot be written: %s", w->flame,
			strerror(error ? error : ENOMEM));
		return CMD_NOT_WRITTEN;
	}
	cmd_say("report: wrote %s", w->flame);
	return CMD_OK;
}

int report_whole(struct report *w)
{
	struct tree alone = {0}, *t = &w->whole;
	int code = CMD_OK;

	/* A single profile does not need a node of its own. */
	if (w->profile_count == 1 && tree_add(&alone, pl_profile_tables(w->profiles[0]), NULL) == 0)
		t = &alone;
	if (tree_link(t)) {
		cmd_say("report: no memory for the call tree");
		code = CMD_BAD;
	}
	if (code == CMD_OK && w->collapsed &&
		flame_collapsed(t, &(struct flame_sink){tree_put, &w->out})) {
		cmd_say("report: no memory for the stacks");
		code = CMD_BAD;
	}
	if (code == CMD_OK && w->flame)
		code = write_flame(w, t);
	tree_release(&alone);
	return code;
}
