#define _GNU_SOURCE
#include "cmd/what.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"

static bool word_ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);

	return n > m && !strcmp(word + n - m, end);
}

/* If inlined, the sanitizer's null checks make gcc warn of nulls after it. */
__attribute__((noinline)) static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Is it a path to an executable that names its own interpreter? Then it is run as a shell would. */
static bool runs_itself(const char *word)
{
	char first[2] = {0};

	if (!strchr(word, '/') || !is_file(word) || access(word, X_OK) < 0)
		return false;
	int fd = open(word, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool itself =
		read(fd, first, 2) == 2 && (!memcmp(first, "#!", 2) || !memcmp(first, "\177E", 2));
	close(fd);
	return itself;
}

static bool is_python_directory(const char *word)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/__main__.py", word);
	return is_file(path);
}

/* Is the word for Python to run, or a command? */
static bool is_for_python(const char *word, const char *python)
{
	if (word[0] == '-' || python)
		return true;
	if (runs_itself(word))
		return false;
	return word_ends_with(word, ".py") || word_ends_with(word, ".pyw") ||
	       word_ends_with(word, ".pyz") || is_python_directory(word);
}

/* Search as execvp does, but distinguish "not found" from "found, and not executable". 0, ENOENT or
 * EACCES. */
static int find_command(const char *word, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	int err = ENOENT;

	if (strchr(word, '/')) {
		size_t n = strlen(word);
		if (n >= PATH_MAX)
			return ENAMETOOLONG;
		memcpy(path, word, n + 1);
		if (access(word, F_OK) < 0)
			return errno == ENOTDIR ? ENOENT : errno;
		return is_file(word) && access(word, X_OK) == 0 ? 0 : EACCES;
	}
	for (at = at ? at : "/bin:/usr/bin"; *word; at++) {
		size_t n = strcspn(at, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "", word);
		if (is_file(path) && access(path, X_OK) == 0)
			return 0;
		if (is_file(path))
			err = EACCES;
		at += n;
		if (!*at)
			break;
	}
	return err;
}

static int find_or_say(struct what *w, const char *word)
{
	int err = find_command(word, w->path);

	if (!err)
		return CMD_GO;
	if (err == ENOENT) {
		cmd_say("record: '%s': no such command", word);
		if (is_file(word))
			cmd_say("record: there is a file '%s' here; run it with: pathline record "
				"python3 %s",
				word, word);
		return CMD_RECORD_NOT_FOUND;
	}
	cmd_say("record: '%s' cannot be executed: %s", word, strerror(err));
	return CMD_RECORD_NO_EXEC;
}

/* The last part of a path, without .py; a character that a shell would need quoted becomes -. */
static void name_from(struct what *w, const char *word)
{
	const char *slash = strrchr(word, '/');
	size_t n = 0;

	for (const char *c = slash && slash[1] ? slash + 1 : word; *c && n < sizeof w->name - 1;
		c++)
		w->name[n++] = strchr("/ \t\n\\'\"$&;<>|*?()[]{}!#~`", *c) || (unsigned char)*c < 33
				       ? '-'
				       : *c;
	w->name[n] = 0;
	if (word_ends_with(w->name, ".py"))
		w->name[n - 3] = 0;
}

/* `-m package.module` is named by the module, `-c` is `command`, `-` is `stdin`, and a script is
 * named by its file. */
static void name_python(struct what *w, char *const *words, int count)
{
	const char *word = words[0];

	if (!strncmp(word, "-m", 2))
		name_from(w, word[2] ? word + 2 : count > 1 ? words[1] : "module");
	else if (!strncmp(word, "-c", 2))
		name_from(w, "command");
	else
		name_from(w, strcmp(word, "-") ? word : "stdin");
}

/* An option of Python that stands alone and has its argument in the next word. */
static bool takes_next(const char *word)
{
	return !strcmp(word, "-X") || !strcmp(word, "-W");
}

void what_name_running(struct what *w, char *const *words)
{
	while (words[0] && words[0][0] == '-' && words[0][1] && strncmp(words[0], "-m", 2) &&
		strncmp(words[0], "-c", 2))
		words += 1 + (takes_next(words[0]) && words[1]);
	*w = (struct what){0};
	name_python(w, (char *[]){words[0] ? words[0] : "-", words[0] ? words[1] : NULL},
		words[0] && words[1] ? 2 : 1);
}

/* What begins with - can only be -m, -c or - here, which are short for python3 with these. The
 * other options of Python are not taken for ours, nor passed on: the user is told how to. */
static int check_words(char **words, int count)
{
	const char *word = words[0];

	if (word[0] != '-' || !word[1] || word[1] == 'm' || word[1] == 'c') {
		if (word[0] == '-' && word[1] && !word[2] && count < 2) {
			cmd_say("record: %s needs an argument", word);
			return CMD_USAGE;
		}
		return CMD_GO;
	}
	cmd_say("record: unknown option '%s'; options of Python go to it: pathline record python3 "
		"%s …",
		word, word);
	return CMD_USAGE;
}

static const char *usual_python(void)
{
	const char *python = getenv(WHAT_PYTHON_VARIABLE);

	return python && *python ? python : "python3";
}

/* A word for Python gets `python3` (or what --python names) before it; a command is searched in
 * PATH. Only the name of the program is looked up; the words after it are the program's. */
int what_resolve(struct what *w, char **words, int count, const char *python)
{
	int code = check_words(words, count);
	int extra;

	*w = (struct what){0};
	if (code != CMD_GO)
		return code;
	extra = is_for_python(words[0], python);
	w->argv = calloc((size_t)(count + extra) + 1, sizeof *w->argv);
	if (!w->argv) {
		cmd_say("record: out of memory");
		return CMD_RECORD_FAILED;
	}
	memcpy(w->argv + extra, words, (size_t)count * sizeof *words);
	if (!extra) {
		name_from(w, words[0]);
		return find_or_say(w, words[0]);
	}
	name_python(w, words, count);
	w->argv[0] = (char *)(python ? python : usual_python());
	return find_or_say(w, w->argv[0]);
}

void what_release(struct what *w)
{
	free(w->argv);
	*w = (struct what){0};
}
