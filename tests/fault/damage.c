/* Damage to a real recording: `test-damage DIRECTORY ROUNDS SEED`. Built with ASan and UBSan.
 *
 * A checksum of the record finds each changed byte, so what is behind it is never asked. Bytes in
 * the sections of blocks, which hold the values, are changed once more with the checksum made
 * right: the path is then what it was, and what is read of the values is safe, or said to be
 * damaged. */
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

static void load_all(struct maker *m)
{
	char name[FILE_NAME_MAX];

	*m = (struct maker){.files.ops = &maker_ops};
	assert_true(load(&m->meta, "meta"));
	for (uint32_t i = 0; i < MAKER_SEGMENTS; i++) {
		file_name(i + 1, name);
		m->there[i] = load(&m->segments[i], name);
	}
	assert_true(m->there[0]);
}

static void test_real(void **state)
{
	struct maker m;
	(void)state;

	load_all(&m);
	damage_rounds(&m, rounds, seed);
	maker_release(&m);
}

/* A block with sections, in the first segment. */
struct sections {
	size_t at, begin, stored; /* of the record; of the sections, and their bytes */
};

static size_t find_sections(const struct pl_buf *b, struct sections *found, size_t max)
{
	struct pl_view v = buf_view(b);
	struct record record = {0};
	bool cut;
	size_t n = 0;

	for (size_t at = 0; n < max && record_read(&v, &record, &cut) == 0; at = b->used - v.left) {
		struct pl_view front = record.payload;
		struct block_head head;
		struct block_sections sections;
		if (record.kind != RECORD_BLOCK || block_read_head(front, &head) ||
			!(head.flags & BLOCK_SECTIONS))
			continue;
		front.at += BLOCK_HEAD_BYTES;
		front.left -= BLOCK_HEAD_BYTES;
		if (block_read_sections(front, &sections) || !sections.stored)
			continue;
		const size_t begin = (size_t)(front.at - b->at) + sections.table;
		found[n++] = (struct sections){at, begin, sections.stored};
	}
	return n;
}

/* The record anew, so that its checksum is that of the changed bytes. */
static void mend(struct pl_buf *b, size_t at)
{
	struct pl_view v = view_of(b->at + at, b->used - at);
	struct record_head head = {0};
	struct pl_buf record = {0};
	bool cut;

	assert_int_equal(record_read_head(v, &head, &cut), 0);
	record_write(&record, head.kind, view_of(v.at + RECORD_HEAD_BYTES, head.stored), NULL, 0);
	assert_int_equal(record.used, RECORD_HEAD_BYTES + (size_t)head.stored);
	memcpy(b->at + at, record.at, record.used);
	buf_release(&record);
}

static void damage_section(struct pl_buf *b, const struct sections *of, struct random *random)
{
	for (uint32_t n = 1 + random_below(random, 4); n; n--) {
		const size_t at = of->begin + random_below(random, (uint32_t)of->stored);
		b->at[at] ^= (uint8_t)(1 + random_below(random, 255));
	}
	mend(b, of->at);
}

#define BLOCKS_MAX 64

static void test_sections(void **state)
{
	struct sections found[BLOCKS_MAX] = {0};
	struct pl_buf whole = {0}, path = {0}, before = {0};
	struct random random = {.state = seed};
	struct maker m;
	bool seen;
	(void)state;

	load_all(&m);
	struct pl_buf *b = &m.segments[0];
	const size_t n = find_sections(b, found, BLOCKS_MAX);
	assert_true(damage_read_rows(&m, &whole, false, &seen) && !seen);
	buf_put(&before, b->at, b->used);
	for (uint32_t i = 0; n && i < rounds; i++) {
		damage_section(b, &found[random_below(&random, (uint32_t)n)], &random);
		damage_read_rows(&m, &path, false, &seen);
		if (path.used != whole.used || memcmp(path.at, whole.at, whole.used) != 0)
			fail_msg("round %u: values that are damaged changed the path", i);
		damage_read_rows(&m, &path, true, &seen);
		memcpy(b->at, before.at, before.used);
	}
	if (n)
		printf("%zu blocks with sections\n", n);
	buf_release(&before);
	buf_release(&path);
	buf_release(&whole);
	maker_release(&m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real), cmocka_unit_test(test_sections)};

	if (argc != 4)
		return fprintf(stderr, "usage: %s DIRECTORY ROUNDS SEED\n", argv[0]), 2;
	directory = argv[1];
	rounds = (uint32_t)strtoul(argv[2], NULL, 10);
	seed = strtoull(argv[3], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
