/* What is put into the process's stream for the collector: whole messages, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/buf.h"
#include "format/message.h"
#include "pathline/event.h"
#include "recorder/message.h"
#include "recorder/root.h"
#include "recorder/thread.h"
#include "ring/ring.h"

struct recorder_root root;
__thread struct thread *self;

static uint8_t put[256];
static size_t put_bytes;
static int put_times;
static bool is_full;

bool ring_put(struct ring_writer *w, const void *bytes, size_t n, uint64_t now_ticks)
{
	assert_ptr_equal(w, &root.messages);
	assert_true(now_ticks > 0 && n <= sizeof put);
	put_times++;
	if (is_full)
		return false;
	memcpy(put, bytes, n);
	put_bytes = n;
	return true;
}

static int setup(void **state)
{
	(void)state;
	root = (struct recorder_root){.clock = CLOCK_MONO};
	put_bytes = put_times = 0;
	is_full = false;
	return 0;
}

/* Its length counts what follows it. */
static struct pl_view fields_of(uint8_t kind)
{
	struct pl_view v = view_of(put, put_bytes);
	uint32_t length;
	uint8_t of;

	assert_int_equal(view_u32(&v, &length), 0);
	assert_int_equal(length, v.left);
	assert_int_equal(view_u8(&v, &of), 0);
	assert_int_equal(of, kind);
	return v;
}

static void expect_number(struct pl_view *v, uint64_t number)
{
	uint64_t is;

	assert_int_equal(view_varint(v, &is), 0);
	assert_true(is == number);
}

static void expect_text(struct pl_view *v, const char *text)
{
	struct pl_view is;

	assert_int_equal(view_string(v, &is), 0);
	assert_int_equal(is.left, strlen(text));
	assert_memory_equal(is.at, text, is.left);
}

static void it_is_put_whole(void **state)
{
	struct pl_buf fields = {0};

	(void)state;
	buf_put(&fields, "abc", 3);
	assert_true(message_put(MESSAGE_STRING, &fields));
	assert_int_equal(put_times, 1); /* a reader never finds half of one */
	assert_int_equal(put_bytes, 4 + 1 + 3);
	struct pl_view v = fields_of(MESSAGE_STRING);
	assert_memory_equal(v.at, "abc", 3);
	buf_reset(&fields);
	assert_true(message_put(MESSAGE_NOTE, &fields));
	assert_int_equal(fields_of(MESSAGE_NOTE).left, 0);
	buf_release(&fields);
}

static void without_room_it_says_so(void **state)
{
	struct pl_buf fields = {0};

	(void)state;
	is_full = true;
	buf_put(&fields, "abc", 3);
	assert_false(message_put(MESSAGE_STRING, &fields));
	is_full = false;
	assert_true(message_put(MESSAGE_STRING, &fields));
	assert_int_equal(put_bytes, 8); /* nothing is left of the first */
	buf_release(&fields);
}

/* Fields for which there was no memory are not sent cut. */
static void failed_fields_are_not_sent(void **state)
{
	struct pl_buf fields = {0};

	(void)state;
	buf_put(&fields, "abc", 3);
	fields.failed = true;
	assert_false(message_put(MESSAGE_STRING, &fields));
	assert_int_equal(put_times, 0);
	buf_release(&fields);
}

static void of_a_process(void **state)
{
	struct process_slot slot = {.number = 3, .parent = 2, .pid = 4000, .start_ticks = 12345};

	(void)state;
	root.slot = &slot;
	buf_put(&root.command, "python x", 8);
	buf_put(&root.executable, "/bin/python", 11);
	buf_put(&root.interpreter, "3.13", 4);
	buf_put(&root.stdlib_dir, "/lib", 4);
	message_process(HOW_FORK);
	struct pl_view v = fields_of(MESSAGE_PROCESS);
	expect_number(&v, 3);
	expect_number(&v, 2);
	expect_number(&v, 4000);
	expect_number(&v, HOW_FORK);
	expect_number(&v, 12345);
	expect_text(&v, "python x");
	expect_text(&v, "/bin/python");
	expect_text(&v, "3.13");
	expect_text(&v, "/lib");
	assert_int_equal(v.left, 0);
	buf_release(&root.command);
	buf_release(&root.executable);
	buf_release(&root.interpreter);
	buf_release(&root.stdlib_dir);
}

static void of_a_thread(void **state)
{
	const struct thread t = {.number = 7, .native_id = 4001, .time_ticks = 99};

	(void)state;
	message_thread(&t, "worker-1", 6);
	struct pl_view v = fields_of(MESSAGE_THREAD);
	expect_number(&v, 7);
	expect_number(&v, 4001);
	expect_number(&v, 99);
	expect_text(&v, "worker");
	assert_int_equal(v.left, 0);
}

static void of_what_went_wrong(void **state)
{
	(void)state;
	message_note(PL_GAP_TOOLS, "no tool id");
	struct pl_view v = fields_of(MESSAGE_NOTE);
	expect_number(&v, PL_GAP_TOOLS);
	expect_text(&v, "no tool id");
	assert_int_equal(v.left, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_is_put_whole, setup),
		cmocka_unit_test_setup(without_room_it_says_so, setup),
		cmocka_unit_test_setup(failed_fields_are_not_sent, setup),
		cmocka_unit_test_setup(of_a_process, setup),
		cmocka_unit_test_setup(of_a_thread, setup),
		cmocka_unit_test_setup(of_what_went_wrong, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
