#define _GNU_SOURCE
#include "cmd/calibrate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each section runs REPEATS times; argv is the file for the results (a line "name ns" of the
 * fastest run), and these three numbers. The program runs ROUNDS times as it is and ROUNDS times
 * recorded, in turns, and the fastest run of each counts, because the speed of a machine varies. */
#define ROUNDS	   4
#define REPEATS	   4
#define PASSES	   60000
#define FRESH	   300 /* functions that run for the first time */
#define LITERAL(x) #x
#define NUMBER(x)  LITERAL(x)
static const char PROGRAM[] = "import sys, time\n"
			      "def lines(n):\n"
			      "    x = 0\n"
			      "    for i in range(n):\n"
			      "        if i & 1:\n"
			      "            x += 1\n"
			      "        else:\n"
			      "            x -= 1\n"
			      "def one(i):\n"
			      "    return i\n"
			      "def calls(n):\n"
			      "    for i in range(n):\n"
			      "        one(i)\n"
			      "def some(n):\n"
			      "    for i in range(n):\n"
			      "        yield i\n"
			      "def yields(n):\n"
			      "    for i in some(n):\n"
			      "        pass\n"
			      "def raises(n):\n"
			      "    for i in range(n >> 2):\n"
			      "        try:\n"
			      "            raise KeyError\n"
			      "        except KeyError:\n"
			      "            pass\n"
			      "def passes(n):\n"
			      "    while n: n -= 1\n"
			      "exec(compile('def kept(i): return i', '<kept>', 'exec'))\n"
			      "def values(n):\n"
			      "    for i in range(n):\n"
			      "        kept(i)\n"
			      "def once(items, n):\n"
			      "    total = len(items)\n"
			      "    for item in items:\n"
			      "        if item & n:\n"
			      "            total += item\n"
			      "        else:\n"
			      "            total -= item\n"
			      "    try:\n"
			      "        total += int(n)\n"
			      "    except ValueError:\n"
			      "        total = -1\n"
			      "    if total > n and items:\n"
			      "        return total\n"
			      "    return [total for item in items]\n"
			      "def firsts(n):\n"
			      "    for f in fresh:\n"
			      "        f((1, 2), 1)\n"
			      "repeats, count, functions = map(int, sys.argv[2:])\n"
			      "with open(sys.argv[1], 'w') as out:\n"
			      "    for f in lines, calls, yields, raises, passes, values, firsts:\n"
			      "        best = 1 << 60\n"
			      "        for _ in range(repeats):\n"
			      "            fresh = [type(once)(once.__code__.replace(), globals()) "
			      "for _ in range(functions)]\n"
			      "            t = time.process_time_ns()\n"
			      "            f(count)\n"
			      "            best = min(best, time.process_time_ns() - t)\n"
			      "        out.write(f'{f.__name__} {best}\\n')\n";

/* In the order in which they are solved; `kinds`: those that are not known before the section. It
 * has none if it tells the cost of values, or else of first runs. */
static const struct section {
	const char *name, *callee;
	enum pl_event_kind kinds[4];
	int count;
	bool has_values;
} SECTIONS[] = {
	{"lines", NULL, {PL_EVENT_LINE}, 1},
	{"calls", "one", {PL_EVENT_CALL, PL_EVENT_RETURN, PL_EVENT_UNWIND}, 3},
	{"yields", "some", {PL_EVENT_RESUME, PL_EVENT_YIELD, PL_EVENT_THROW}, 3},
	{"raises", NULL, {PL_EVENT_RAISE, PL_EVENT_HANDLED, PL_EVENT_RERAISE}, 3},
	{"passes", NULL, {PL_EVENT_AGAIN}, 1},
	{"values", "kept", {0}, 0, true},
	{"firsts", "once", {0}, 0},
};
#define SECTION_COUNT (sizeof SECTIONS / sizeof *SECTIONS)

struct took {
	double ns[SECTION_COUNT];
};

/* All sections, in their order, or the run does not count. */
static bool read_took(const char *path, struct took *out)
{
	FILE *file = fopen(path, "re");
	char name[16];
	size_t n = 0;

	while (file && n < SECTION_COUNT && fscanf(file, "%15s %lf", name, &out->ns[n]) == 2 &&
		!strcmp(name, SECTIONS[n].name))
		n++;
	if (file)
		fclose(file);
	return n == SECTION_COUNT;
}

/* Nobody wants the calibration's output. */
static void be_quiet(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

/* One run, in a separate process. record NULL: not recorded. */
static bool run_once(struct cmd *c, char **words, const char *directory, stat_recorder *record)
{
	int status = 0, count = 0;
	pid_t pid = fork();

	while (words[count])
		count++;
	if (pid == 0) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		be_quiet();
		if (record)
			_exit(record(c, directory, words, count) & 0xff);
		execv(words[0], words);
		_exit(CMD_RECORD_NOT_FOUND);
	}
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Add what was recorded in the functions of a section. Each name may have several rows, because
 * code that is reoptimized gets a new one. Returns the lines of the last one. */
static double add_counts(
	struct pl_recording *r, const char *name, double counts[PL_EVENT_KIND_COUNT])
{
	struct pl_recorded row;
	double lines = 0;

	for (uint32_t i = 0; name && pl_recording_recorded(r, i, &row); i++) {
		const char *file = pl_code_file(row.code);
		if (strcmp(pl_code_name(row.code), name) ||
			(strcmp(file, "<string>") && strcmp(file, CALIBRATE_VALUES_OF)))
			continue;
		for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
			counts[k] += (double)row.counts[k] / REPEATS;
		lines = (double)pl_code_lines(row.code, NULL, 0);
	}
	return lines;
}

/* Subtract the kinds that are known. The rest is divided evenly among those that are not, or
 * belongs to the values of each call and return, or to the first runs, by their lines. */
static void solve(const struct section *s, const double counts[PL_EVENT_KIND_COUNT], double lines,
	double more_ns, struct calibration *out)
{
	double own = 0;

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		more_ns -= counts[k] * out->ns[k];
	if (s->has_values)
		out->value_ns = more_ns > 0 ? more_ns / (2.0 * PASSES) : 0;
	else if (!s->count && lines > 0)
		out->first_line_ns = more_ns > 0 ? more_ns / (lines * FRESH) : 0;
	for (int i = 0; i < s->count; i++)
		own += counts[s->kinds[i]];
	if (own < PASSES / 16.0)
		return; /* none of these was recorded here: the cost does not matter */
	for (int i = 0; i < s->count; i++)
		out->ns[s->kinds[i]] = more_ns > 0 ? more_ns / own : 0;
}

static const char *solve_all(const char *directory, const struct took *plain,
	const struct took *recorded, struct calibration *out)
{
	struct pl_recording *r = NULL;
	struct pl_err e = {0};

	if (pl_recording_open(&r, directory, &e) < 0)
		return "the recording of the calibration cannot be read";
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		double counts[PL_EVENT_KIND_COUNT] = {0};
		add_counts(r, SECTIONS[i].name, counts);
		double lines = add_counts(r, SECTIONS[i].callee, counts);
		solve(&SECTIONS[i], counts, lines, recorded->ns[i] - plain->ns[i], out);
	}
	pl_recording_close(r);
	return NULL;
}

static void remove_all(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(directory);
}

static void keep_least(struct took *least, const struct took *now, int round)
{
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (!round || now->ns[i] < least->ns[i])
			least->ns[i] = now->ns[i];
}

/* The same program is run with and without recording, in turns; the difference of a section,
 * divided by its events, is what an event costs. Everything is made below /tmp, and removed
 * again. */
const char *calibrate(
	struct cmd *c, const char *executable, stat_recorder *record, struct calibration *out)
{
	char place[] = "/tmp/pathline-stat-XXXXXX", took[64], directory[64], exe[PATH_MAX];
	struct took now, plain, recorded;
	const char *why = NULL;

	*out = (struct calibration){0};
	snprintf(exe, sizeof exe, "%s", executable);
	if (!mkdtemp(place))
		return "there is no room in /tmp";
	snprintf(took, sizeof took, "%s/took", place);
	snprintf(directory, sizeof directory, "%s/recording", place);
	char *words[] = {exe, "-S", "-c", (char *)PROGRAM, took, NUMBER(REPEATS), NUMBER(PASSES),
		NUMBER(FRESH), NULL};
	for (int round = 0; round < ROUNDS && !why; round++) {
		remove_all(directory);
		if (!run_once(c, words, NULL, NULL) || !read_took(took, &now)) {
			why = "the interpreter could not be run again";
			break;
		}
		keep_least(&plain, &now, round);
		if (!run_once(c, words, directory, record) || !read_took(took, &now))
			why = "the calibration could not be recorded";
		else
			keep_least(&recorded, &now, round);
	}
	if (!why)
		why = solve_all(directory, &plain, &recorded, out);
	remove_all(directory);
	remove_all(place);
	return why;
}
