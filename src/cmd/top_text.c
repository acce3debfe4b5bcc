/* `top` without a screen: a table each second, or a JSON object. */
#define _GNU_SOURCE
#include "cmd/top.h"

#include <inttypes.h>
#include <time.h>
#include "cmd/follow.h"
#include "cmd/json.h"

static double look_seconds(const struct top *t)
{
	return t->to_ns > t->from_ns ? (double)(t->to_ns - t->from_ns) / 1e9 : 1;
}

static uint64_t each_second(const struct top *t, uint64_t count)
{
	return (uint64_t)((double)count / look_seconds(t) + 0.5);
}

static size_t live_processes(const struct top *t, const struct pl_process **one)
{
	size_t count = 0;

	for (uint32_t i = 0; i < pl_recording_process_count(t->r); i++) {
		const struct pl_process *p = pl_recording_process(t->r, i);
		if (p->end_ns && p->end_ns < t->from_ns)
			continue;
		*one = p;
		count++;
	}
	return count;
}

static void write_rate(struct out *o, uint64_t count, const char *unit)
{
	out_text(o, "  ");
	out_count(o, count);
	out_char(o, ' ');
	out_text(o, unit);
}

static void write_part(struct out *o, size_t part, size_t whole, const char *what)
{
	out_text(o, "  ");
	out_u64(o, part);
	if (whole) {
		out_text(o, " of ");
		out_u64(o, whole);
	}
	out_char(o, ' ');
	out_text(o, what);
}

void top_summary(const struct top *t, struct out *o)
{
	const struct pl_process *one = NULL;
	const size_t count = live_processes(t, &one);

	out_line(o);
	out_clock(o, t->to_ns, 0);
	if (count == 1) {
		out_text(o, "  process ");
		out_u64(o, one->pid);
	} else {
		write_part(o, count, 0, "processes");
	}
	write_rate(o, each_second(t, t->calls), "calls/s");
	write_rate(o, each_second(t, t->passes), "lines/s");
	write_rate(o, each_second(t, t->exceptions_seen), "exceptions/s");
	write_part(o, top_still_count(t), t->thread_count, "threads still");
	write_part(o, top_waiting_count(t), 0, "tasks wait");
	out_line_end(o);
}

static void write_array(const struct top *t, struct json *j, enum top_view view)
{
	const struct sheet s = top_sheet(t, view);
	size_t row;

	json_open(j, top_view_name(view), '[');
	for (size_t i = 0; (!s.most || i < s.most) && sheet_row(&s, i, &row); i++) {
		json_open(j, NULL, '{');
		for (unsigned c = 0; s.columns[c].name || s.columns[c].title; c++) {
			if (!s.columns[c].name)
				continue;
			const struct cell cell = s.cell(s.context, row, c);
			sheet_member(j, s.columns[c].name, &cell);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_json(struct top *t)
{
	struct json j = {.out = &t->out};
	const struct pl_process *one = NULL;

	json_line(&j, "top");
	json_moment(&j, "from", t->from_ns);
	json_moment(&j, "to", t->to_ns);
	json_u64(&j, "processes", live_processes(t, &one));
	json_u64(&j, "calls_per_s", each_second(t, t->calls));
	json_u64(&j, "lines_per_s", each_second(t, t->passes));
	json_u64(&j, "exceptions_per_s", each_second(t, t->exceptions_seen));
	json_u64(&j, "threads_still", top_still_count(t));
	json_u64(&j, "tasks_waiting", top_waiting_count(t));
	for (enum top_view view = 0; view < TOP_VIEWS; view++)
		write_array(t, &j, view);
	json_line_end(&j);
}

static int write_look(struct top *t, bool first)
{
	const struct sheet s = top_sheet(t, t->view);

	if (t->json) {
		write_json(t);
		return CMD_GO;
	}
	if (!first)
		out_char(&t->out, '\n');
	top_summary(t, &t->out);
	return sheet_write(&s, &t->out, SHEET_TEXT);
}

int top_run_plain(struct top *t)
{
	struct pl_err err = {0};
	struct timespec began;
	int waited = 0, code = CMD_GO;

	for (uint64_t n = 0; waited == 0 && code == CMD_GO && !t->out.error; n++) {
		clock_gettime(CLOCK_MONOTONIC, &began);
		waited = top_look(t, &err);
		if (waited >= 0)
			code = write_look(t, !n);
		out_flush(&t->out);
		if (waited == 0 && t->times && n + 1 >= t->times)
			break;
		if (waited == 0)
			waited = follow_rest(&began);
	}
	if (waited >= 0)
		return code == CMD_GO ? CMD_OK : code;
	cmd_say("top: %s", err.used ? pl_err_text(&err) : pl_error_name(waited));
	return CMD_BAD;
}
