#include "cmd/grid.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/page.h"

/* The rows by which the text is measured: so many, or so many bytes. */
#define MEASURED_ROWS  1000
#define MEASURED_BYTES (4u << 20)
/* Columns of a terminal for one that is not the last. */
#define WIDTH_MAX 48
#define GAP	  2

static void measure_cell(struct grid *g, unsigned column, const char *text)
{
	const size_t width = text_width(text);
	const size_t most = g->out->columns && column + 1 < g->columns ? WIDTH_MAX : SIZE_MAX;

	if (width > g->widths[column])
		g->widths[column] = width < most ? width : most;
}

static void keep_cell(struct grid *g, unsigned column, const char *text)
{
	measure_cell(g, column, text);
	buf_put(&g->kept, text, strlen(text) + 1);
}

bool grid_open(struct grid *g, struct cmd *cmd, struct out *out, const char *const *names,
	unsigned columns)
{
	*g = (struct grid){.cmd = cmd, .out = out, .columns = columns};
	g->widths = calloc((size_t)columns + 1, sizeof *g->widths);
	g->left = calloc((size_t)columns + 1, sizeof *g->left);
	if (!g->widths || !g->left)
		return false;
	for (unsigned i = 0; i < columns; i++)
		keep_cell(g, i, names[i]);
	return !g->kept.failed;
}

void grid_release(struct grid *g)
{
	free(g->widths);
	free(g->left);
	buf_release(&g->kept);
	*g = (struct grid){0};
}

static void write_cell(struct grid *g, unsigned column, const char *text)
{
	struct out *o = g->out;
	const size_t width = g->widths[column], own = text_width(text);
	const bool last = column + 1 == g->columns;

	out_spaces(o, column ? GAP : 0);
	if (last && g->left[column]) {
		out_clean(o, text_of(text));
	} else if (g->left[column] && o->columns) {
		out_column(o, text, width);
	} else {
		out_spaces(o, !g->left[column] && own < width ? width - own : 0);
		out_clean(o, text_of(text));
		out_spaces(o, g->left[column] && own < width ? width - own : 0);
	}
}

/* Row 0 are the names. */
static void write_kept(struct grid *g)
{
	const char *at = (const char *)g->kept.at;

	page_start(g->cmd, g->out);
	for (size_t row = 0; row <= g->rows; row++) {
		out_line(g->out);
		out_tone(g->out, row ? TONE_PLAIN : TONE_STRONG);
		for (unsigned i = 0; i < g->columns; i++) {
			write_cell(g, i, at);
			at += strlen(at) + 1;
		}
		if (!row)
			out_tone(g->out, TONE_PLAIN);
		out_line_end(g->out);
	}
	g->written = true;
	buf_release(&g->kept);
}

static void end_row(struct grid *g)
{
	g->column = 0;
	g->rows++;
	if (g->written)
		out_line_end(g->out);
	else if (g->rows == MEASURED_ROWS || g->kept.used >= MEASURED_BYTES)
		write_kept(g);
}

bool grid_cell(struct grid *g, const char *text, bool number)
{
	const unsigned column = g->column++;
	const char *shown = text ? text : "-";

	if (g->written) {
		if (!column)
			out_line(g->out);
		write_cell(g, column, shown);
	} else {
		g->left[column] |= text && !number;
		keep_cell(g, column, shown);
	}
	if (g->kept.failed)
		return false;
	if (g->column == g->columns)
		end_row(g);
	return true;
}

void grid_end(struct grid *g)
{
	if (!g->written)
		write_kept(g);
}
