/* pathline why: as text. */
#include "cmd/why_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "cmd/cmd.h"
#include "expr/taken_out.h"
#include "session/library.h"
#include "session/why_before.h"

#define VARIABLES_SHOWN 20
/* Of very many frames: so many outermost and innermost ones. */
#define FRAMES_OUTER 20
#define FRAMES_INNER 40
/* Frames that are alike: so many are shown, as Python does. */
#define FRAMES_ALIKE 3

int why_show_init(struct why_show *s)
{
	s->text = malloc(WHY_SHOW_TEXT);
	return s->text ? 0 : PL_ERR_MEMORY;
}

void why_show_release(struct why_show *s)
{
	free(s->text);
	s->text = NULL;
	variables_release(&s->variables);
}

int why_show_variables(struct why_show *s, const struct pl_event *at, struct pl_err *err)
{
	s->variables.r = s->why->r;
	s->variables.stop = s->why->stop;
	return variables_at(&s->variables, at, at->depth, err);
}

bool why_show_is_wanted(const struct variables *all, const struct variable *v)
{
	const enum pl_value_kind kind = v->value.kind;
	const struct pl_text n = v->name;
	const bool module = all->code && !strcmp(pl_code_name(all->code), "<module>");

	if (n.length > 4 && !memcmp(n.at, "__", 2) && !memcmp(n.at + n.length - 2, "__", 2))
		return false;
	return !module || (kind != PL_VALUE_FUNCTION && kind != PL_VALUE_CLASS &&
				  kind != PL_VALUE_MODULE && kind != PL_VALUE_UNSET);
}

struct text why_show_source(const struct why_show *s, const struct pl_code *code, int32_t line)
{
	size_t indent = 0;
	const struct pl_text t = why_source(s->why->r, code, line, &indent);

	return (struct text){.at = t.at, .length = t.length};
}

/* ---- a frame ---- */

static void put_seq(struct out *o, uint64_t seq)
{
	out_text(o, " #");
	out_u64(o, seq);
}

/* `  File "shop.py", line 14, in book  #58` and the line. */
static void write_place(struct why_show *s, const struct pl_event *at)
{
	const struct text source = why_show_source(s, at->code, at->line);
	struct out *o = s->out;

	out_line(o);
	out_text(o, "  File \"");
	out_tone(o, TONE_NAME);
	out_path(o, pl_code_file(at->code), 120);
	out_tone(o, TONE_PLAIN);
	out_text(o, "\", line ");
	out_i64(o, at->line);
	out_text(o, ", in ");
	out_tone(o, TONE_NAME);
	out_clean(o, text_of(pl_code_name(at->code)));
	out_tone(o, TONE_FAINT);
	out_char(o, ' ');
	if (at->position.thread != s->why->all[0].end.position.thread) {
		out_text(o, " thread ");
		out_u64(o, at->position.thread);
	}
	put_seq(o, at->seq);
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
	if (!source.length)
		return;
	out_line(o);
	out_text(o, "    ");
	out_clean(o, source);
	out_line_end(o);
}

/* "shop.py:12 #49" */
static size_t writer_text(
	const struct why_show *s, const struct variable *v, char *text, size_t max)
{
	const struct pl_code *code = s->variables.code;
	const char *file = code ? pl_code_file(code) : "?", *slash = strrchr(file, '/');

	if (v->unsure)
		return (size_t)snprintf(text, max, "or newer, which had no room");
	if (v->of_call || v->line == 0)
		return (size_t)snprintf(text, max, "argument");
	if (v->line == VARIABLE_LINE_OTHER)
		return (size_t)snprintf(text, max, "not by a line of it, #%" PRIu64, v->seq);
	if (v->line < 0)
		return (size_t)snprintf(text, max, "written earlier");
	return (size_t)snprintf(text, max, "%.80s:%" PRId32 " #%" PRIu64, slash ? slash + 1 : file,
		v->line, v->seq);
}

/* "    item = 'anvil'  (shop.py:12 #49)": the value has the room that is left. */
static void write_variable(struct why_show *s, const struct variable *v)
{
	struct out *o = s->out;
	char writer[160];
	const size_t behind = writer_text(s, v, writer, sizeof writer) + 8;

	out_line(o);
	out_text(o, "      ");
	out_text(o, v->stars);
	out_clean(o, (struct text){.at = v->name.at, .length = v->name.length});
	const size_t left = out_line_left(o);
	size_t room = left > behind + 40 ? left - behind : 40;
	room = room < WHY_SHOW_TEXT ? room : WHY_SHOW_TEXT;
	out_text(o, " = ");
	const size_t n = pl_value_text(&v->value, s->text, room);
	out_clean(o, (struct text){.at = s->text, .length = n});
	out_tone(o, TONE_FAINT);
	out_text(o, "  (");
	out_text(o, writer);
	out_char(o, ')');
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
	s->of_calls |= v->of_call;
	s->some = true;
}

static void write_more(struct out *o, const char *indent, size_t count, const char *what)
{
	out_line(o);
	out_tone(o, TONE_FAINT);
	out_text(o, indent);
	out_text(o, "… ");
	out_count(o, count);
	out_text(o, what);
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

/* Is it of more interest? What was passed to the call, and then what was written later. */
static bool goes_before(const struct variable *a, const struct variable *b)
{
	const bool passed = a->line == 0, other = b->line == 0;

	return passed != other ? passed : a->seq > b->seq;
}

/* How many of the wanted ones are of more interest than this one. */
static size_t count_before(const struct variables *all, size_t of)
{
	size_t count = 0;

	for (size_t i = 0; i < all->count && count < VARIABLES_SHOWN; i++)
		count += why_show_is_wanted(all, &all->all[i]) &&
			 (goes_before(&all->all[i], &all->all[of]) ||
				 (i < of && !goes_before(&all->all[of], &all->all[i])));
	return count;
}

static int write_variables(struct why_show *s, const struct pl_event *at, struct pl_err *err)
{
	int code = why_show_variables(s, at, err);
	const struct variables *all = &s->variables;
	size_t more = 0;

	for (size_t i = 0; code == 0 && i < all->count; i++)
		if (!why_show_is_wanted(all, &all->all[i]))
			continue;
		else if (count_before(all, i) < VARIABLES_SHOWN)
			write_variable(s, &all->all[i]);
		else
			more++;
	if (more == 1)
		write_more(s->out, "      ", more, " more variable, written before these");
	else if (more)
		write_more(s->out, "      ", more, " more variables, written before these");
	return code;
}

/* `      ran    12  item = order["item"] #37`, and how often. One line that ran once says nothing
 * more than the frame's place. */
static int write_ran(struct why_show *s, const struct pl_event *at, struct pl_err *err)
{
	struct out *o = s->out;
	struct ran ran;
	int code = ran_before(s->why->r, at, s->why->stop, &ran, err);

	if (code || !ran.count || (ran.count == 1 && ran.lines[0].passes == 1))
		return code;
	for (size_t i = 0; i < ran.count; i++) {
		const struct ran_line *l = &ran.lines[i];
		char number[64];
		out_line(o);
		out_text(o, i ? "          " : "      ran ");
		out_tone(o, TONE_FAINT);
		const int n = snprintf(number, sizeof number, "%" PRId32, l->line);
		out_spaces(o, n < 5 ? (size_t)(5 - n) : 0);
		out_text(o, number);
		out_text(o, "  ");
		out_clean(o, why_show_source(s, at->code, l->line));
		if (l->passes > 1) {
			out_text(o, "  × ");
			out_count(o, l->passes);
			out_text(o, ran.less ? " or more" : "");
		}
		put_seq(o, l->seq);
		out_tone(o, TONE_PLAIN);
		out_line_end(o);
	}
	return 0;
}

/* ---- an exception ---- */

static bool is_alike(const struct pl_event *a, const struct pl_event *b)
{
	return a->code == b->code && a->line == b->line;
}

/* How many frames from here on are alike. */
static size_t count_alike(const struct why_exception *e, size_t from)
{
	size_t n = 1;

	while (from + n < e->count && is_alike(&e->frames[from], &e->frames[from + n]))
		n++;
	return n;
}

static int write_frame(struct why_show *s, const struct pl_event *at, bool last, struct pl_err *err)
{
	write_place(s, at);
	int code = write_variables(s, at, err);

	/* what libraries ran tells little, except where it was raised */
	return code || (code_is_library(at->code) && !last) ? code : write_ran(s, at, err);
}

/* As Python folds recursion; the last one of such a run is there, too, with its variables. */
static int write_frames(struct why_show *s, const struct why_exception *e, struct pl_err *err)
{
	char note[80];
	int code = 0;

	for (size_t i = 0; code == 0 && i < e->count && !s->out->error;) {
		const size_t alike = count_alike(e, i);
		if (e->count > FRAMES_OUTER + FRAMES_INNER && i == FRAMES_OUTER) {
			write_more(s->out, "  ", e->count - FRAMES_OUTER - FRAMES_INNER, " frames");
			i = e->count - FRAMES_INNER;
			continue;
		}
		for (size_t k = 0; code == 0 && k < alike && k < FRAMES_ALIKE; k++)
			code = write_frame(s, &e->frames[i + k], i + k + 1 == e->count, err);
		i += alike;
		if (alike <= FRAMES_ALIKE)
			continue;
		snprintf(note, sizeof note, "  [Previous line repeated %zu more time%s]\n",
			alike - FRAMES_ALIKE, alike == FRAMES_ALIKE + 1 ? "" : "s");
		out_text(s->out, note);
		if (code == 0)
			code = write_frame(s, &e->frames[i - 1], i == e->count, err);
	}
	return code;
}

static void write_type(struct why_show *s, const struct why_exception *e)
{
	struct out *o = s->out;

	out_line(o);
	out_tone(o, TONE_BAD);
	out_clean(o, text_of(e->type[0] ? e->type : "an exception"));
	if (e->message && e->message[0]) {
		out_text(o, ": ");
		out_clean(o, text_of(e->message));
	}
	out_tone(o, TONE_PLAIN);
	out_line_end(o);
}

static int write_one(struct why_show *s, const struct why_exception *e, struct pl_err *err)
{
	int code = 0;

	if (e->count) {
		out_text(s->out, "Traceback (most recent call last):\n");
		code = write_frames(s, e, err);
	}
	write_type(s, e);
	return code;
}

static const char *link_text(enum why_link link)
{
	return link == WHY_CAUSE ? "The above exception was the direct cause of the following "
				   "exception:"
				 : "During handling of the above exception, another exception "
				   "occurred:";
}

/* What led to it first, as Python does; those of a group after it. */
static int write_exception(struct why_show *s, size_t i, struct pl_err *err)
{
	const struct why *w = s->why;
	struct out *o = s->out;
	int code = 0;

	for (size_t k = i + 1; code == 0 && k < w->count; k++) {
		if (w->all[k].of != i || w->all[k].link == WHY_PART)
			continue;
		code = write_exception(s, k, err);
		out_char(o, '\n');
		out_text(o, link_text(w->all[k].link));
		out_text(o, "\n\n");
	}
	if (code == 0)
		code = write_one(s, &w->all[i], err);
	for (size_t k = i + 1, n = 0; code == 0 && k < w->count; k++) {
		if (w->all[k].of != i || w->all[k].link != WHY_PART)
			continue;
		out_text(o, "\nException ");
		out_u64(o, ++n);
		out_text(o, " of the group:\n\n");
		code = write_exception(s, k, err);
	}
	return code;
}

/* ---- around it ---- */

static void write_process(const struct why_show *s)
{
	const struct pl_process *p =
		pl_recording_find_process(s->why->r, s->crash->end.position.process);
	struct out *o = s->out;

	if (!p)
		return;
	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "process ");
	out_u64(o, p->number);
	out_tone(o, TONE_PLAIN);
	out_text(o, "  pid ");
	out_u64(o, p->pid);
	out_text(o, "  ");
	out_clean(o, text_of(p->command));
	out_line_end(o);
}

/* "thread 0  MainThread  in task 3 worker" */
static void write_thread(const struct why_show *s)
{
	const struct pl_position *at = &s->crash->end.position;
	const struct pl_thread *t = pl_recording_thread(s->why->r, at->process, at->thread);
	struct out *o = s->out;

	out_line(o);
	out_tone(o, TONE_STRONG);
	out_text(o, "thread ");
	out_u64(o, at->thread);
	out_tone(o, TONE_PLAIN);
	if (t && t->name && t->name[0]) {
		out_text(o, "  ");
		out_clean(o, text_of(t->name));
	}
	if (s->crash->of == CRASH_TASK && s->crash->task[0]) {
		out_text(o, "  task ");
		out_clean(o, text_of(s->crash->task));
	}
	out_line_end(o);
}

/* The command that goes to where it was raised. */
static void write_replay(const struct why_show *s)
{
	const struct pl_event *raise = &s->why->all[0].raise;
	struct pl_buf words = {0};

	buf_printf(&words, "pathline replay -p %" PRIu32 " -t %" PRIu32 " --at '#%" PRIu64 "'%s",
		raise->position.process, raise->position.thread, raise->seq, cmd_recording());
	out_line(s->out);
	out_tone(s->out, TONE_FAINT);
	out_clean(s->out, (struct text){.at = (char *)words.at, .length = words.used});
	out_tone(s->out, TONE_PLAIN);
	out_line_end(s->out);
	buf_release(&words);
}

static void write_title(const struct why_show *s)
{
	struct out *o = s->out;

	write_process(s);
	write_thread(s);
	out_line(o);
	out_clean(o, text_of(s->crash->type[0] ? s->crash->type : "an exception"));
	out_char(o, ' ');
	out_text(o, s->ended);
	out_text(o, ", at ");
	out_moment(o, s->crash->end.time_ns);
	out_line_end(o);
	write_replay(s);
	out_char(o, '\n');
}

static void write_hint(const struct why_show *s)
{
	struct pl_recording_info info;
	const char *hint = NULL;

	pl_recording_info(s->why->r, &info);
	if (values_taken_out(s->why->r))
		hint = "The values and messages were taken out when this recording was packed "
		       "(--strip-values).";
	else if (s->of_calls && strcmp(info.values, "lines") != 0)
		hint = "The values are those of the calls; `pathline record --values lines` keeps "
		       "them line by line.";
	else if (!info.value_events)
		hint = "No values were recorded: with `pathline record --values lines` the "
		       "variables and the messages are here.";
	else if (!s->some && !s->why->all[0].message)
		hint = "No values of these functions were recorded; `pathline record --values-of` "
		       "chooses of which they are.";
	if (!hint)
		return;
	out_char(s->out, '\n');
	out_line(s->out);
	out_tone(s->out, TONE_FAINT);
	out_wrap(s->out, hint, 0);
	out_tone(s->out, TONE_PLAIN);
	out_line_end(s->out);
}

int why_show_text(struct why_show *s, struct pl_err *err)
{
	write_title(s);
	int code = write_exception(s, 0, err);

	if (s->why->more)
		write_more(s->out, "", 1, " exception or more before these is not shown");
	if (code == 0)
		code = why_show_others(s, err);
	write_hint(s);
	return code;
}
