/* Damage to a real recording: `test-damage DIRECTORY ROUNDS SEED`. Built with ASan and UBSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "tests/lib/damage.h"

static const char *directory;
static uint32_t rounds;
static uint64_t seed;

static bool load(struct pl_buf *b, const char *name)
{
	char path[4096], part[65536];
	size_t n;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *f = fopen(path, "rb");
	if (!f)
		return false;
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_put(b, part, n);
	fclose(f);
	return true;
}

static void test_real(void **state)
{
	struct maker m = {.files.ops = &maker_ops};
	char name[FILE_NAME_MAX];
	(void)state;

	assert_true(load(&m.meta, "meta"));
	for (uint32_t i = 0; i < MAKER_SEGMENTS; i++) {
		file_name(i + 1, name);
		m.there[i] = load(&m.segments[i], name);
	}
	assert_true(m.there[0]);
	damage_rounds(&m, rounds, seed);
	maker_release(&m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_real)};

	if (argc != 4)
		return fprintf(stderr, "usage: %s DIRECTORY ROUNDS SEED\n", argv[0]), 2;
	directory = argv[1];
	rounds = (uint32_t)strtoul(argv[2], NULL, 10);
	seed = strtoull(argv[3], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
