/* Our two variables: how they are found, taken out and handed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "preload/env.h"
#include "preload/preload.h"
#include "preload/slot.h"

#define OWN "/lib/pathline-preload.so"

/* What env.c asks of the others. */
struct preload preload = {.own_path = OWN, .arena_path = "/dev/shm/a"};
static bool hands_on = true;

bool preload_hands_on(void)
{
	return hands_on;
}

uint32_t slot_number(void)
{
	return 4711;
}

/* Take ours out of the environment of these words; the last is NULL. */
static void taken(const char *const *words, const char *const *left)
{
	char room[8][128], *env[9] = {0};
	size_t n = 0;

	for (; words[n]; n++)
		env[n] = strcpy(room[n], words[n]);
	env_take(env, OWN);
	for (n = 0; left[n]; n++) {
		assert_non_null(env[n]);
		assert_string_equal(env[n], left[n]);
	}
	assert_null(env[n]);
}

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define NO_WORDS                                                                                   \
	(const char *const[])                                                                      \
	{                                                                                          \
		NULL                                                                               \
	}

static void take(void **state)
{
	(void)state;
	taken(WORDS("A=1", "LD_PRELOAD=user.so", "B=2", "LD_PRELOAD=" OWN ":user.so",
		      "PATHLINE_ARENA=/dev/shm/a:3"),
		WORDS("A=1", "LD_PRELOAD=user.so", "B=2"));
	taken(WORDS("LD_PRELOAD=" OWN, "PATHLINE_ARENA=x"), NO_WORDS);
	taken(WORDS("LD_PRELOAD=" OWN ":", "A=1"), WORDS("LD_PRELOAD=", "A=1"));
	taken(WORDS("LD_PRELOAD=" OWN ":user.so"), WORDS("LD_PRELOAD=user.so"));
	taken(WORDS("LD_PRELOAD=user.so " OWN), WORDS("LD_PRELOAD=user.so"));
	taken(WORDS("LD_PRELOAD=" OWN ".not"), WORDS("LD_PRELOAD=" OWN ".not"));
	taken(WORDS("XPATHLINE_ARENA=x"), WORDS("XPATHLINE_ARENA=x"));
}

/* /proc/self/environ shows the memory of what was taken out. */
static void taken_is_wiped(void **state)
{
	char arena[] = "PATHLINE_ARENA=secret", *env[] = {arena, NULL};

	(void)state;
	env_take(env, OWN);
	for (size_t i = 0; i < sizeof arena; i++)
		assert_int_equal(arena[i], 0);
}

static void find(void **state)
{
	char arena[16];

	(void)state;
	env_find((char *[]){"A=1", "PATHLINE_ARENA=/dev/shm/a:3", NULL}, arena, sizeof arena);
	assert_string_equal(arena, "/dev/shm/a:3");
	env_find((char *[]){"PATHLINE_ARENA=too long for its room", NULL}, arena, sizeof arena);
	assert_string_equal(arena, "");
	env_find((char *[]){NULL}, arena, sizeof arena);
	assert_string_equal(arena, "");
}

static void build(char *const given[], const char *const *expected)
{
	struct env_plan plan;

	assert_true(env_plan(&plan, given));
	char *space = malloc(plan.bytes);
	assert_non_null(space);
	char **env = env_build(&plan, space);
	size_t n = 0;
	for (; expected[n]; n++) {
		assert_non_null(env[n]);
		assert_string_equal(env[n], expected[n]);
	}
	assert_null(env[n]);
	free(space);
}

/* The sanitizers see a byte too many. */
static void hand_on(void **state)
{
	(void)state;
	build((char *[]){"A=1", NULL},
		WORDS("A=1", "LD_PRELOAD=" OWN, "PATHLINE_ARENA=/dev/shm/a:4711"));
	build((char *[]){"LD_PRELOAD=user.so", "B=2", NULL},
		WORDS("LD_PRELOAD=user.so", "B=2", "LD_PRELOAD=" OWN ":user.so",
			"PATHLINE_ARENA=/dev/shm/a:4711"));
	build((char *[]){"LD_PRELOAD=libasan.so.8", NULL},
		WORDS("LD_PRELOAD=libasan.so.8", "LD_PRELOAD=libasan.so.8:" OWN,
			"PATHLINE_ARENA=/dev/shm/a:4711"));
	build(NULL, WORDS("LD_PRELOAD=" OWN, "PATHLINE_ARENA=/dev/shm/a:4711"));
}

static void nothing_to_add(void **state)
{
	static char *many[ENV_COUNT_MAX + 2];
	static char user[5000];
	struct env_plan plan;

	(void)state;
	assert_false(env_plan(&plan, (char *[]){"PATHLINE_ARENA=of another", NULL}));
	for (size_t i = 0; i < ENV_COUNT_MAX + 1; i++)
		many[i] = "A=1";
	assert_false(env_plan(&plan, many));
	many[ENV_COUNT_MAX] = NULL;
	assert_true(env_plan(&plan, many));
	memset(user, 'x', sizeof user - 1);
	memcpy(user, "LD_PRELOAD=", 11);
	assert_false(env_plan(&plan, (char *[]){user, NULL}));
	hands_on = false;
	assert_false(env_plan(&plan, (char *[]){"A=1", NULL}));
	hands_on = true;
}

#define NATIVE "/lib/pathline-native.so"

/* The hooks of native functions come and go with ours. */
static void take_native(void **state)
{
	(void)state;
	strcpy(preload.native_path, NATIVE);
	assert_true(env_has_native((char *[]){"A=1", "LD_PRELOAD=" OWN ":" NATIVE, NULL}, NATIVE));
	assert_false(env_has_native((char *[]){"A=1", "LD_PRELOAD=" OWN, NULL}, NATIVE));
	taken(WORDS("LD_PRELOAD=" OWN ":" NATIVE ":user.so"), WORDS("LD_PRELOAD=user.so"));
	taken(WORDS("LD_PRELOAD=" OWN ":" NATIVE), NO_WORDS);
	taken(WORDS("LD_PRELOAD=" OWN ":" NATIVE ":"), WORDS("LD_PRELOAD="));
	preload.native_path[0] = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(take),
		cmocka_unit_test(take_native),
		cmocka_unit_test(taken_is_wiped),
		cmocka_unit_test(find),
		cmocka_unit_test(hand_on),
		cmocka_unit_test(nothing_to_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
