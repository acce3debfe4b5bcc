/* The ways to end a process without the handlers of exit(). A call of exit(), or a return from
 * main, is seen by a handler (slot.c). A process that says nothing was killed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/slot.h"

static _Noreturn void exit_now(int status)
{
	slot_exit(status);
	for (;;)
		originals()->exit_now(status);
}

PRELOAD_EXPORT void _exit(int status)
{
	exit_now(status);
}

PRELOAD_EXPORT void _Exit(int status)
{
	exit_now(status);
}

PRELOAD_EXPORT void quick_exit(int status)
{
	slot_exit(status);
	for (;;)
		originals()->quick_exit(status);
}
