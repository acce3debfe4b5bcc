/* pathline export: the recording in a format of another program. The format decides whether it is
 * made of slices of the path, or of a profile of each process (export/export.h). */
#define _GNU_SOURCE
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/export_output.h"
#include "cmd/expression.h"
#include "cmd/progress.h"
#include "cmd/select.h"
#include "cmd/values.h"
#include "export/path.h"

#define HELP_BYTES	2048
#define PROGRESS_EVENTS 65536 /* between two looks at the clock */

struct exporter {
	struct pl_recording *r; /* owned */
	struct selection selection;
	struct expression filter;
	const char *filter_text; /* as given; NULL: none */
	const char *format_name;
	struct export x;
	struct export_path path;
	struct export_output output;
	struct progress progress;
	struct pl_profile **profiles; /* owned: used until the end */
	size_t profile_count;
	/* of the recording: all events, those of threads that are done, and of this one */
	uint64_t events, before, seen;
	bool values;
};

/* ---- what is selected ---- */

static int wants_event(void *context, const struct pl_event *event)
{
	struct exporter *e = context;
	const int code = e->filter.expr ? expression_event(&e->filter, event) : 0;

	if (code)
		return code;
	return select_task(&e->selection, event) ? 0 : PL_END;
}

static bool is_past_end(void *context, const struct pl_event *event)
{
	struct exporter *e = context;

	if (++e->seen % PROGRESS_EVENTS == 0 && e->events)
		progress_show(&e->progress, (double)(e->before + e->seen) / (double)e->events);
	return when_after(&e->selection.to, event);
}

static bool wants_thread(struct exporter *e, const struct pl_thread *t)
{
	return t && select_thread(&e->selection, e->r, t) && expression_may_thread(&e->filter, t);
}

/* ---- slices ---- */

static int seek_begin(const struct exporter *e, struct pl_cursor *c, struct pl_err *err)
{
	const struct when *from = &e->selection.from;

	return from->kind == WHEN_TIME	? pl_cursor_seek_time(c, from->time_ns, err)
	       : from->kind == WHEN_SEQ ? pl_cursor_seek_seq(c, from->seq, err)
					: 0;
}

static int export_thread(struct exporter *e, const struct pl_process *p, const struct pl_thread *t,
	struct pl_err *err)
{
	struct pl_cursor *c = NULL;
	int code = pl_cursor_new(&c, e->r, p->number, t->number, err);

	e->seen = 0;
	if (code == 0) {
		pl_cursor_want_values(c, e->values);
		code = seek_begin(e, c, err);
	}
	if (code == 0 || code == PL_END)
		code = export_path_thread(&e->path, c, p, t, err);
	pl_cursor_free(c);
	e->before += t->events;
	return code;
}

static int export_threads(struct exporter *e, const struct pl_process *p, struct pl_err *err)
{
	int code = e->x.format->process ? e->x.format->process(&e->x, p) : 0;

	expression_process(&e->filter, p);
	for (uint32_t n = 0; n < p->thread_count && code == 0; n++) {
		const struct pl_thread *t = pl_recording_thread(e->r, p->number, n);
		if (wants_thread(e, t))
			code = export_thread(e, p, t, err);
	}
	return code;
}

/* ---- profiles ---- */

static bool show_profile_progress(void *context, double done)
{
	progress_show(context, done);
	return true;
}

static int export_profile(struct exporter *e, const struct pl_process *p, const struct pl_thread *t,
	struct pl_err *err)
{
	const struct pl_profile_wanted wanted = {.range = {.process = p->number,
							 .one_thread = t != NULL,
							 .thread = t ? t->number : 0,
							 .from_ns = e->selection.from.time_ns,
							 .to_ns = e->selection.to.time_ns},
		.progress = show_profile_progress,
		.context = &e->progress};
	struct pl_profile **profiles =
		realloc(e->profiles, (e->profile_count + 1) * sizeof(*profiles));

	if (!profiles)
		return PL_ERR_MEMORY;
	e->profiles = profiles;
	struct pl_profile **slot = &e->profiles[e->profile_count];
	const int code = pl_profile_new(slot, e->r, &wanted, err);
	if (code)
		return code;
	e->profile_count++;
	return e->x.format->profile(&e->x, p, pl_profile_tables(*slot));
}

/* A thread that is chosen is a profile of its own, under the name of its process. */
static int export_profiles(struct exporter *e, const struct pl_process *p, struct pl_err *err)
{
	int code = 0;

	if (!e->selection.thread)
		return export_profile(e, p, NULL, err);
	for (uint32_t n = 0; n < p->thread_count && code == 0; n++) {
		const struct pl_thread *t = pl_recording_thread(e->r, p->number, n);
		if (wants_thread(e, t))
			code = export_profile(e, p, t, err);
	}
	return code;
}

/* ---- all ---- */

static void count_events(struct exporter *e)
{
	const struct pl_process *p;

	for (uint32_t i = 0; (p = pl_recording_process(e->r, i)); i++)
		for (uint32_t n = 0; n < p->thread_count; n++) {
			const struct pl_thread *t = pl_recording_thread(e->r, p->number, n);
			e->events += t ? t->events : 0;
		}
}

static int export_processes(struct exporter *e, struct pl_err *err)
{
	const struct pl_process *p;
	int code = export_begin(&e->x);

	for (uint32_t i = 0; code == 0 && (p = pl_recording_process(e->r, i)); i++)
		if (select_process(&e->selection, e->r, p))
			code = e->x.format->takes == EXPORT_PATH ? export_threads(e, p, err)
								 : export_profiles(e, p, err);
	return code ? code : export_end(&e->x);
}

static int export_recording(struct exporter *e)
{
	struct pl_err err = {0};
	int code = export_output_open(&e->output, e->x.format);

	if (code != CMD_GO)
		return code;
	count_events(e);
	e->progress = progress_begin();
	const int result = export_processes(e, &err);
	progress_end(&e->progress);
	if (result >= 0)
		code = export_output_finish(&e->output);
	else {
		export_output_drop(&e->output);
		cmd_say("export: %s", err.used ? pl_err_text(&err) : pl_error_name(result));
		code = CMD_BAD;
	}
	return code == CMD_OK ? cmd_say_damages("export", e->r, 0) : code;
}

/* ---- options ---- */

/* "callgrind chrome collapsed …", and a line for each: "callgrind   time by line …". */
static void formats_help(char help[HELP_BYTES], char words[HELP_BYTES])
{
	const struct export_format *f;
	size_t used = (size_t)snprintf(help, HELP_BYTES, "one of:"), named = 0;

	for (size_t i = 0; (f = export_format(i)) && used < HELP_BYTES && named < HELP_BYTES; i++) {
		used += (size_t)snprintf(
			help + used, HELP_BYTES - used, "\n%-11s %s", f->name, f->about);
		named += (size_t)snprintf(
			words + named, HELP_BYTES - named, "%s%s", i ? " " : "", f->name);
	}
}

static int find_format(struct exporter *e, const char *name)
{
	const char *known[32] = {NULL};
	const struct export_format *f;

	for (size_t i = 0; (f = export_format(i)) && i + 1 < sizeof known / sizeof *known; i++)
		known[i] = f->name;
	if (!name) {
		cmd_say("export: --format is missing; `pathline export --help` lists the formats");
		return CMD_USAGE;
	}
	e->x.format = export_find(name);
	return e->x.format ? CMD_GO : cmd_unknown("export", "format", name, known);
}

/* A profile is made of counts; and whether a call is wanted must be known when it begins. */
static int check_options(const struct exporter *e)
{
	const char *const format = e->x.format->name;

	if (e->x.format->takes == EXPORT_PROFILE) {
		const char *const option = e->filter_text      ? "--filter"
					   : e->selection.task ? "--task"
					   : e->path.lines     ? "--lines"
							       : NULL;
		if (!option)
			return CMD_GO;
		cmd_say("export: %s has sums of all calls, so %s cannot be used with it", format,
			option);
		return CMD_USAGE;
	}
	if (!(e->filter.needs & EXPR_END))
		return CMD_GO;
	cmd_say("export: --filter: duration, result and exception are known at the end of a call, "
		"but %s needs to know at its begin; `pathline calls --filter` shows these calls",
		format);
	return CMD_USAGE;
}

static int prepare_export(struct exporter *e)
{
	e->selection.command = "export";
	e->selection.times_only = e->x.format->takes == EXPORT_PROFILE;
	int code = select_read(&e->selection, e->r);
	if (code == CMD_GO)
		code = select_find_tasks(&e->selection, e->r);
	if (code == CMD_GO)
		code = expression_read(&e->filter, "export", e->filter_text, e->r);
	if (code == CMD_GO)
		code = check_options(e);
	e->values = values_there(e->r);
	e->x.r = e->r;
	e->x.sink = export_output_sink(&e->output);
	e->path.x = &e->x;
	e->path.context = e;
	e->path.wants = e->filter.expr || e->selection.task ? wants_event : NULL;
	e->path.is_past = is_past_end;
	return code;
}

static void release_export(struct exporter *e)
{
	export_release(&e->x);
	while (e->profile_count)
		pl_profile_free(e->profiles[--e->profile_count]);
	free(e->profiles);
	expression_release(&e->filter);
	select_release(&e->selection);
	pl_recording_close(e->r);
}

static const char ABOUT[] =
	"Write the recording in a format of another program. doc/EXPORTS.md says what each "
	"format\nshows, and what it leaves out.";

int cmd_export(struct cmd *c)
{
	struct exporter e = {.output.file.command = "export"};
	char help[HELP_BYTES], words[HELP_BYTES];
	const char *output = "-";
	const struct cmd_option options[] = {
		{"format", 0, "NAME", help, .text = &e.format_name, .words = words},
		{"output", 'o', "FILE",
			"the file, or the directory that ctf is; `-` is stdout,\nthe default",
			.text = &output},
		{"force", 'f', NULL, "replace FILE if it exists", .flag = &e.output.file.force},
		{"lines", 'l', NULL, "of formats with slices: a slice for each line, too",
			.flag = &e.path.lines},
		{"filter", 0, "EXPR", EXPRESSION_HELP, .text = &e.filter_text},
		SELECT_PROCESS(e.selection),
		SELECT_THREAD(e.selection, ""),
		SELECT_TASK(e.selection),
		SELECT_FROM(e.selection),
		SELECT_TO(e.selection),
		{0},
	};

	formats_help(help, words);
	int code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]", ABOUT, options});
	if (code == CMD_GO)
		code = find_format(&e, e.format_name);
	if (code == CMD_GO && snprintf(e.output.file.path, CMD_DIRECTORY_BYTES, "%s", output) >=
				      CMD_DIRECTORY_BYTES)
		code = part_file_refuse(&e.output.file, strerror(ENAMETOOLONG));
	if (code == CMD_GO)
		code = cmd_open(c, &e.r);
	if (code == CMD_GO)
		code = prepare_export(&e);
	if (code == CMD_GO)
		code = export_recording(&e);
	release_export(&e);
	return code;
}
