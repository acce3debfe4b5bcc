/* pathline ls: the recordings in a folder, the oldest first. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/json.h"
#include "cmd/summary.h"
#include "cmd/text.h"
#include "collector/finish.h"

#define PLACE ".pathline"

/* What a row shows. */
struct entry {
	const char *name;
	struct pl_recording_info info;
	struct summary summary;
	char end[SUMMARY_END_BYTES]; /* how the first process did */
};

/* Directories alone: `latest` is a link. */
static int is_candidate(const struct dirent *d)
{
	return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN);
}

static void end_text(const struct pl_recording *r, struct entry *e)
{
	const struct pl_process *p = pl_recording_process(r, 0);

	if (!e->info.finished)
		snprintf(e->end, sizeof e->end, "running");
	else if (!p)
		snprintf(e->end, sizeof e->end, "no Python");
	else
		summary_end(p, e->end);
}

static void describe(const struct pl_recording *r, struct entry *e)
{
	pl_recording_info(r, &e->info);
	e->summary = summary_of(r);
	end_text(r, e);
}

static void write_row(struct out *o, const struct entry *e)
{
	out_tone(o, TONE_STRONG);
	out_column(o, e->name, 32);
	out_tone(o, TONE_PLAIN);
	out_text(o, "  ");
	out_moment(o, e->info.start_ns);
	out_text(o, "  ");
	out_column(o, e->end, 10);
	out_text(o, "  ");
	if (e->info.end_ns)
		out_duration(o, e->info.start_ns, e->info.end_ns);
	else
		out_text(o, "so far");
	out_text(o, ", ");
	out_count(o, e->summary.events);
	out_text(o, e->summary.events == 1 ? " event, " : " events, ");
	out_u64(o, e->summary.processes);
	out_text(o, e->summary.processes == 1 ? " process, " : " processes, ");
	out_bytes(o, e->summary.bytes);
	out_char(o, '\n');
}

static void write_json(struct out *o, const struct entry *e)
{
	struct json j = {.out = o};

	json_line(&j, "recording");
	json_text(&j, "name", e->name);
	json_text(&j, "directory", e->info.directory);
	json_text(&j, "command", e->info.command);
	json_moment(&j, "start", e->info.start_ns);
	json_moment(&j, "end", e->info.end_ns);
	json_u64(&j, "bytes", e->summary.bytes);
	json_u64(&j, "events", e->summary.events);
	json_u64(&j, "processes", e->summary.processes);
	json_text(&j, "ended", e->end);
	json_bool(&j, "finished", e->info.finished);
	json_line_end(&j);
}

/* A row for place/name. CMD_OK, or CMD_BAD after saying what is wrong with it. */
static int list_one(struct out *o, const char *place, const char *name, bool json)
{
	struct entry e = {.name = name};
	struct pl_recording *r = NULL;
	struct pl_err err = {0};
	char *dir = NULL;
	int result = asprintf(&dir, "%s/%s", place, name) < 0 ? PL_ERR_MEMORY : 0;

	if (result == 0)
		result = pl_recording_open(&r, dir, &err);
	if (result == 0) {
		describe(r, &e);
		if (json)
			write_json(o, &e);
		else
			write_row(o, &e);
	} else {
		cmd_say("ls: %s: %s", name, err.used ? pl_err_text(&err) : pl_error_name(result));
	}
	pl_recording_close(r);
	free(dir);
	return result < 0 ? CMD_BAD : CMD_OK;
}

static int list(struct out *o, const char *place, bool json)
{
	struct dirent **found = NULL;
	int n = scandir(place, &found, is_candidate, alphasort), code = CMD_OK;

	if (n < 0 && (errno != ENOENT || strcmp(place, PLACE))) {
		cmd_say("ls: %s: %s", place, strerror(errno));
		return CMD_USAGE;
	}
	if (n <= 0)
		cmd_say("ls: no recording here; make one with: pathline record script.py");
	for (int i = 0; i < n; i++) {
		if (list_one(o, place, found[i]->d_name, json) != CMD_OK)
			code = CMD_BAD;
		free(found[i]);
	}
	free(found);
	return code;
}

int cmd_ls(struct cmd *c)
{
	bool json = false;
	const struct cmd_option options[] = {
		{"json", 0, NULL, "one JSON object a recording", .flag = &json},
		{0},
	};
	struct out o = {0};
	int written,
		code = cmd_parse(c,
			&(struct cmd_usage){"[FOLDER]",
				"List the recordings in .pathline, or in FOLDER, the oldest first.",
				options});

	if (code == CMD_GO && c->count > 1) {
		cmd_say("ls: one folder at a time; '%s' is too much", c->words[1]);
		code = CMD_USAGE;
	}
	if (code == CMD_GO && out_init(&o, 1, c->color_out) < 0) {
		cmd_say("%s: no memory for its output", c->name);
		code = CMD_BAD;
	}
	if (code == CMD_GO) {
		finish_dead_arenas(NULL);
		code = list(&o, c->count ? c->words[0] : PLACE, json);
	}
	written = out_release(&o);
	return written ? written : code;
}
