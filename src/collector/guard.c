#define _GNU_SOURCE
#include "collector/guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* All that the signal handler knows. Written while the handler is not installed, except for
 * `torn`. */
static struct {
	uintptr_t begin, end; /* of the mapping; 0: none */
	uintptr_t page_bytes;
	struct sigaction before;
	volatile sig_atomic_t torn;
} guarded;

/* mmap is one system call, and needs no lock that the interrupted code may hold. */
static bool replace_from(uintptr_t page)
{
	return mmap((void *)page, guarded.end - page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		       0) != MAP_FAILED;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	bool fault = info->si_code > 0; /* else someone sent it, and si_addr is not an address */
	(void)context;

	if (fault && at >= guarded.begin && at < guarded.end &&
		replace_from(at & ~(guarded.page_bytes - 1))) {
		guarded.torn = 1;
		return;
	}
	/* It is blocked until we return; then it comes as if we had not been here. */
	sigaction(number, &guarded.before, NULL);
	raise(number);
}

void guard_begin(const struct arena *a)
{
	struct sigaction mine = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

	guard_end();
	if (!a->head)
		return;
	guarded.begin = (uintptr_t)a->head;
	guarded.end = guarded.begin + a->mapped_bytes;
	guarded.page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	guarded.torn = 0;
	sigemptyset(&mine.sa_mask);
	if (sigaction(SIGBUS, &mine, &guarded.before) < 0)
		guarded.begin = guarded.end = 0;
}

bool guard_torn(void)
{
	return guarded.torn != 0;
}

void guard_end(void)
{
	if (guarded.end)
		sigaction(SIGBUS, &guarded.before, NULL);
	guarded.begin = guarded.end = 0;
	guarded.torn = 0;
}
