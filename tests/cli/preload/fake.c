/* What the preload sees of an interpreter, and nothing more: a version, and audit hooks that hear
 * of a program's start. In place of the builds that cannot be had here.
 *
 *	preload-fake VERSION        with FAKE_DEBUG: a build with Py_REF_DEBUG; with FAKE_PYPY: PyPy
 */
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

#ifdef FAKE_PYPY
EXPORT void pypy_main_startup(void);
void pypy_main_startup(void)
{
}

int main(void)
{
	puts("ran");
	return 3;
}
#else
typedef int hook_function(const char *event, void *arguments, void *data);

static hook_function *hook;
static void *hook_data;
static const char *version = "no version yet";

EXPORT const char *Py_GetVersion(void);
EXPORT int PySys_AddAuditHook(hook_function *function, void *data);

const char *Py_GetVersion(void)
{
	return version;
}

int PySys_AddAuditHook(hook_function *function, void *data)
{
	hook = function;
	hook_data = data;
	return 0;
}

#ifdef FAKE_DEBUG
EXPORT void _Py_NegativeRefcount(void);
void _Py_NegativeRefcount(void)
{
}
#endif

int main(int count, char **words)
{
	version = count > 1 ? words[1] : version;
	if (hook)
		hook("cpython.run_file", NULL, hook_data);
	puts("ran");
	return 3;
}
#endif
