/* The words and the directory of a running program. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmd/attach_words.h"

/* Those of this test itself: it was started with none, or with a runner's. */
static void own_words(void **state)
{
	struct attach_words w = {.here = ""};
	char here[PATH_MAX];

	(void)state;
	attach_words_read(&w, (int)getpid());
	assert_non_null(getcwd(here, sizeof here));
	assert_string_equal(w.here, here);
	assert_null(w.words[ATTACH_WORDS_MAX]);
	attach_words_release(&w);
	assert_null(w.words[0]);
}

/* Of a child whose words are known: a script is named from its directory. */
static void of_a_child(void **state)
{
	struct attach_words w = {.here = ""};
	char name[PATH_MAX + 16];
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	const pid_t child = fork();
	if (child == 0) {
		dup2(pair[0], 0);
		close(pair[1]);
		execl("/bin/sh", "python", "-c", "read line", "app.py", "/abs.py", (char *)NULL);
		_exit(1);
	}
	close(pair[0]);
	/* until it is the other program */
	for (int i = 0; i < 10000 && (!w.words[0] || strcmp(w.words[0], "-c")); i++) {
		attach_words_release(&w);
		attach_words_read(&w, (int)child);
		usleep(1000);
	}
	assert_string_equal(w.words[0], "-c");
	snprintf(name, sizeof name, "%s/app.py", w.here);
	assert_string_equal(w.words[2], name);
	assert_string_equal(w.words[3], "/abs.py");
	assert_null(w.words[4]);
	attach_words_release(&w);
	close(pair[1]);
	waitpid(child, NULL, 0);
}

static void nobody(void **state)
{
	struct attach_words w = {.here = "x"};

	(void)state;
	attach_words_read(&w, -1);
	assert_string_equal(w.here, "");
	assert_null(w.words[0]);
	attach_words_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_words),
		cmocka_unit_test(of_a_child),
		cmocka_unit_test(nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
