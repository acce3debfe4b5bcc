/* A recording that is gone on with: also while somebody cuts its files short. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>
#include "collector/store.h"

#define LEFT 8192 /* of a file that is cut: whole pages, so that what is after them is not there */

static const char *cut_path; /* is cut when its length has just been asked for; NULL: none */

/* os_fstat asks by this (os/stat.h). */
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long words[6];
	struct stat its;
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	long result = real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
	if (number == SYS_fstat && result == 0 && cut_path && stat(cut_path, &its) == 0 &&
		its.st_ino == ((const struct stat *)words[1])->st_ino &&
		truncate(cut_path, LEFT) < 0)
		return -1;
	return result;
}

struct world {
	char directory[64], meta[80], segment[80];
	struct store store;
};

static int open_directory(const struct world *w)
{
	return open(w->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put(struct store *s, uint8_t byte)
{
	uint8_t bytes[200];
	struct pl_buf b = {0};

	memset(bytes, byte, sizeof bytes);
	buf_put(&b, bytes, sizeof bytes);
	store_put(s, RECORD_STRINGS, &b);
	if (byte % 2)
		store_block(s, &b, 0);
	buf_release(&b);
}

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	snprintf(w->directory, sizeof w->directory, "/tmp/pathline-unit-XXXXXX");
	if (!mkdtemp(w->directory))
		return -1;
	snprintf(w->meta, sizeof w->meta, "%s/meta", w->directory);
	snprintf(w->segment, sizeof w->segment, "%s/events.000001", w->directory);
	if (store_create(&w->store, open_directory(w), 0) < 0)
		return -1;
	for (int i = 0; i < 200; i++)
		put(&w->store, (uint8_t)i);
	store_flush(&w->store);
	store_close(&w->store);
	*state = w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	cut_path = NULL;
	store_close(&w->store);
	unlink(w->meta);
	unlink(w->segment);
	rmdir(w->directory);
	free(w);
	return 0;
}

/* Records of a file from its start on, as far as they are sound; *bytes: how far that is. */
static unsigned count_records(const char *path, uint64_t *bytes)
{
	static uint8_t all[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, all, sizeof all);
	struct pl_view v = view_of(all, n > 0 ? (size_t)n : 0);
	struct record r;
	unsigned count = 0;
	bool cut;

	close(fd);
	while (record_read(&v, &r, &cut) == 0)
		count++;
	*bytes = (uint64_t)n - v.left;
	return count;
}

static void goes_on_after_the_last_sound_record(void **state)
{
	struct world *w = *state;
	uint64_t bytes;

	assert_int_equal(truncate(w->meta, LEFT + 1), 0);
	unsigned before = count_records(w->meta, &bytes);
	assert_true(bytes < LEFT + 1);
	assert_int_equal(store_reopen(&w->store, open_directory(w), 0), 0);
	assert_int_equal(w->store.meta_bytes, bytes);
	store_end(&w->store, 7, true);
	store_close(&w->store);
	assert_int_equal(count_records(w->meta, &bytes), before + 1);
}

/* Opens the store while the file is cut; gives how far its sound records reach. */
static uint64_t reopen_cutting(struct world *w, const char *path)
{
	uint64_t bytes;

	cut_path = path;
	assert_int_equal(store_reopen(&w->store, open_directory(w), 0), 0);
	cut_path = NULL;
	assert_true(count_records(path, &bytes) > 10);
	assert_true(bytes <= LEFT);
	return bytes;
}

static void meta_is_cut_while_it_is_read(void **state)
{
	struct world *w = *state;
	uint64_t bytes = reopen_cutting(w, w->meta);

	assert_int_equal(w->store.meta_bytes, bytes);
}

static void a_segment_is_cut_while_it_is_read(void **state)
{
	struct world *w = *state;
	uint64_t bytes = reopen_cutting(w, w->segment);

	assert_int_equal(w->store.last_segment, 1);
	assert_int_equal(w->store.segment_sizes[0], bytes);
}

/* ---- what is old ---- */

#define HOUR_NS ((int64_t)3600 * 1000000000)

/* The largest sum of what is on disk, and the oldest block that was there, over so many hours, in
 * each of which a block is written. As blocks_make_room does it. */
static void write_hours(struct store *s, int64_t hours, uint64_t *most, int64_t *oldest_ns)
{
	uint8_t bytes[3000] = {0};
	struct pl_buf b = {0};

	buf_put(&b, bytes, sizeof bytes);
	for (int64_t hour = 1; hour <= hours; hour++) {
		s->now_ns = hour * HOUR_NS;
		while (store_over(s, b.used))
			store_drop_oldest(s);
		assert_int_equal(store_block(s, &b, 1), 0);
		*most = store_bytes(s) > *most ? store_bytes(s) : *most;
		const int64_t age_ns = s->now_ns - s->segment_written_ns[0];
		*oldest_ns = age_ns > *oldest_ns ? age_ns : *oldest_ns;
	}
	buf_release(&b);
}

static void remove_segments(const struct world *w, const struct store *s)
{
	char name[STORE_NAME_MAX], path[128];

	for (uint32_t n = 1; n <= s->last_segment; n++) {
		store_segment_name(n, name);
		snprintf(path, sizeof path, "%s/%s", w->directory, name);
		assert_int_equal(unlink(path) == 0, n >= s->first_segment);
	}
}

/* Three years, of which 30 days are kept; then the same with a limit that is reached before. */
static void old_segments_go(void **state)
{
	struct world *w = *state;
	const uint64_t limits[] = {0, 1 << 20};

	for (int i = 0; i < 2; i++) {
		uint64_t most = 0;
		int64_t oldest_ns = 0;
		unlink(w->meta);
		unlink(w->segment);
		assert_int_equal(store_create(&w->store, open_directory(w), limits[i]), 0);
		w->store.keep_ns = 30 * 24 * HOUR_NS;
		write_hours(&w->store, 3 * 365 * 24, &most, &oldest_ns);
		assert_true(oldest_ns <= 30 * 24 * HOUR_NS);
		if (limits[i])
			assert_true(most <= limits[i] && oldest_ns < 15 * 24 * HOUR_NS);
		else
			assert_true(most < 33 * 24 * 3200 && oldest_ns > 27 * 24 * HOUR_NS);
		remove_segments(w, &w->store);
		store_close(&w->store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(goes_on_after_the_last_sound_record, begin, end),
		cmocka_unit_test_setup_teardown(meta_is_cut_while_it_is_read, begin, end),
		cmocka_unit_test_setup_teardown(a_segment_is_cut_while_it_is_read, begin, end),
		cmocka_unit_test_setup_teardown(old_segments_go, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
