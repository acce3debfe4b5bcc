/* Which functions and libraries wait as an event loop, and which only wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/loops.h"

static void functions(void **state)
{
	(void)state;
	assert_true(loops_run("/usr/lib/python3.11/asyncio/base_events.py", "_run_once"));
	assert_true(loops_run("/usr/lib/python3.11/socketserver.py", "serve_forever"));
	assert_true(loops_run("x/trio/_core/_io_epoll.py", "get_events"));
	assert_false(loops_run("/usr/lib/python3.11/subprocess.py", "_communicate"));
	assert_false(loops_run("/usr/lib/python3.11/multiprocessing/connection.py", "wait"));
	assert_false(loops_run("/home/me/loop/own.py", "handler"));
	assert_true(loops_pass("/usr/lib/python3.11/asyncio/base_events.py", "_run_once"));
	assert_true(loops_pass("x/trio/_core/_run.py", "unrolled_run"));
	assert_false(loops_pass("/home/me/run.py", "unrolled_run"));
	assert_true(loops_selects("select"));
	assert_false(loops_selects("poll"));
}

static void shared_libraries(void **state)
{
	(void)state;
	assert_true(loops_library("/site-packages/uvloop/loop.cpython-311-x86_64-linux-gnu.so"));
	assert_true(loops_library("/site-packages/gevent/libev/corecext.cpython-311.so"));
	assert_true(loops_library("libuv.so.1"));
	assert_false(loops_library("/home/me/loop/lib/python3.11/lib-dynload/select.so"));
	assert_false(loops_library("/usr/bin/python3.11"));
	assert_false(loops_library("grpc/_cython/cygrpc.so"));
	assert_false(loops_library(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(shared_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
