/* The commands of stops, as words: which stop is meant, and what is not understood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/lib/commands.h"

static void lines(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_goes(&x, "j #4", 0, 4);
	scene_says(&x, "b", "stop 1: b a.py:11"); /* the position's own line */
	scene_says(&x, "b 12", "stop 2: b a.py:12");
	scene_says(&x, "b a.py:12", "removed 2: b a.py:12"); /* the same one */
	scene_says(&x, "b a.py:12 if hits == 2", "stop 3: b a.py:12 if hits == 2");
	scene_says(&x, "tbreak 13", "stop 4: tbreak a.py:13");
	assert_true(x.s->replay.stops.rows[2].once);
	scene_denies(&x, "b 0", "not a line number: 0; try b N or b file:N");
	scene_denies(&x, "b a.py:99999999999",
		"not a line number: a.py:99999999999; "
		"try b N or b file:N");
	scene_close(&x);
}

/* What is no number is a function. */
static void functions(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_says(&x, "b book", "stop 1: b book");
	assert_int_equal(x.s->replay.stops.rows[0].kind, STOP_CALL);
	scene_says(&x, "w book", "stop 2: w book");
	assert_int_equal(x.s->replay.stops.rows[1].kind, STOP_ENTRY);
	scene_denies(
		&x, "b book if hits == 2", "hits are counted for lines only; try b N if hits == K");
	scene_denies(&x, "w", "w needs the name of a function; bt shows where the position is");
	scene_says(&x, "x SoldOut", "stop 3: x SoldOut");
	scene_says(&x, "x", "stop 4: x"); /* any */
	scene_says(&x, "B", "1: b book; 2: w book; 3: x SoldOut; 4: x");
	scene_close(&x);
}

/* After "if", or as pdb has it, after a comma. */
static void conditions(void **state)
{
	struct scene x;

	(void)state;
	scene_open_values(&x);
	scene_says(&x, "b 32 if n > 5", "stop 1: b a.py:32 if n > 5");
	scene_says(&x, "b 33, n > 5", "stop 2: b a.py:33 if n > 5");
	scene_says(&x, "w add if n > 5", "stop 3: w add if n > 5");
	scene_denies(&x, "b 32 if n >",
		"if: at column 4: it ends where a field, a number or a text is missing");
	scene_denies(&x, "b 32 if hits > 2",
		"not understood: b 32 if hits > 2; try b N, b file:N, b function, b N if hits == "
		"K");
	scene_close(&x);
	scene_open(&x);
	scene_denies(&x, "b 12 if n > 5",
		"this recording has the path, not the values of variables; b N if hits == K stops "
		"at that hit");
	scene_close(&x);
}

static void clear(void **state)
{
	struct scene x;

	(void)state;
	scene_open(&x);
	scene_says(&x, "B", "there is no stop");
	scene_says(&x, "clear", "there is no stop");
	scene_says(&x, "b book", "stop 1: b book");
	scene_says(&x, "b 12", "stop 2: b a.py:12");
	scene_says(&x, "clear 1", "removed 1: b book; left: 2: b a.py:12");
	scene_denies(&x, "clear 1", "there is no stop 1; B lists them");
	scene_denies(&x, "clear book", "there is no stop book; B lists them");
	scene_says(&x, "clear 2", "removed 2: b a.py:12; no stop is left");
	scene_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(functions),
		cmocka_unit_test(conditions),
		cmocka_unit_test(clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
