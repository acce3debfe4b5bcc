#define _GNU_SOURCE
#include "source/symbols.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define STARTS_MAX	8
#define QUESTIONS_MAX	32 /* on the way */
#define MEMORY_MAX	((rlim_t)4 << 30)
#define CPU_SECONDS_MAX 120

static void limit_resource(int which, rlim_t to)
{
	const struct rlimit limit = {.rlim_cur = to, .rlim_max = to};

	setrlimit(which, &limit);
}

static _Noreturn void symbols_child(int channel)
{
	struct symbol_question q;
	struct symbol_answer a;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "pathline-names");
	limit_resource(RLIMIT_AS, MEMORY_MAX);
	limit_resource(RLIMIT_CPU, CPU_SECONDS_MAX);
	limit_resource(RLIMIT_CORE, 0);
	if (nice(5) < 0)
		errno = 0;
	/* libdw would ask servers. */
	unsetenv("DEBUGINFOD_URLS");
	while (recv(channel, &q, sizeof q, 0) == sizeof q) {
		a = (struct symbol_answer){.number = q.number};
		q.path[sizeof q.path - 1] = 0;
		symbols_answer(&q, &a);
		a.name[sizeof a.name - 1] = 0;
		a.place[sizeof a.place - 1] = 0;
		if (send(channel, &a, sizeof a, MSG_NOSIGNAL) != sizeof a)
			break;
	}
	_exit(0);
}

/* The child keeps the standard descriptors, which lead nowhere here. */
static bool symbols_start(struct symbols *s)
{
	int ends[2];

	if (s->starts >= STARTS_MAX)
		return false;
	s->starts++;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	const pid_t pid = fork();
	if (pid == 0) {
		if (dup2(ends[1], 3) == 3)
			close_range(4, ~0u, 0);
		symbols_child(3);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	s->pid = pid;
	s->channel = ends[0];
	s->asked = s->answered = 0;
	return true;
}

void symbols_stop(struct symbols *s)
{
	if (s->channel <= 0)
		return;
	close(s->channel);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	s->channel = -1;
}

bool symbols_given_up(const struct symbols *s)
{
	return s->channel <= 0 && s->starts >= STARTS_MAX;
}

bool symbols_ask(struct symbols *s, const struct symbol_question *q)
{
	if (s->channel <= 0 && !symbols_start(s))
		return false;
	if (s->asked - s->answered >= QUESTIONS_MAX)
		return false;
	if (send(s->channel, q, sizeof *q, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof *q)
		return false;
	s->asked++;
	return true;
}

int symbols_next(struct symbols *s, struct symbol_answer *out, int wait_ms)
{
	struct pollfd p = {.fd = s->channel, .events = POLLIN};

	if (s->channel <= 0 || s->asked == s->answered)
		return 0;
	if (wait_ms)
		poll(&p, 1, wait_ms);
	const ssize_t n = recv(s->channel, out, sizeof *out, MSG_DONTWAIT);
	if (n == sizeof *out) {
		s->answered++;
		out->name[sizeof out->name - 1] = out->place[sizeof out->place - 1] = 0;
		return 1;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	symbols_stop(s);
	return -1;
}
