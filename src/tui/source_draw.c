/* The source of the file that is shown: for each line a stop, its hits, its number, whether the
 * position is there, and its text with the values of its names.
 *
 *	 1    204    12 > 	book(order)	stop 1; 204 hits; line 12, where the position is
 *	    never    13   		return None
 *
 * Rows of their own say why there is no more of it: the ends of the path, a gap, a missing file.
 */
#define NCURSES_NOMACROS
#include "tui/state.h"

#include <curses.h>
#include <inttypes.h>
#include <string.h>
#include "base/units.h"
#include "session/operations.h"
#include "tui/lexer.h"

static const enum ink inks[LEXEMES] = {
	[LEX_PLAIN] = INK_PLAIN,
	[LEX_KEYWORD] = INK_KEYWORD,
	[LEX_STRING] = INK_STRING,
	[LEX_COMMENT] = INK_COMMENT,
	[LEX_NUMBER] = INK_NUMBER,
	[LEX_DECORATOR] = INK_DECORATOR,
	[LEX_NAME] = INK_NAME,
};

int32_t tui_line(const struct tui *t)
{
	const struct replay_place place = replay_place(&t->s->replay);
	struct pl_frame frame;

	if (!t->s->frame && place.code)
		return pl_code_same_text(place.code, t->source.code) ? place.line : 0;
	if (tui_frame((struct tui *)t, &frame) || !pl_code_same_text(frame.code, t->source.code))
		return 0;
	return frame.line;
}

/* At most six characters, to fit the gutter: 99,999, 100k, 1.2M, 18E. */
static void short_count(uint64_t n, char text[UNITS_BYTES])
{
	static const char units[] = "kMGTPE";
	int unit = -1;
	double v = (double)n;

	if (n < 100000) {
		units_count(text, n);
		return;
	}
	while (v >= 1000 && unit < 5) {
		v /= 1000;
		unit++;
	}
	snprintf(text, 16, v < 10 ? "%.1f%c" : "%.0f%c", v, units[unit]);
}

/* Is it a stop at a function that begins in this line? */
static bool stops_function(const struct tui *t, const struct stop *stop, int32_t line)
{
	for (size_t i = 0; i < t->source.code_count; i++)
		if (pl_code_first_line(t->source.codes[i]) == line &&
			stop_names(pl_code_name(t->source.codes[i]), stop->name, '.'))
			return true;
	return false;
}

/* The number of the stop of this line; 0: none. */
static uint32_t stop_at(const struct tui *t, int32_t line)
{
	const struct stops *stops = &t->s->replay.stops;

	for (size_t i = 0; i < stops->count; i++) {
		const struct stop *stop = &stops->rows[i];
		const bool is_here =
			stop->kind == STOP_LINE
				? stop->line == line && stop_names(t->source.file, stop->name, '/')
			: stop->kind == STOP_RAISE ? false
						   : stops_function(t, stop, line);
		if (is_here)
			return stop->number;
	}
	return 0;
}

/* Left of the text: stop, hits so far or "never" ("?" if not known), the line's number, and whether
 * the position is there:
 *
 *	| stop 2 |  hits 6 | line 5 | > |
 *	" 1     17    12 > "         narrow terminals (< 40 columns) have no hits, and ! for never
 *
 * "never" is a claim about all threads: it needs all lines that ran (has_what), a line that can
 * run, no thread that was killed where it may have begun the line, and a recording without gaps.
 * Anything less is "?", and so is a line that only samples saw.
 */
static void draw_gutter(const struct tui *t, struct pen *p, int32_t line, bool here)
{
	unsigned what = t->source.what[line];
	bool ran = what & SOURCE_RAN || (t->source.has_hits && t->source.hits[line]);
	bool never = t->source.has_what && !ran && what & SOURCE_CAN;
	bool sure = never && !(what & SOURCE_MAY) && executed_is_whole(t->s->replay.r);
	bool open = !sure && here && !t->s->frame && replay_seen(&t->s->replay) &&
		    !(t->source.has_hits && t->source.hits[line]); /* no event of this pass */
	uint32_t stop = stop_at(t, line);
	char hits[UNITS_BYTES] = "";

	if (t->source.has_hits && ran)
		short_count(t->source.hits[line], hits);
	else if (ran)
		snprintf(hits, sizeof hits, "+");
	if (stop)
		pen_format(p, INK_BAD, "%2" PRIu32, stop);
	else
		pen_text(p, "  ", INK_PLAIN);
	if (COLS >= 40)
		pen_format(p, never ? INK_NEVER : INK_RAN, " %6s",
			sure		? "never"
			: never || open ? "?"
					: hits);
	pen_format(p, ran ? INK_PLAIN : INK_FAINT, " %5" PRId32, line);
	pen_text(p, here ? " > " : sure && COLS < 40 ? " ! " : "   ", here ? INK_HERE : INK_NEVER);
}

/* Colours are those of pieces of the line, which the lexer cuts; the line may begin inside a string
 * of several lines, which listing_state knows. */
static void draw_text(struct tui *t, struct pen *p, int32_t line)
{
	struct lexer l = {.state = listing_state(&t->source, line)};
	struct pl_text text;
	enum lexeme kind;
	size_t n, from = 0;

	if (!listing_text(&t->source, line, &text))
		return;
	while (!p->full && (n = lexer_next(&l, text.at, text.length, &kind))) {
		pen_bytes(p, text.at + from, n, inks[kind]);
		from += n;
	}
}

static void draw_line(struct tui *t, struct box box, int y, int32_t line, int32_t here)
{
	struct pen gutter = {.y = y, .x = box.x, .columns = box.columns};

	draw_gutter(t, &gutter, line, line == here);
	struct pen p = {.y = y,
		.x = box.x + gutter.column,
		.columns = box.columns - gutter.column,
		.left = t->left,
		.lit = line == t->cursor};
	t->gutter = gutter.column;
	if (p.columns <= 0)
		return;
	draw_text(t, &p, line);
	variables_beside(t, &p, line, here);
	pen_sign(&p);
	if (p.lit)
		pen_fill(&p, " ", INK_PLAIN);
}

/* A separate row, taken from the box. */
static void take_rule(struct box *box, bool bottom, const char *text, enum ink ink)
{
	if (box->rows < 2)
		return;
	struct pen p = {.y = bottom ? box->y + box->rows - 1 : box->y,
		.x = box->x,
		.columns = box->columns};
	pen_rule(&p, text, ink);
	box->y += !bottom;
	box->rows--;
}

/* With --limit the oldest events of a thread can be gone: then its first event has a seq above
 * 0. */
static const char *start_text(const struct tui *t)
{
	const struct pl_thread *thread = tui_thread(t);

	if (thread && thread->first_seq)
		return "START OF WHAT IS KEPT: --limit dropped what was before";
	return t->s->replay.at.position.thread ? "START OF THREAD" : "START OF RECORDING";
}

/* Rows that say why there is no more source or path here: the path's beginning or end, a gap, a
 * missing file, a thread that was seen in a line after its last event. */
static void take_rules(struct tui *t, struct box *box)
{
	const struct pl_event *at = &t->s->replay.at;
	struct pl_recording_info info;
	char text[400];

	pl_recording_info(t->s->replay.r, &info);
	if (tui_at_edge(t, true))
		take_rule(box, false, start_text(t), INK_HERE);
	if (at->kind == PL_EVENT_GAP) {
		snprintf(text, sizeof text, "GAP: %s", pl_gap_reason_text(at->gap));
		take_rule(box, false, text, INK_BAD);
	}
	if (t->source.missing) {
		snprintf(text, sizeof text, "no source: %s", t->source.why);
		take_rule(box, false, text, INK_BAD);
	}
	const struct seen *seen = replay_seen(&t->s->replay);
	if (seen) {
		char where[SEEN_BYTES];
		seen_text(seen, where);
		snprintf(text, sizeof text, "SEEN LAST in %s", where);
		take_rule(box, false, text, INK_HERE);
	}
	if (tui_at_edge(t, false))
		take_rule(box, true,
			t->follows	      ? "END OF RECORDING SO FAR: following"
			: !info.end_ns	      ? "END OF RECORDING SO FAR"
			: at->position.thread ? "END OF THREAD"
					      : "END OF RECORDING",
			INK_HERE);
}

/* t->top is kept while the cursor stays in sight, so the text does not move under the reader;
 * otherwise the cursor's line comes to the middle. */
void source_draw(struct tui *t, struct box box)
{
	const struct listing *s = &t->source;
	int32_t here = tui_line(t);

	take_rules(t, &box);
	if (t->cursor < t->top || t->cursor >= t->top + box.rows)
		t->top = t->cursor - box.rows / 2;
	if (t->top > s->lines - box.rows + 1)
		t->top = s->lines - box.rows + 1;
	if (t->top < 1)
		t->top = 1;
	t->source_box = box;
	for (int i = 0; i < box.rows && t->top + i <= s->lines; i++)
		draw_line(t, box, box.y + i, t->top + i, here);
}
