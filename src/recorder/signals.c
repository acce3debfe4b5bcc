/* Fatal signals: the thread that dies first says where it is; then happens what would have
 * happened.
 *
 * The handler writes into its own thread's ring and calls nothing that can block. It is installed
 * only where the default, or an earlier handler, would have run; a later one (faulthandler) calls
 * it.
 */
#define _GNU_SOURCE
#include "recorder/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "format/event.h"
#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/root.h"
#include "recorder/shadow.h"
#include "recorder/shadow_frames.h"
#include "recorder/switch.h"
#include "recorder/thread.h"
#include "ring/ring.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define FATAL_COUNT (sizeof fatal / sizeof *fatal)
static struct sigaction before[FATAL_COUNT];

/* Async-signal-safe: it reads memory and writes into the ring. The bytes of an event that was being
 * written are overwritten: it was not committed. Only a frame that is on the shadow stack is
 * looked into; what the interpreter has as its current one may be half made. */
static void write_stop(int number)
{
	struct thread *t = self;
	uint32_t unit = 0;

	if (!t || !t->ring.chunk ||
		t->ring.at >= t->ring.chunk->bytes + CHUNK_ROOM - 2 * EVENT_BYTES_MAX)
		return;
	PyThreadState *ts = current_thread_state();
	py_frame *f = ts ? current_frame(ts) : NULL;
	if (root.filters && f)
		f = frame_recorded(frame_of_python(f));
	uint32_t place = f ? shadow_find(&t->shadow, f) : 0;
	uint8_t *p = t->ring.at;
	/* Another activation lies there, which has told nothing: it is not known where that
	 * stands. */
	if (place > 1 && !entry_is_true(t, place, f)) {
		place--;
		f = NULL;
	}
	if (place && f)
		unit = frame_unit(f, frame_code(f)) + 1;
	if (t->owes && !(place == t->shadow.depth && unit == t->owes)) /* it has gone on since */
		p = thread_write_owed(t, p);
	if (place && place < t->shadow.depth) /* those above it returned without an event */
		p = event_write1(p, EVENT_POPS, t->shadow.depth - place);
	ring_commit(&t->ring, event_write2(p, EVENT_STOP, (uint64_t)number, unit));
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
	size_t i = 0;

	while (i < FATAL_COUNT - 1 && fatal[i] != number)
		i++;
	if (!root.forked && root.slot) {
		write_stop(number);
		atomic_store(&root.slot->end_code, (uint32_t)number);
		atomic_store(&root.slot->end, SLOT_END_SIGNAL);
	}
	sigaction(number, &before[i], NULL);
	if (before[i].sa_flags & SA_SIGINFO)
		before[i].sa_sigaction(number, info, context);
	else if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN)
		before[i].sa_handler(number);
	else /* blocked until we return; then the default takes the process, with its core */
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), number);
}

/* A handler that calls ours stays, and so does ours. */
void signals_remove(void)
{
	struct sigaction now;

	for (size_t i = 0; i < FATAL_COUNT; i++)
		if (sigaction(fatal[i], NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
			now.sa_sigaction == on_fatal)
			sigaction(fatal[i], &before[i], NULL);
}

/* On the alternate stack where the program has one: an overflow of the stack is a SIGSEGV. */
void signals_install(void)
{
	struct sigaction mine = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&mine.sa_mask);
	for (size_t i = 0; i < FATAL_COUNT; i++) {
		if (sigaction(fatal[i], NULL, &before[i]) < 0)
			continue;
		if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_IGN)
			continue;
		sigaction(fatal[i], &mine, NULL);
	}
}
