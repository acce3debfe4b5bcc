/* pathline prune: remove the oldest recordings of folders, so that the rest keeps to a size and to
 * an age. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "cmd/home.h"
#include "cmd/page.h"
#include "cmd/prune_home.h"
#include "cmd/text.h"
#include "collector/finish.h"

static const char ABOUT[] =
	"Remove the oldest recordings of the nearest .pathline, or of each FOLDER (or its "
	".pathline):\nthose that were last written longer than AGE ago, then as many as it takes "
	"for the rest\nof the folder to take at most SIZE on disk. A recording that is being "
	"written "
	"counts and\nstays; what is not a recording is left alone. Prints what it removes.";

struct pruner {
	struct out *out;
	struct prune_rules rules;
	const char *limit_text, *keep_text;
	bool dry_run, quiet;
};

static int read_rules(struct pruner *p)
{
	if (!p->limit_text && !p->keep_text) {
		cmd_say("prune: say what may stay: --limit SIZE, --keep AGE, or both");
		return CMD_USAGE;
	}
	if (p->limit_text &&
		(!cmd_size(p->limit_text, &p->rules.limit_bytes) || !p->rules.limit_bytes)) {
		cmd_say("prune: --limit: '%s' is not a size; write 64M, 2G, 1GiB or a number of "
			"bytes",
			p->limit_text);
		return CMD_USAGE;
	}
	if (p->keep_text && !cmd_span(p->keep_text, &p->rules.keep_ns)) {
		cmd_say("prune: --keep: '%s' is not a time; write 12h, 30d or 8w", p->keep_text);
		return CMD_USAGE;
	}
	return CMD_GO;
}

static void say_gone(void *context, const struct prune_gone *g)
{
	const struct pruner *p = context;
	char size[UNITS_BYTES], age[UNITS_BYTES], line[PATH_MAX + 128];

	units_size(size, g->bytes);
	units_duration(age, g->age_ns);
	int n = snprintf(line, sizeof line, "%s %s (%s, last written %s ago)\n",
		p->dry_run ? "would remove" : "removed", g->name, size, age);
	if (!p->quiet && n > 0)
		out_put(p->out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void say_rest(const struct pruner *p, const struct prune_order *o, const char *size)
{
	char line[PATH_MAX + 128];
	int n = snprintf(line, sizeof line, "%s: %zu %s %s, %s\n", o->folder, o->kept,
		o->kept == 1 ? "recording" : "recordings",
		p->dry_run     ? "would stay"
		: o->kept == 1 ? "stays"
			       : "stay",
		size);

	if (!p->quiet && n > 0)
		out_put(p->out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static int prune_folder(struct pruner *p, const char *folder)
{
	struct prune_order o = {.folder = folder,
		.rules = p->rules,
		.dry_run = p->dry_run,
		.gone = say_gone,
		.context = p};
	char size[UNITS_BYTES];
	int err = prune_home(&o);

	if (err) {
		cmd_say("prune: the recordings in %s cannot be listed: %s", folder, strerror(err));
		return CMD_USAGE;
	}
	units_size(size, o.kept_bytes);
	say_rest(p, &o, size);
	out_flush(p->out);
	if (o.failed) {
		cmd_say("prune: %zu of the recordings in %s could not be removed: %s", o.failed,
			folder, strerror(o.err));
		return CMD_BAD;
	}
	if (p->rules.limit_bytes && o.kept_bytes > p->rules.limit_bytes)
		cmd_say("prune: %s still takes %s, more than --limit: the rest is being written or "
			"cannot be read",
			folder, size);
	return CMD_OK;
}

/* Recordings whose collector was killed are finished first: they count as being written before. */
static int prune_all(struct pruner *p, struct cmd *c)
{
	int code = CMD_OK;

	finish_dead_arenas(NULL);
	for (int i = 0; i < c->count || i == 0; i++) {
		const char *word = c->count ? c->words[i] : NULL;
		char folder[PATH_MAX];
		if (!home_folder(word, folder)) {
			cmd_say("prune: there is no recording in this directory or above it");
			return CMD_OK;
		}
		if (word && home_has_own_files(folder)) {
			cmd_say("prune: %s is itself a recording; pathline rm %s removes it", word,
				word);
			code = CMD_USAGE;
			continue;
		}
		int one = prune_folder(p, folder);
		code = one == CMD_OK ? code : one;
	}
	return code;
}

int cmd_prune(struct cmd *c)
{
	struct pruner p = {0};
	struct out o = {0};
	const struct cmd_option options[] = {
		{"limit", 0, "SIZE", "what stays takes at most that: 64M, 2G, 1GiB",
			.text = &p.limit_text},
		{"keep", 0, "AGE", "what was last written longer ago goes: 12h, 30d, 8w",
			.text = &p.keep_text},
		{"dry-run", 'n', NULL, "say what would be removed, and remove nothing",
			.flag = &p.dry_run},
		{"quiet", 'q', NULL, "print no messages but errors", .flag = &p.quiet},
		{0},
	};
	int code = cmd_parse(c, &(struct cmd_usage){"[FOLDER…]", ABOUT, options});

	if (code == CMD_GO)
		code = read_rules(&p);
	if (code == CMD_GO)
		code = page_open(c, &o, false);
	if (code != CMD_GO)
		return code;
	p.out = &o;
	code = prune_all(&p, c);
	const int written = page_close(c, &o);
	return written ? written : code;
}
