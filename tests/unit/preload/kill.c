/* Which signals certainly end the process, so that it writes first where it is. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "preload/preload.h"
#include "preload/slot.h"

static int killed_times, sent_times, sent_number, killed_when_sent;
static pid_t sent_to;

void slot_killed(void)
{
	killed_times++;
	errno = EBADF; /* whatever it does */
}

static int sends_to(pid_t target, int number)
{
	sent_times++;
	sent_to = target;
	sent_number = number;
	killed_when_sent = killed_times;
	return 17;
}

static int sends(int number)
{
	return sends_to(-1, number);
}

const struct originals *originals(void)
{
	static const struct originals fake = {.kill = sends_to, .killpg = sends_to, .raise = sends};

	return &fake;
}

static int setup(void **state)
{
	sigset_t none;

	(void)state;
	killed_times = sent_times = sent_number = killed_when_sent = 0;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	return 0;
}

static void ends_itself(void **state)
{
	(void)state;
	errno = ENOENT;
	assert_int_equal(kill(getpid(), SIGTERM), 17);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(killed_when_sent, 1); /* before, not after */
	assert_int_equal(sent_to, getpid());
	assert_int_equal(sent_number, SIGTERM);
	assert_int_equal(raise(SIGTERM), 17);
	assert_int_equal(killed_when_sent, 2);
	assert_int_equal(kill(0, SIGUSR1), 17); /* its group, so itself */
	assert_int_equal(killpg(getpgrp(), SIGUSR1), 17);
	assert_int_equal(killed_times, 4);
	assert_int_equal(sent_times, 4);
}

static void ends_another(void **state)
{
	(void)state;
	kill(getpid() + 1, SIGKILL);
	assert_int_equal(killed_times, 0);
	assert_int_equal(sent_times, 1);
}

/* A group that it is not in; and -1, which is all processes but itself. */
static void ends_a_group(void **state)
{
	(void)state;
	kill(-getpgrp() - 1, SIGTERM);
	killpg(getpgrp() + 1, SIGTERM);
	kill(-1, SIGTERM);
	assert_int_equal(killed_times, 0);
	kill(-getpgrp(), SIGTERM);
	assert_int_equal(killed_times, 1);
	assert_int_equal(sent_times, 4);
}

static void does_not_end(void **state)
{
	static const int harmless[] = {
		0, SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	(void)state;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		raise(harmless[i]);
	assert_int_equal(killed_times, 0);
	assert_int_equal(sent_times, sizeof harmless / sizeof *harmless);
}

static void on_signal(int number)
{
	(void)number;
}

static void on_signal_with_cause(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
}

/* The program handles it, or it waits: then more events may come. */
static void may_go_on(void **state)
{
	sigset_t blocked;

	(void)state;
	signal(SIGTERM, on_signal);
	raise(SIGTERM);
	signal(SIGTERM, SIG_IGN);
	raise(SIGTERM);
	sigaction(SIGTERM,
		&(struct sigaction){.sa_sigaction = on_signal_with_cause, .sa_flags = SA_SIGINFO},
		NULL);
	raise(SIGTERM);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	raise(SIGTERM);
	assert_int_equal(killed_times, 0);
	raise(SIGKILL); /* cannot be blocked */
	assert_int_equal(killed_times, 1);
}

static void not_a_signal(void **state)
{
	(void)state;
	raise(1000);
	assert_int_equal(killed_times, 0);
	assert_int_equal(sent_number, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(ends_itself, setup),
		cmocka_unit_test_setup(ends_another, setup),
		cmocka_unit_test_setup(ends_a_group, setup),
		cmocka_unit_test_setup(does_not_end, setup),
		cmocka_unit_test_setup(may_go_on, setup),
		cmocka_unit_test_setup(not_a_signal, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
