#include "base/loops.h"

#include <stddef.h>
#include <string.h>

/* Those that wait for a loop. `function` NULL: the whole module only does that. */
static const struct waiter {
	const char *module; /* a part of its path; "": any */
	const char *function;
} waiters[] = {
	{"", "_run_once"}, /* of asyncio, and of what replaces its loop */
	{"/socketserver.py", "serve_forever"},
	{"/socketserver.py", "handle_request"},
	{"/trio/_core/_io_", NULL},
	{"/curio/kernel.py", NULL},
	{"/twisted/internet/", "doPoll"},
	{"/eventlet/hubs/", NULL},
	{"/gunicorn/workers/gthread.py", NULL},
	{"/kombu/utils/eventio.py", NULL},
};
static const struct waiter passes[] = {
	{"", "_run_once"},
	{"/trio/_core/_run.py", "unrolled_run"},
};
/* Parts of the last two names of a library's path. */
static const char *const libraries[] = {"loop", "gevent", "libuv", "libev", NULL};

bool loops_selects(const char *function)
{
	return !strcmp(function, "select");
}

static bool is_one_of(
	const struct waiter *rows, size_t count, const char *file, const char *function)
{
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &rows[i];
		if ((!w->function || !strcmp(function, w->function)) && strstr(file, w->module))
			return true;
	}
	return false;
}

bool loops_run(const char *file, const char *function)
{
	return is_one_of(waiters, sizeof waiters / sizeof *waiters, file, function);
}

bool loops_pass(const char *file, const char *function)
{
	return is_one_of(passes, sizeof passes / sizeof *passes, file, function);
}

bool loops_library(const char *path)
{
	const char *end = path + strlen(path);

	for (int names = 0; end > path && names < 2; names += *end == '/')
		end--;
	for (size_t i = 0; libraries[i]; i++)
		if (strstr(end, libraries[i]))
			return true;
	return false;
}
