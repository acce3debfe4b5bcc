/* The variables of the selected frame: a view of them, and their values beside the source.
 *
 *	variables of total
 *	  n = 5                                      line 12
 *	*- order: dict, 2 items                      line 14      * the last line changed it
 *	     'item': 'anvil'                                      - unfolded, + folded
 *	     'count': 2
 *
 * Values are drawn from what was captured, a row for each variable, and for each member of what the
 * user has unfolded. What is unfolded is kept by name, so it stays while one steps.
 */
#define _GNU_SOURCE
#include "tui/state.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "expr/taken_out.h"
#include "pathline/values.h"
#include "tui/lexer.h"

#define VARIABLE_ROWS	4096
#define VARIABLES_OPEN	256
#define VARIABLE_LABEL	96
#define VALUE_ROW_BYTES 2048
#define VALUE_BESIDE	64 /* bytes of one beside the source */
#define CODE_LINES	8192

struct variable_row {
	uint64_t path; /* of names: its hash */
	uint32_t depth;
	const struct variable *of;
	char label[VARIABLE_LABEL];
	struct pl_value value;
	bool more; /* not a value: so many were not kept as value.missing says */
};

struct variables_view {
	struct variable_row rows[VARIABLE_ROWS];
	size_t count;
	uint64_t open[VARIABLES_OPEN];
	size_t open_count;
	/* lines of the code whose values stand beside the source */
	const struct pl_code *code;
	int32_t lines[CODE_LINES];
	size_t line_count;
};

static struct variables_view *variables_view(struct tui *t)
{
	if (!t->variables)
		t->variables = calloc(1, sizeof *t->variables);
	return t->variables;
}

void variables_release_view(struct tui *t)
{
	free(t->variables);
	t->variables = NULL;
}

/* ---- rows ---- */

static uint64_t hash_path(uint64_t hash, const char *label)
{
	for (; *label; label++)
		hash = (hash ^ (unsigned char)*label) * UINT64_C(0x100000001b3);
	return hash;
}

static size_t find_open(const struct variables_view *w, uint64_t path)
{
	size_t i = 0;

	while (i < w->open_count && w->open[i] != path)
		i++;
	return i;
}

static bool is_open(const struct variables_view *w, const struct variable_row *row)
{
	return find_open(w, row->path) < w->open_count;
}

static bool can_open(const struct variable_row *row)
{
	return !row->more && row->value.members.bytes;
}

static void add_members(
	struct variables_view *w, const struct variable_row *parent, const struct pl_value *of);

/* And the rows below it. */
static void add_row(struct variables_view *w, const struct variable_row *row)
{
	if (w->count == VARIABLE_ROWS)
		return;
	w->rows[w->count++] = *row;
	if (can_open(row) && is_open(w, row))
		add_members(w, row, &row->value);
}

/* 'item': of a dict, item = of an object, 3: of what is counted. */
static void label_member(
	char label[VARIABLE_LABEL], const struct pl_value *of, struct pl_value *member, uint64_t n)
{
	if (member->name.length) {
		snprintf(label, VARIABLE_LABEL, "%.*s = ", (int)member->name.length,
			member->name.at);
		member->name = (struct pl_text){0};
	} else if (of->kind == PL_VALUE_SET || of->kind == PL_VALUE_FROZENSET) {
		label[0] = 0;
	} else {
		snprintf(label, VARIABLE_LABEL, "%" PRIu64 ": ", n);
	}
}

static void label_key(char label[VARIABLE_LABEL], const struct pl_value *key)
{
	char text[VARIABLE_LABEL - 4];

	pl_value_text(key, text, sizeof text);
	snprintf(label, VARIABLE_LABEL, "%s: ", text);
}

static void add_members(
	struct variables_view *w, const struct variable_row *parent, const struct pl_value *of)
{
	struct variable_row row = {.depth = parent->depth + 1, .of = parent->of};
	struct pl_values rest = of->members;
	const uint64_t path = parent->path;

	for (uint64_t n = 0; pl_values_next(&rest, &row.value) == 0; n++) {
		if (of->kind == PL_VALUE_DICT) {
			label_key(row.label, &row.value);
			if (pl_values_next(&rest, &row.value))
				break;
		} else {
			label_member(row.label, of, &row.value, n);
		}
		char number[24];
		snprintf(number, sizeof number, "/%" PRIu64 "/", row.label[0] ? 0 : n);
		row.path = hash_path(hash_path(path, number), row.label);
		add_row(w, &row);
	}
	row = (struct variable_row){.depth = parent->depth + 1, .of = parent->of, .more = true};
	row.value.missing = of->missing;
	if (of->missing)
		add_row(w, &row);
}

static void make_variable_rows(struct variables_view *w, const struct variables *v)
{
	w->count = 0;
	for (size_t i = 0; i < v->count; i++) {
		const struct variable *one = &v->all[i];
		struct variable_row row = {.of = one, .value = one->value};
		snprintf(row.label, sizeof row.label, "%s%.*s = ", one->stars,
			(int)one->name.length, one->name.at);
		row.value.name = (struct pl_text){0};
		row.path = hash_path(UINT64_C(0xcbf29ce484222325), row.label);
		add_row(w, &row);
	}
}

/* ---- the view ---- */

/* What the rows are, and what is not among them. */
static void variables_title(
	const struct tui *t, const struct variables *v, char *text, size_t bytes)
{
	const char *name = v->code ? pl_code_name(v->code) : "?";
	struct pl_recording_info info;

	pl_recording_info(t->s->replay.r, &info);
	if (v->state == VARIABLES_LOST)
		snprintf(text, bytes, "variables of %s: what was before a loss is not known", name);
	else if (v->state == VARIABLES_NOT_KEPT && info.value_events)
		snprintf(text, bytes,
			"no values of %s: it has no arguments, or --values-of does not name it",
			name);
	else if (v->state == VARIABLES_NOT_KEPT && values_taken_out(t->s->replay.r))
		snprintf(text, bytes, VALUES_TAKEN_OUT);
	else if (v->state == VARIABLES_NOT_KEPT)
		snprintf(text, bytes, "no values were kept; record --values calls keeps them");
	else if (v->count && v->all[0].of_call)
		snprintf(text, bytes,
			"arguments of %s, as of its call; record --values lines keeps variables",
			name);
	else
		snprintf(text, bytes, "variables of %s", name);
}

/* Of what is unfolded: "dict, 2 items". */
static void draw_opened(struct pen *p, const struct pl_value *v)
{
	const bool object = v->kind == PL_VALUE_OBJECT;

	if (v->type.length)
		pen_bytes(p, v->type.at, v->type.length, INK_FAINT);
	else
		pen_text(p, pl_value_kind_name(v->kind), INK_FAINT);
	if (v->kind >= PL_VALUE_LIST && v->kind <= PL_VALUE_OBJECT)
		pen_format(p, INK_FAINT, ", %" PRIu64 " %s%s", v->length,
			object ? "attribute" : "item", v->length == 1 ? "" : "s");
}

/* Which line wrote it, at the end of its row. */
static void draw_writer(struct pen *p, const struct variable *v, bool whole)
{
	char text[64] = "";

	if (v->line > 0)
		snprintf(text, sizeof text, "  line %" PRId32, v->line);
	else if (v->line == 0)
		snprintf(text, sizeof text, "  argument");
	if (whole && v->line >= 0)
		snprintf(text + strlen(text), sizeof text - strlen(text), " #%" PRIu64, v->seq);
	pen_text(p, text, INK_FAINT);
}

static void draw_variable(const struct tui *t, struct pen p, const struct variable_row *row)
{
	const bool open = can_open(row) && is_open(t->variables, row);
	const bool changed = !row->depth && row->of->changed;
	char text[VALUE_ROW_BYTES];

	pen_text(&p, changed ? "*" : " ", INK_HERE);
	pen_format(&p, INK_PLAIN, "%*s", (int)(row->depth < 40 ? row->depth * 2 : 80), "");
	pen_text(&p, !can_open(row) ? "  " : open ? "- " : "+ ", INK_FAINT);
	if (row->more) {
		pen_format(&p, INK_FAINT, "…+%" PRIu64, row->value.missing);
	} else {
		pen_text(&p, row->label, INK_NAME);
		pl_value_text(&row->value, text, sizeof text);
		if (open)
			draw_opened(&p, &row->value);
		else
			pen_text(&p, text, changed ? INK_HERE : INK_PLAIN);
		if (!row->depth)
			draw_writer(&p, row->of, p.lit);
	}
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

void variables_draw(struct tui *t, struct box box)
{
	struct variables_view *w = variables_view(t);
	const struct variables *v;
	char title[256] = "there is no frame here";
	struct pen top = {.y = box.y, .x = box.x, .columns = box.columns};

	if (!w)
		return;
	const bool there = session_variables(t->s, &v, NULL) == 0;
	if (there) {
		variables_title(t, v, title, sizeof title);
		make_variable_rows(w, v);
	} else {
		w->count = 0;
	}
	pen_text(&top, title, INK_FAINT);
	box.y++;
	box.rows--;
	view_keep_in_sight(t, box.rows > 0 ? (size_t)box.rows : 1, w->count);
	for (int i = 0; i < box.rows && t->row_top + (size_t)i < w->count; i++) {
		const size_t n = t->row_top + (size_t)i;
		draw_variable(t,
			(struct pen){.y = box.y + i,
				.x = box.x,
				.columns = box.columns,
				.lit = n == t->row},
			&w->rows[n]);
	}
}

/* The row that is chosen; NULL: none is. */
static const struct variable_row *chosen_variable(const struct tui *t)
{
	const struct variables_view *w = t->variables;
	const struct variables *v;

	/* the rows point into the variables, which may have been asked anew since */
	if (!w || session_variables(t->s, &v, NULL))
		return NULL;
	make_variable_rows(t->variables, v);
	if (!w->count)
		return NULL;
	return &w->rows[t->row < w->count ? t->row : w->count - 1];
}

void variables_fold(struct tui *t)
{
	const struct variable_row *row = chosen_variable(t);
	struct variables_view *w = t->variables;

	if (!row || !can_open(row))
		return;
	const size_t i = find_open(w, row->path);
	if (i < w->open_count)
		w->open[i] = w->open[--w->open_count];
	else if (w->open_count < VARIABLES_OPEN)
		w->open[w->open_count++] = row->path;
}

bool variables_chosen(struct tui *t, char name[VARIABLE_NAME_BYTES])
{
	const struct variable_row *row = t->view == VIEW_VARIABLES ? chosen_variable(t) : NULL;

	if (!row || row->of->name.length >= VARIABLE_NAME_BYTES)
		return false;
	snprintf(name, VARIABLE_NAME_BYTES, "%.*s", (int)row->of->name.length, row->of->name.at);
	return true;
}

/* ---- beside the source ---- */

static int compare_lines(const void *a, const void *b)
{
	const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;

	return one < other ? -1 : one > other;
}

/* Is it a line of the frame's code up to where the frame is? Of later lines the values are not
 * those with which they run. The line of `def` has the arguments. */
static bool has_values_beside(
	struct variables_view *w, const struct pl_code *code, int32_t line, int32_t here)
{
	if (w->code != code) {
		const size_t count = pl_code_lines(code, w->lines, CODE_LINES);
		w->line_count = count < CODE_LINES ? count : CODE_LINES;
		w->code = code;
	}
	if (line > here || line < pl_code_first_line(code))
		return false;
	return line == pl_code_first_line(code) ||
	       bsearch(&line, w->lines, w->line_count, sizeof line, compare_lines);
}

static bool is_name_byte(char c)
{
	return c == '_' || isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Bytes of the name that begins there; 0: none does. */
static size_t name_bytes(const char *at, size_t left)
{
	size_t n = 0;

	while (n < left && is_name_byte(at[n]))
		n++;
	return n && isdigit((unsigned char)at[0]) ? 0 : n;
}

/* Values that stand beside one line. */
struct beside {
	const struct variables *v;
	struct pen *p;
	const struct variable *shown[16];
	size_t count;
};

static void draw_beside(struct beside *b, const struct variable *v)
{
	char text[VALUE_BESIDE];

	for (size_t i = 0; i < b->count; i++)
		if (b->shown[i] == v)
			return;
	if (v->value.kind == PL_VALUE_UNSET || b->count == sizeof b->shown / sizeof *b->shown)
		return;
	struct pl_value value = v->value;
	value.name = (struct pl_text){0};
	pl_value_text(&value, text, sizeof text);
	pen_text(b->p, b->count ? ", " : "    ", INK_FAINT);
	pen_format(b->p, v->changed ? INK_HERE : INK_FAINT, "%.*s = %s", (int)v->name.length,
		v->name.at, text);
	b->shown[b->count++] = v;
}

/* The names in a piece of the line that are variables, not attributes. */
static void draw_names(struct beside *b, const char *line, size_t from, size_t to)
{
	while (from < to) {
		const size_t n = name_bytes(line + from, to - from);
		if (!n) {
			from++;
			while (from < to && isdigit((unsigned char)line[from - 1]) &&
				is_name_byte(line[from]))
				from++;
			continue;
		}
		const struct variable *v = variables_find(b->v, line + from, n);
		if (v && !(from && line[from - 1] == '.'))
			draw_beside(b, v);
		from += n;
	}
}

void variables_beside(struct tui *t, struct pen *p, int32_t line, int32_t here)
{
	struct lexer l = {.state = listing_state(&t->source, line)};
	struct variables_view *w = t->no_values_beside || !here ? NULL : variables_view(t);
	struct beside b = {.p = p};
	struct pl_text text;
	enum lexeme kind;
	size_t n, from = 0;

	if (!w || session_variables(t->s, &b.v, NULL) || !b.v->count || !b.v->code ||
		!pl_code_same_text(b.v->code, t->source.code) ||
		!has_values_beside(w, b.v->code, line, here) ||
		!listing_text(&t->source, line, &text))
		return;
	while (!p->full && (n = lexer_next(&l, text.at, text.length, &kind))) {
		if (kind == LEX_PLAIN)
			draw_names(&b, text.at, from, from + n);
		from += n;
	}
}

/* ---- under the mouse ---- */

/* The byte of the text at this column. */
static size_t byte_at_column(struct pl_text text, int column)
{
	struct pen measure = {.columns = 1 << 20, .left = 1 << 20};
	size_t at = 0;

	while (at < text.length) {
		size_t n = 1;
		while (at + n < text.length && ((unsigned char)text.at[at + n] & 0xc0) == 0x80)
			n++;
		pen_bytes(&measure, text.at + at, n, INK_PLAIN);
		if (measure.column > column)
			break;
		at += n;
	}
	return at;
}

bool variables_under(struct tui *t, int32_t line, int column, char name[VARIABLE_NAME_BYTES])
{
	struct pl_text text;

	if (column < 0 || !listing_text(&t->source, line, &text))
		return false;
	size_t from = byte_at_column(text, column), to = from;
	while (to < text.length && is_name_byte(text.at[to]))
		to++;
	if (to == from)
		return false;
	/* order.item: what is before a dot is meant as well */
	while (from && (is_name_byte(text.at[from - 1]) || text.at[from - 1] == '.'))
		from--;
	if (to - from >= VARIABLE_NAME_BYTES || isdigit((unsigned char)text.at[from]))
		return false;
	snprintf(name, VARIABLE_NAME_BYTES, "%.*s", (int)(to - from), text.at + from);
	return true;
}
