/* What the kernel's programs give, as the fields that a recording describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <cmocka.h>
#include "base/varint.h"
#include "source/kernel_rows.h"

static struct kernel_call calls[KERNEL_CALLS];

static int set_up(void **state)
{
	(void)state;
	kernel_rows_begin();
	kernel_rows_calls(calls);
	return 0;
}

static void expect_text(struct pl_view *v, const char *expected)
{
	struct pl_view text = {0};

	assert_int_equal(view_string(v, &text), 0);
	assert_int_equal(text.left, strlen(expected));
	assert_memory_equal(text.at, expected, text.left);
}

static void expect_number(struct pl_view *v, uint64_t expected)
{
	uint64_t number = 0;

	assert_int_equal(view_varint(v, &number), 0);
	assert_int_equal(number, expected);
}

static void test_calls_are_known(void **state)
{
	(void)state;
	assert_int_equal(calls[__NR_openat].names, KERNEL_NAMES_PATH);
	assert_int_equal(calls[__NR_openat].argument, 1);
	assert_int_equal(calls[__NR_getpid].names, KERNEL_NAMES_NOTHING);
}

static void test_system_call(void **state)
{
	struct kernel_event e = {.kind = KERNEL_SYSCALL, .call = __NR_read + 1, .duration_ns = 500};
	struct pl_buf out = {0};

	(void)state;
	e.syscall.result = -2;
	e.syscall.arguments[0] = 3;
	e.syscall.arguments[2] = 4096;
	e.syscall.text_kind = KERNEL_TEXT_FILE;
	e.syscall.text_bytes = 5;
	memcpy(e.syscall.text, "hosts", 5);
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, __NR_read);
	expect_text(&v, "hosts");
	expect_text(&v, "fd 3 bytes 4096");
	expect_number(&v, zigzag(-2));
	expect_number(&v, 500);
	expect_number(&v, 0);
	assert_int_equal(v.left, 0);
	buf_release(&out);
}

/* A call and a length that are too large are not believed. */
static void test_hostile_call(void **state)
{
	struct kernel_event e = {.kind = KERNEL_SYSCALL, .call = UINT32_MAX};
	struct pl_buf out = {0};
	struct pl_view text = {0};

	(void)state;
	e.syscall.text_kind = KERNEL_TEXT_PATH;
	e.syscall.text_bytes = UINT32_MAX;
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, UINT32_MAX - 1);
	assert_int_equal(view_string(&v, &text), 0);
	assert_int_equal(text.left, KERNEL_TEXT_BYTES);
	expect_text(&v, "");
	buf_release(&out);
}

static void test_addresses(void **state)
{
	static const char in[] = {2, 0, 0x1f, (char)0x90, 127, 0, 0, 1};
	struct kernel_event e = {.kind = KERNEL_SYSCALL, .call = __NR_connect + 1};
	struct pl_buf out = {0};

	(void)state;
	e.syscall.arguments[0] = UINT32_MAX;
	e.syscall.text_kind = KERNEL_TEXT_ADDRESS;
	e.syscall.text_bytes = 28;
	memcpy(e.syscall.text, in, sizeof in);
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, __NR_connect);
	expect_text(&v, "127.0.0.1:8080");
	expect_text(&v, "fd -1");
	buf_release(&out);
}

static void test_off(void **state)
{
	struct kernel_event e = {.kind = KERNEL_OFF, .call = __NR_futex + 1, .duration_ns = 9};
	struct pl_buf out = {0};

	(void)state;
	e.off.state = 0x2001;
	e.off.ready_ns = 4;
	e.off.waker_pid = 7;
	e.off.waker_id = 8;
	memcpy(e.off.waker, "0123456789abcdef", sizeof e.off.waker); /* no NUL */
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, 9);
	expect_number(&v, 1);
	expect_number(&v, __NR_futex + 1);
	expect_number(&v, 4);
	expect_text(&v, "0123456789abcdef");
	expect_number(&v, 7);
	expect_number(&v, 8);
	buf_release(&out);
}

static void test_block_and_fault(void **state)
{
	struct kernel_event e = {.kind = KERNEL_BLOCK, .duration_ns = 9};
	struct pl_buf out = {0};

	(void)state;
	e.block.operation = 1;
	e.block.bytes = 4096;
	memset(e.block.disk, 'v', sizeof e.block.disk); /* no NUL */
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, 1);
	expect_text(&v, "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv");
	expect_number(&v, 4096);
	buf_reset(&out);
	e = (struct kernel_event){.kind = KERNEL_FAULT};
	e.fault.address = 0xfffffffffffff000;
	e.fault.access = KERNEL_FAULT_WRITE;
	e.fault.in_kernel = 7;
	kernel_rows_write(&out, &e);
	v = buf_view(&out);
	expect_number(&v, 1);
	expect_number(&v, 0xfffffffffffff000);
	expect_number(&v, 0);
	expect_number(&v, 1);
	buf_release(&out);
}

static void test_signal_and_net(void **state)
{
	struct kernel_event e = {.kind = KERNEL_SIGNAL, .duration_ns = 9};
	struct pl_buf out = {0};

	(void)state;
	e.signal.number = 15;
	e.signal.what = KERNEL_SIGNAL_SENT;
	memcpy(e.signal.comm, "sh", 3);
	e.signal.pid = 7;
	kernel_rows_write(&out, &e);
	struct pl_view v = buf_view(&out);
	expect_number(&v, 15);
	expect_number(&v, KERNEL_SIGNAL_SENT);
	expect_text(&v, "sh");
	expect_number(&v, 7);
	buf_reset(&out);
	e = (struct kernel_event){.kind = KERNEL_NET, .duration_ns = 9};
	memcpy(e.net.far, (char[]){2, 0, 0, 80, 127, 0, 0, 1}, 8);
	memcpy(e.net.near, (char[]){2, 0, 1, 0, 10, 0, 0, 1}, 8);
	kernel_rows_write(&out, &e);
	v = buf_view(&out);
	expect_number(&v, KERNEL_NET_CONNECTED);
	expect_text(&v, "127.0.0.1:80");
	expect_text(&v, "10.0.0.1:256");
	expect_number(&v, 9);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_are_known),
		cmocka_unit_test(test_system_call),
		cmocka_unit_test(test_hostile_call),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_block_and_fault),
		cmocka_unit_test(test_signal_and_net),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
