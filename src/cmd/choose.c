#define _GNU_SOURCE
#include "cmd/choose.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "filter/filter.h"

/* Relative to the current directory, as in a shell: "./x", "../x", ".". Other patterns may match
 * anywhere. */
static bool is_from_here(const char *pattern)
{
	size_t dots = strspn(pattern, ".");

	return dots && dots <= 2 && (pattern[dots] == '/' || !pattern[dots]);
}

/* "/a/b" and "../c/./d" -> "/a/c/d". Only the pattern's leading dots are resolved. */
static void put_absolute(struct pl_buf *out, const char *pattern)
{
	char here[PATH_MAX];
	size_t n;

	if (!getcwd(here, sizeof here))
		here[0] = 0;
	for (; is_from_here(pattern); pattern += n + (pattern[n] == '/')) {
		char *slash = strrchr(here, '/');
		n = strspn(pattern, ".");
		if (n == 2 && slash)
			*slash = 0;
	}
	buf_put(out, here, strlen(here));
	buf_u8(out, '/');
	buf_put(out, pattern, strlen(pattern));
}

/* The options as they were typed, for the recording's header: `info` shows them. */
static void put_option(struct choose *c, const char *word, const char *text)
{
	buf_printf(&c->text, "%s--%s", c->text.used ? " " : "", word);
	if (text) {
		buf_u8(&c->text, ' ');
		cmd_quote(&c->text, text);
	}
}

static void take_mine(struct choose *c)
{
	c->mine = true;
	filter_write_mine(&c->rules);
}

static void take_pattern(struct choose *c, const char *word, const char *text, bool include)
{
	struct pl_buf whole = {0};

	if (is_from_here(text))
		put_absolute(&whole, text);
	else
		buf_put(&whole, text, strlen(text));
	const char *fault = filter_fault(buf_view(&whole));
	if (fault && !c->failed)
		cmd_say("%s: --%s '%s' %s", c->command, word, text, fault);
	c->failed = c->failed || fault;
	if (!fault)
		filter_write_rule(&c->rules, include, buf_view(&whole));
	buf_release(&whole);
}

void choose_take(void *choose, const char *word, const char *text)
{
	struct choose *c = choose;

	put_option(c, word, text);
	if (text)
		take_pattern(c, word, text, word[0] == 'i');
	else
		take_mine(c);
}

void choose_take_of(void *choose, const char *word, const char *text)
{
	struct choose *c = choose;

	if (c->text.used)
		buf_u8(&c->text, ' ');
	cmd_quote(&c->text, text);
	if (strcmp(text, CHOOSE_MINE))
		take_pattern(c, word, text, true);
	else
		take_mine(c);
}

static void put_tree(struct choose *c, const char *path)
{
	if (path && *path == '/' && !strchr(path, '\n'))
		filter_write_tree(&c->rules, path);
}

/* Both names of the current directory, if a shell came here through a link. */
static void put_here(struct choose *c)
{
	char here[PATH_MAX];
	char *shell = getenv("PWD");
	struct stat one, other;

	if (!getcwd(here, sizeof here))
		return;
	put_tree(c, here);
	if (shell && strcmp(shell, here) && stat(shell, &one) == 0 && stat(here, &other) == 0 &&
		one.st_dev == other.st_dev && one.st_ino == other.st_ino)
		put_tree(c, shell);
}

static void put_script(struct choose *c, const char *word)
{
	struct stat st;
	char *path = stat(word, &st) == 0 && S_ISREG(st.st_mode) ? realpath(word, NULL) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;

	if (slash && slash > path) {
		*slash = 0;
		put_tree(c, path);
	}
	free(path);
}

static bool is_script_name(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot && (!strcmp(dot, ".py") || !strcmp(dot, ".pyw"));
}

/* The first word, and if that is a command, as "python -X dev" or "coverage run", the first script
 * behind it; behind -m or -c there is none. */
static void put_scripts(struct choose *c, char *const *words)
{
	if (*words)
		put_script(c, *words);
	while (*words && !is_script_name(*words)) {
		if (!strcmp(*words, "-m") || !strcmp(*words, "-c"))
			return;
		words++;
	}
	if (*words)
		put_script(c, *words);
}

/* Rules are read as the recorder will read them: what does not fit is refused here, where somebody
 * sees it. */
int choose_end(struct choose *c, char *const *words, const char *options)
{
	struct filter f = {0};

	if (c->failed)
		return CMD_USAGE;
	if (c->mine && c->here)
		put_tree(c, c->here);
	else if (c->mine)
		put_here(c);
	if (c->mine)
		put_scripts(c, words);
	buf_u8(&c->text, 0);
	bool fits = !c->rules.failed && !c->text.failed && c->rules.used <= FILTER_BYTES_MAX;
	if (fits && filter_read(&f, buf_view(&c->rules)) == 0)
		return CMD_GO;
	cmd_say("%s: more than %d rules of %s, or %d bytes of them", c->command, FILTER_RULES_MAX,
		options, FILTER_BYTES_MAX);
	return CMD_USAGE;
}

void choose_say_unmatched(
	const struct choose *c, const char *option, const char *what, uint64_t matched)
{
	struct filter f = {0};

	filter_read(&f, buf_view(&c->rules));
	for (uint32_t i = 0; i < f.rule_count; i++) {
		const struct filter_rule *r = &f.rules[i];
		if (r->include && r->kind != FILTER_MINE && !(matched >> i & 1))
			cmd_say("%s '%.*s' matched no %s", option, (int)r->pattern.left,
				(const char *)r->pattern.at, what);
	}
}

void choose_release(struct choose *c)
{
	buf_release(&c->rules);
	buf_release(&c->text);
}
