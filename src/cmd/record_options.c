#include "cmd/record_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT "8G"
#define OWN_MAX	      8 /* options of a command beside the common ones */

/* The help of options that takes several lines. */
static const char HELP_OUTPUT[] = "the directory of the recording, new or empty. Without it:\n"
				  ".pathline/<time>-<name>/";
static const char HELP_QUIET[] = "print no messages but errors";
static const char HELP_LIMIT[] =
	"keep the newest SIZE of it: 64M, 2G, 1GiB, at least 1M; 0: no limit.\n"
	"Without it: " DEFAULT_LIMIT "iB";
static const char HELP_KEEP[] =
	"drop what was recorded longer ago than AGE: 12h, 30d, 8w. Without it: nothing";
static const char HELP_FLIGHT[] =
	"a flight recorder: keep the newest TIME in memory (at most --limit, without\n"
	"it 64M), and write it into a new directory below DIR, without it .pathline,\n"
	"when an exception ends the program or a thread, when a signal ends a process,\n"
	"or when a section is too slow (pathline.within)";
static const char HELP_ON_FULL[] =
	"when events come faster than they can be written: the program waits (at\n"
	"most 2 s), or events are lost; the recording says so. Without it: wait";
static const char HELP_PASSES[] =
	"Python reports the line of a loop on a single line once: record each further\n"
	"pass as 'again', or none of them, which is faster. Without it: all";
static const char HELP_ORDER[] =
	"witness: a line may have run anywhere between the recorded events around it,\n"
	"beside other threads; exact: each line and return is recorded, and the order\n"
	"of all threads is known, which is slower. Without it: witness";
static const char HELP_HOT[] =
	"a function of which so many lines ran is recorded in a way that costs less\n"
	"for each line and more to begin with (not on 3.11); 0: never. Without it: 1000";
static const char HELP_INCLUDE[] =
	"record code whose module or path matches GLOB: calc is calc and calc.parser,\n"
	"calc.* not calc itself. Of several --include and --exclude the last one that\n"
	"matches decides; what none matches is left out if the first one is an\n"
	"--include. A GLOB with a / or .py is a path, as for a script (its module is\n"
	"__main__): --include app.py. The words stdlib and site-packages stand for\n"
	"those";
static const char HELP_EXCLUDE[] =
	"do not record such code. It costs nothing after its first run. What it calls\n"
	"is shown in the place of its call";
static const char HELP_ONLY_MINE[] =
	"record the files below this directory and the script's, but not the standard\n"
	"library and not what was installed";
static const char HELP_CLOCK[] =
	"which events have a time: the first one after each tick (tick=100us,\n"
	"tick=1ms, tick=10ms), each call and return (call), or each event, with an\n"
	"event for each line (line). Without it: tick=auto, which is 1 ms, or up to\n"
	"10 ms where ticking would take more than 1% of a core; with --kernel\n"
	"or --native: line";
static const char HELP_TIMING[] = "calls: as --clock=call, for ticks of another length than auto:\n"
				  "--clock=tick=100us --timing=calls. Without it: clock";

static const char HELP_VALUES[] =
	"calls: also record the arguments and the result of each call of your own code,\n"
	"what generators yield and are sent, and exceptions; lines: and what each line\n"
	"made of the variables of its frame; none: only the path, which takes less\n"
	"time and room. Without it: " RECORD_VALUES_USUAL;
static const char HELP_VALUES_OF[] =
	"values of which code: a GLOB as for --include, stdlib, site-packages, mine (as\n"
	"--only-mine has it), or '*' for all. It can be given several times. Without\n"
	"it: mine";
static const char HELP_VALUES_LIMIT[] =
	"how much of values is kept: how deep they are in each other, items of a\n"
	"container, attributes of an object, characters of a text; bytes of a value,\n"
	"of an event, and of a process in a second. Without it:\n" RECORD_VALUES_LIMITS;
static const char HELP_REDACT[] =
	"a value is also secret if its name is like GLOB, in any case: --redact iban\n"
	"--redact '*_pin'. It is <redacted>, as passwords, tokens and keys are without it";
static const char HELP_NO_REDACT[] =
	"also record values whose name or text says that they are secret (passwords,\n"
	"tokens, keys, cookies); without it they are <redacted>";

/* What --clock can be. */
static const struct {
	const char *word;
	int64_t tick_ns;
	enum arena_stamps stamps;
} CLOCKS[] = {
	{"tick=auto", 0, STAMPS_TICK},
	{"tick=1ms", 1000000, STAMPS_TICK},
	{"tick=100us", 100000, STAMPS_TICK},
	{"tick=10ms", 10000000, STAMPS_TICK},
	{"call", 0, STAMPS_CALL},
	{"line", 0, STAMPS_LINE},
};

/* What --timing can be. */
enum { TIMING_CLOCK, TIMING_CALLS };

/* The words of options that are not simply text, as given. */
struct choices {
	const char *limit, *keep, *flight, *on_full, *passes, *order, *clock, *timing, *hot;
};

/* An option whose word is one of an enum of arena.h. */
struct kind {
	const char *word, *what;
	const char *const *choices; /* in the order of the enum */
	uint32_t *to;
};

static int choose_kind(const char *command, const struct kind *k)
{
	for (*k->to = 0; k->choices[*k->to]; (*k->to)++)
		if (!strcmp(k->word, k->choices[*k->to]))
			return CMD_GO;
	return cmd_unknown(command, k->what, k->word, k->choices);
}

static int read_kinds(struct record_options *o, const struct choices *word)
{
	static const char *const full[] = {"wait", "drop", NULL},
				 *const passes[] = {"all", "none", NULL},
				 *const order[] = {"witness", "exact", NULL},
				 *const timing[] = {"clock", "calls", NULL};
	const char *clocks[sizeof CLOCKS / sizeof *CLOCKS + 1] = {0};
	const struct kind kinds[] = {
		{word->on_full, "choice for --on-full:", full, &o->on_full},
		{word->passes, "choice for --passes:", passes, &o->passes},
		{word->order, "choice for --order:", order, &o->order},
		{word->clock, "choice for --clock:", clocks, &o->clock},
		{word->timing, "choice for --timing:", timing, &o->timing},
	};
	int code = CMD_GO;

	for (size_t i = 0; i < sizeof CLOCKS / sizeof *CLOCKS; i++)
		clocks[i] = CLOCKS[i].word;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == CMD_GO; i++)
		code = choose_kind(o->command, &kinds[i]);
	return code;
}

static bool read_count(const char *text, uint32_t *to)
{
	char *end;
	errno = 0;
	unsigned long n = strtoul(text, &end, 10);

	*to = (uint32_t)n;
	return *text >= '0' && *text <= '9' && !*end && !errno && n <= UINT32_MAX;
}

static int read_choices(struct record_options *o, const struct choices *word)
{
	if (!cmd_size(word->limit, &o->limit_bytes)) {
		cmd_say("%s: '%s' is not a size; write 64M, 2G, 1GiB or a number of bytes",
			o->command, word->limit);
		return CMD_USAGE;
	}
	if (o->limit_bytes && o->limit_bytes < COLLECTOR_LIMIT_MIN) {
		cmd_say("%s: --limit %s is too small; the smallest limit is 1M; 0 sets no "
			"limit",
			o->command, word->limit);
		return CMD_USAGE;
	}
	if (word->keep && !cmd_span(word->keep, &o->keep_ns)) {
		cmd_say("%s: --keep: '%s' is not a time; write 12h, 30d or 8w", o->command,
			word->keep);
		return CMD_USAGE;
	}
	if (word->flight && (!cmd_span(word->flight, &o->flight_ns) || !o->flight_ns)) {
		cmd_say("%s: --flight: '%s' is not a time; write 30s, 60s or 5m", o->command,
			word->flight);
		return CMD_USAGE;
	}
	if (word->flight && word->keep) {
		cmd_say("%s: --flight says how much is kept; leave --keep out", o->command);
		return CMD_USAGE;
	}
	if (!read_count(word->hot, &o->hot_lines)) {
		cmd_say("%s: --hot: '%s' is not a number of lines; write 1000, or 0 for no hot "
			"code",
			o->command, word->hot);
		return CMD_USAGE;
	}
	return read_kinds(o, word);
}

/* The table of options over *o and *word, after the command's own. */
static int parse(struct record_options *o, struct choices *word, struct cmd *c,
	const struct cmd_usage *usage)
{
	const struct cmd_option common[] = {
		{"output", 'o', "DIR", HELP_OUTPUT, .text = &o->directory},
		{"limit", 0, "SIZE", HELP_LIMIT, .text = &word->limit},
		{"keep", 0, "AGE", HELP_KEEP, .text = &word->keep},
		{"flight", 0, "TIME", HELP_FLIGHT, .text = &word->flight},
		{"on-full", 0, "wait|drop", HELP_ON_FULL, .text = &word->on_full},
		{"passes", 0, "all|none", HELP_PASSES, .text = &word->passes},
		{"order", 0, "witness|exact", HELP_ORDER, .text = &word->order},
		{"hot", 0, "LINES", HELP_HOT, .text = &word->hot},
		{"include", 0, "GLOB", HELP_INCLUDE, .take = choose_take, .to = &o->choose,
			.words = "stdlib site-packages"},
		{"exclude", 0, "GLOB", HELP_EXCLUDE, .take = choose_take, .to = &o->choose,
			.words = "stdlib site-packages"},
		{"only-mine", 0, NULL, HELP_ONLY_MINE, .take = choose_take, .to = &o->choose},
		{"values", 0, "none|calls|lines", HELP_VALUES, .text = &o->values.word},
		{"values-of", 0, "GLOB", HELP_VALUES_OF, .take = choose_take_of,
			.to = &o->values.of, .words = "mine stdlib site-packages"},
		{"values-limit", 0, "LIMITS", HELP_VALUES_LIMIT, .take = record_values_take_limits,
			.to = &o->values},
		{"redact", 0, "GLOB", HELP_REDACT, .take = record_values_take_redact,
			.to = &o->values},
		{"no-redact", 0, NULL, HELP_NO_REDACT, .flag = &o->values.shows_secrets},
		{"clock", 0, "WHICH", HELP_CLOCK, .text = &word->clock,
			.words = "tick=auto tick=100us tick=1ms tick=10ms call line"},
		{"timing", 0, "clock|calls", HELP_TIMING, .text = &word->timing},
		{"quiet", 'q', NULL, HELP_QUIET, .flag = &o->quiet},
		{0},
	};
	const size_t count = sizeof common / sizeof *common;
	struct cmd_option all[OWN_MAX + sizeof common / sizeof *common];
	struct cmd_usage whole = *usage;
	size_t own = 0;

	for (; own < OWN_MAX && usage->options[own].word; own++)
		all[own] = usage->options[own];
	memcpy(all + own, common, count * sizeof *common);
	whole.options = all;
	return cmd_parse(c, &whole);
}

int record_options_read(struct record_options *o, struct cmd *c, const struct cmd_usage *usage)
{
	struct choices word = {.on_full = "wait",
		.passes = "all",
		.order = "witness",
		.timing = "clock",
		.hot = "1000"};

	o->command = o->choose.command = o->values.of.command = c->name;
	int code = parse(o, &word, c, usage);
	o->limit_given = word.limit != NULL;
	if (!word.limit)
		word.limit = DEFAULT_LIMIT;
	/* What the kernel and native functions do is shown below the line that asked for it. */
	if (!word.clock)
		word.clock = o->kernel || o->native ? "line" : "tick=auto";
	return code == CMD_GO ? read_choices(o, &word) : code;
}

int record_options_end(struct record_options *o, char *const *words)
{
	int code = choose_end(&o->choose, words, "--include and --exclude");

	return code == CMD_GO ? record_values_end(&o->values, words) : code;
}

int record_options_place(const struct record_options *o, struct place *p, const char *name)
{
	return o->flight_ns ? place_make_flight(p, o->directory)
			    : place_make(p, o->directory, name);
}

static enum arena_stamps stamps_of(const struct record_options *o)
{
	enum arena_stamps stamps = CLOCKS[o->clock].stamps;

	return o->timing == TIMING_CALLS && stamps == STAMPS_TICK ? STAMPS_CALL : stamps;
}

void record_options_apply(const struct record_options *o, struct collector_start *s)
{
	s->limit_bytes = o->limit_bytes;
	s->keep_ns = o->keep_ns;
	if (o->flight_ns) {
		s->limit_bytes = flight_limit(o->limit_given ? o->limit_bytes : 0);
		s->keep_ns = s->flight.span_ns = o->flight_ns;
	}
	s->on_full = o->on_full;
	s->no_children = o->no_children;
	s->count_costs = o->stat;
	s->kernel = o->kernel;
	s->native = o->native;
	s->passes = o->passes;
	s->stamps = stamps_of(o);
	s->order = s->stamps == STAMPS_LINE ? ORDER_EXACT : o->order;
	s->clock = s->stamps == STAMPS_CALL ? "call" : CLOCKS[o->clock].word;
	s->tick_ns = CLOCKS[o->clock].tick_ns;
	s->hot_lines = o->hot_lines;
	s->filter = buf_view(&o->choose.rules);
	s->filter_text = o->choose.text.used ? (const char *)o->choose.text.at : "";
	record_values_apply(&o->values, &s->values);
}

void record_options_release(struct record_options *o)
{
	choose_release(&o->choose);
	record_values_release(&o->values);
}
