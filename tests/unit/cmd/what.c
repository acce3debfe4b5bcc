/* What `record` runs: scripts and options of Python get an interpreter before them, commands are
 * looked for, and each has a name. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/cmd.h"
#include "cmd/what.h"
#include "lib/said.h"

static char root[64], before[PATH_MAX];

static void make_file(const char *path, const char *text, mode_t mode)
{
	const int fd = open(path, O_WRONLY | O_CREAT, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	/* mkdtemp makes a new private directory of it */
	snprintf(root, sizeof root, "/tmp/test-what-XXXXXX");
	if (!getcwd(before, sizeof before) || !mkdtemp(root) || chdir(root) || mkdir("bin", 0700) ||
		mkdir("package", 0700))
		return -1;
	make_file("bin/python3", "", 0700);
	make_file("bin/tool", "", 0700);
	make_file("bin/plain", "", 0600);
	make_file("orders.py", "", 0600);
	make_file("itself.py", "#!/usr/bin/env python3\n", 0700);
	make_file("package/__main__.py", "", 0600);
	make_file("here", "", 0600);
	unsetenv(WHAT_PYTHON_VARIABLE);
	return setenv("PATH", "bin:/nowhere", 1);
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	setenv("PATH", "/bin:/usr/bin", 1);
	snprintf(command, sizeof command, "rm -rf %s", root);
	return chdir(before) || system(command);
}

/* The words are separated by blanks. */
static int resolve(struct what *w, const char *line, const char *python)
{
	static char copy[256];
	static char *words[8];
	int count = 0;

	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	return what_resolve(w, words, count, python);
}

static void expect(const char *line, const char *run, const char *path, const char *name)
{
	char all[256] = "";
	struct what w;

	assert_int_equal(resolve(&w, line, NULL), CMD_GO);
	for (char **word = w.argv; *word; word++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
			word == w.argv ? "" : " ", *word);
	assert_string_equal(all, run);
	assert_string_equal(w.path, path);
	assert_string_equal(w.name, name);
	what_release(&w);
	what_release(&w);
}

static void for_python(void **state)
{
	(void)state;
	expect("orders.py -n 3", "python3 orders.py -n 3", "bin/python3", "orders");
	expect("-m json.tool x", "python3 -m json.tool x", "bin/python3", "json.tool");
	expect("-c pass", "python3 -c pass", "bin/python3", "command");
	expect("-", "python3 -", "bin/python3", "stdin");
	expect("package", "python3 package", "bin/python3", "package");
}

static void commands(void **state)
{
	(void)state;
	expect("tool -x orders.py", "tool -x orders.py", "bin/tool", "tool");
	expect("./itself.py", "./itself.py", "./itself.py", "itself");
	expect("bin/tool", "bin/tool", "bin/tool", "tool");
}

static void another_python(void **state)
{
	struct what w;

	(void)state;
	assert_int_equal(resolve(&w, "tool", "bin/python3"), CMD_GO);
	assert_string_equal(w.argv[0], "bin/python3");
	assert_string_equal(w.argv[1], "tool"); /* --python: it is a script */
	what_release(&w);
	setenv(WHAT_PYTHON_VARIABLE, "bin/tool", 1);
	assert_int_equal(resolve(&w, "orders.py", NULL), CMD_GO);
	assert_string_equal(w.argv[0], "bin/tool");
	what_release(&w);
	unsetenv(WHAT_PYTHON_VARIABLE);
}

static void expect_refused(const char *line, int code, const char *said)
{
	struct what w;

	said_begin();
	const int got = resolve(&w, line, NULL);
	assert_string_equal(said_end(), said);
	assert_int_equal(got, code);
	what_release(&w);
}

static void refused(void **state)
{
	(void)state;
	expect_refused(
		"nothing", CMD_RECORD_NOT_FOUND, "pathline: record: 'nothing': no such command\n");
	expect_refused("here", CMD_RECORD_NOT_FOUND,
		"pathline: record: 'here': no such command\n"
		"pathline: record: there is a file 'here' here; run it with: pathline record "
		"python3 here\n");
	expect_refused("plain", CMD_RECORD_NO_EXEC,
		"pathline: record: 'plain' cannot be executed: Permission denied\n");
	expect_refused("-m", CMD_USAGE, "pathline: record: -m needs an argument\n");
	expect_refused("-X dev", CMD_USAGE,
		"pathline: record: unknown option '-X'; options of Python go to it: pathline "
		"record "
		"python3 -X …\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_python),
		cmocka_unit_test(commands),
		cmocka_unit_test(another_python),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
