/* See begin.h. */
#define _GNU_SOURCE
#include "collector/begin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collector/about.h"
#include "collector/chunks.h"
#include "collector/guard.h"
#include "os/file.h"

#define WAIT_MS 2000

/* Yama's ptrace_scope: 1 asks each program to name who may read its memory; 2 and 3 allow only
 * root, or nobody, so a name changes nothing. */
static bool names_tracers(void)
{
	char word[8];

	return file_text("/proc/sys/kernel/yama/ptrace_scope", word, sizeof word) && word[0] == '1';
}

static int create_at(struct collector *c, const char *directory)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		number = clock_ticks(CLOCK_MONO);
	int n = snprintf(c->arena_path, sizeof c->arena_path, "%s/pathline-%u-%016llx.arena",
		directory, (unsigned)getuid(), (unsigned long long)number);
	if (n >= (int)sizeof c->arena_path)
		return -ENAMETOOLONG;
	return arena_create(&c->arena, c->arena_path, chunks_at_first(c), &c->arena_fd);
}

/* The process may end before us, and its root with it: the directory stays open as long as we
 * live. */
static int create_elsewhere(struct collector *c, const char *directory)
{
	char path[64];
	int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
	return create_at(c, path);
}

static uint32_t tell_text(char *to, size_t room, struct pl_view text)
{
	if (text.left > room)
		return 0;
	if (text.left)
		memcpy(to, text.at, text.left);
	return (uint32_t)text.left;
}

/* Without the rules, values of no code are kept. Who gives the texts sees to it that they fit. */
static void tell_values(struct arena_head *h, const struct collector_values *v)
{
	h->values = v->which;
	h->value_limits = v->limits;
	h->shows_secrets = v->shows_secrets;
	h->values_of_bytes = tell_text(h->values_of, sizeof h->values_of, v->of);
	h->redact_bytes = tell_text(h->redact, sizeof h->redact, v->redact);
}

/* In memory; if there is no /dev/shm, or no room in it, beside the recording: the system may write
 * that file to disk, but it is shared all the same. */
static int create_arena(struct collector *c, const struct collector_start *s)
{
	c->stamped = s->stamps != STAMPS_TICK;
	int err = s->arena_directory ? create_elsewhere(c, s->arena_directory)
				     : create_at(c, "/dev/shm");

	if (err < 0 && !s->arena_directory)
		err = create_at(c, s->directory);
	if (err < 0)
		return err;
	/* A finisher may hold it for a moment, until it sees that the directory is not named
	 * yet. */
	if (flock(c->arena_fd, LOCK_EX) < 0)
		return -errno;
	/* A process that has it mapped may yet become one of the recording: our own children must
	 * not look like that. */
	if (madvise(c->arena.head, c->arena.mapped_bytes, MADV_DONTFORK) < 0)
		return -errno;
	guard_begin(&c->arena);
	struct arena_head *h = c->arena.head;
	h->clock = c->ticker.source == CLOCK_TSC ? CLOCK_IS_TSC : CLOCK_IS_MONOTONIC;
	h->on_full = s->on_full;
	h->wait_ms = WAIT_MS;
	h->no_children = s->no_children;
	h->passes = s->passes;
	h->order = s->order;
	h->stamps = s->stamps;
	h->hot_lines = s->hot_lines;
	c->costs.on = s->count_costs;
	h->name_tracer = names_tracers();
	h->filter_bytes = tell_text(h->filter, sizeof h->filter, s->filter);
	tell_values(h, &s->values);
	h->collector_pid = (uint32_t)getpid();
	h->pid_space = arena_pid_space();
	h->limit_bytes = s->limit_bytes;
	snprintf(h->directory, sizeof h->directory, "%s", s->directory);
	flight_begin(c, &s->flight);
	return 0;
}

void begin_apart(int keep_a, int keep_b)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "pathline-drain");
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	int low = keep_a < keep_b ? keep_a : keep_b, high = keep_a < keep_b ? keep_b : keep_a;
	if (low > 3)
		close_range(3, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0u, 0);
	umask(077);
	if (chdir("/") < 0) {
		/* then it stays where it is */
	}
}

/* Undo what `record` has set. Of the remaining signals only SIGTERM is received, through the epoll,
 * so that it never comes in the middle of a write. */
int begin_signals(bool outlives_terms)
{
	sigset_t all, end;

	for (int number = 1; number < 32; number++)
		if (number != SIGTERM && number != SIGCHLD)
			signal(number, number == SIGHUP || number == SIGINT || number == SIGQUIT ||
						       number == SIGPIPE || number == SIGXFSZ ||
						       number == SIGUSR1 || number == SIGUSR2 ||
						       number == SIGALRM || number == SIGTSTP ||
						       number == SIGTTIN || number == SIGTTOU
					       ? SIG_IGN
					       : SIG_DFL);
	sigemptyset(&end);
	if (outlives_terms)
		signal(SIGTERM, SIG_IGN);
	else
		sigaddset(&end, SIGTERM);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	sigprocmask(SIG_BLOCK, &end, NULL);
	return signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
}

int collector_say(const struct collector_start *s, enum collector_word word, const char *text)
{
	struct collector_packet p = {.word = word};

	snprintf(p.text, sizeof p.text, "%s", text);
	return send(s->channel, &p, sizeof p, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void collector_say_ready(const struct collector_start *s, const struct collector *c)
{
	struct collector_packet p = {.word = COLLECTOR_READY};

	snprintf(p.text, sizeof p.text, "%s", c->arena_path);
	snprintf(p.sources_why, sizeof p.sources_why, "%s", c->sources_why);
	send(s->channel, &p, sizeof p, MSG_NOSIGNAL);
}

static const char *what_helps(int err)
{
	return err == -EFBIG ? "; raise the file-size limit (ulimit -f)" : "";
}

/* READY is said only when the header and the first point of the clock are on disk: each recording
 * that a program writes to can be read, whatever happens next. */
int collector_begin(struct collector *c, const struct collector_start *s)
{
	char why[PATH_MAX + 128];

	c->ticker.source = clock_choose();
	int err = store_create(&c->store, s->directory_fd, s->limit_bytes);
	c->store.keep_ns = s->keep_ns;
	c->store.now_ns = (int64_t)clock_ticks(CLOCK_MONO);
	if (err < 0) {
		snprintf(why, sizeof why, "%s cannot be written: %s%s", s->directory,
			strerror(-err), what_helps(err));
	} else {
		err = create_arena(c, s);
		if (err < 0)
			snprintf(why, sizeof why, "no memory to share, in /dev/shm or in %s: %s%s",
				s->directory, strerror(-err), what_helps(err));
	}
	if (err == 0) {
		collector_write_header(c, s);
		ticker_store(&c->ticker, &c->arena.head->tick, clock_ticks(c->ticker.source));
		collector_write_clock(c, true);
		collector_sources_begin(c, s, c->sources_why);
		err = -c->store.failed;
		if (err < 0) {
			snprintf(why, sizeof why, "%s cannot be written: %s%s", s->directory,
				strerror(-err), what_helps(err));
			collector_unlink(c);
		}
	}
	if (err < 0)
		collector_say(s, COLLECTOR_FAILED, why);
	return err;
}
