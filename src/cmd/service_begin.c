#define _GNU_SOURCE
#include "cmd/service_begin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cmd/attach_words.h"
#include "cmd/drain.h"
#include "cmd/place.h"
#include "cmd/prune_home.h"
#include "cmd/record_options.h"
#include "cmd/service_words.h"
#include "cmd/what.h"
#include "collector/finish.h"
#include "os/watch.h"

#define LOG_NAME      "pathline.log"
#define LOG_BYTES_MAX (64 << 10)
#define PRUNE_S	      600 /* between two looks at old recordings */
#define LOOK_MS	      1000

extern char **environ;

struct service {
	struct cmd *cmd;
	int pid; /* of the program */
	char folder[PATH_MAX];
	struct service_words settings;
	struct record_options options;
	struct attach_words words;
	struct watch program;
	struct what what;
	struct place place;
	struct drain drain;
};

/* ---- leaving the program ---- */

/* What the program has open is the program's. Its exit is not to wait for us, nor its parent for
 * its descriptors. */
static bool leave_program(void)
{
	const pid_t pid = fork();
	const int null = pid == 0 ? open("/dev/null", O_RDWR) : -1;

	if (pid > 0)
		_exit(0);
	if (pid < 0 || setsid() < 0 || null < 0)
		return false;
	dup2(null, 0);
	close_range(3, ~0u, 0);
	for (int number = 1; number < 32; number++)
		signal(number, number == SIGCHLD ? SIG_DFL : SIG_IGN);
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	umask(077);
	prctl(PR_SET_NAME, "pathline-service");
	return true;
}

/* A program that ends each second and is started again writes a line each time: the log begins anew
 * when it is large. */
static void open_log(const struct service *s)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/" LOG_NAME, s->folder) >= (int)sizeof path)
		return;
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size > LOG_BYTES_MAX && ftruncate(fd, 0) < 0) {
		/* then it grows: the disk is in trouble anyway */
	}
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

static void say_when(const struct service *s)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &local);
	cmd_say("service: %s, process %d:", stamp, s->pid);
}

static int fail(const struct service *s, int code)
{
	say_when(s);
	cmd_say("service: the process runs, and is not recorded; the reason is above");
	return code;
}

/* ---- settings ---- */

static int read_settings(struct service *s)
{
	struct cmd c = {.name = "service"};

	if (!service_words_read(&s->settings, environ)) {
		cmd_say("service: there are too many settings in the environment");
		return CMD_USAGE;
	}
	if (s->settings.unknown[0])
		cmd_say("service: %s is not a setting; it is left alone", s->settings.unknown);
	c.words = s->settings.words;
	c.count = s->settings.count;
	const struct cmd_option none[] = {{0}};
	int code = record_options_read(&s->options, &c,
		&(struct cmd_usage){"", "The settings of a service, from its environment.", none});
	s->options.quiet = true;
	if (code != CMD_GO)
		return code;
	attach_words_read(&s->words, s->pid);
	if (s->words.here[0])
		s->options.choose.here = s->options.values.of.here = s->words.here;
	what_name_running(&s->what, s->words.words);
	return record_options_end(&s->options, s->words.words);
}

/* ---- what is kept ---- */

/* The limit is that of the directory. What is being written has half of it, and what is done has
 * the other half before a new recording begins; later both together have the whole. */
static uint64_t half_of_limit(const struct service *s)
{
	const uint64_t half = s->options.limit_bytes / 2;

	if (!s->options.limit_bytes)
		return 0;
	return half < COLLECTOR_LIMIT_MIN ? COLLECTOR_LIMIT_MIN : half;
}

static void prune_old(const struct service *s, uint64_t limit_bytes)
{
	struct prune_order o = {.folder = s->folder,
		.rules = {.limit_bytes = limit_bytes, .keep_ns = s->options.keep_ns}};

	finish_dead_arenas(NULL);
	if (prune_home(&o) == 0 && o.failed)
		cmd_say("service: %zu old recordings could not be removed: %s", o.failed,
			strerror(o.err));
}

/* ---- the recording ---- */

static int start_collector_of(struct service *s)
{
	char text[PATH_MAX + 32];
	struct collector_start start = {.directory_fd = s->place.directory_fd,
		.directory = s->place.real,
		.command = text,
		.flight = {.folder = s->folder, .name = s->what.name}};

	record_options_apply(&s->options, &start);
	if (!s->options.flight_ns)
		start.limit_bytes = half_of_limit(s);
	start.outlives_terms = true;
	snprintf(text, sizeof text, "%s (service)", s->what.name);
	return drain_start(&s->drain, &start, "service");
}

/* The program waits for this line. */
static bool tell_arena(const struct service *s)
{
	const bool told = printf("%s\n", s->drain.arena_path) > 0 && fflush(stdout) == 0;

	dup2(0, 1);
	return told;
}

/* It ends with the last process of the recording; the first one may end before. */
static void wait_for_collector(struct service *s)
{
	int status = 0;
	time_t pruned = time(NULL);

	while (waitpid(s->drain.collector, &status, WNOHANG) == 0) {
		struct pollfd ended = {.fd = s->program.pidfd, .events = POLLIN};
		poll(&ended, 1, LOOK_MS);
		if (s->drain.channel >= 0 && watch_ended(&s->program)) {
			close(s->drain.channel);
			s->drain.channel = -1;
			watch_close(&s->program);
		}
		const time_t now = time(NULL);
		if (now >= pruned && now - pruned < PRUNE_S)
			continue;
		pruned = now; /* also if the clock was set back */
		prune_old(s, s->options.limit_bytes);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		finish_arena(s->drain.arena_path, 0, 0);
}

/* No Python ran its program in it: nothing is left of it but a word in the log. */
static void remove_empty(struct service *s)
{
	const struct arena_head *h = s->drain.arena.head;

	if (atomic_load_explicit(&h->next_process, memory_order_acquire))
		return;
	if (atomic_load_explicit(&h->refused, memory_order_acquire)) {
		say_when(s);
		cmd_say("service: it is not recorded: %.*s", (int)sizeof h->refused_why - 1,
			h->refused_why);
	}
	place_withdraw(&s->place);
	place_remove(&s->place);
}

static int record_service(struct service *s)
{
	prune_old(s, s->options.limit_bytes ? half_of_limit(s) : 0);
	int code = s->options.flight_ns ? place_make_flight(&s->place, s->folder)
					: place_make_in(&s->place, s->folder, s->what.name);

	if (code == CMD_GO)
		code = start_collector_of(s);
	if (code != CMD_GO || !tell_arena(s)) {
		if (s->drain.channel >= 0)
			close(s->drain.channel);
		if (s->drain.collector > 0)
			waitpid(s->drain.collector, NULL, 0);
		if (s->place.directory_fd >= 0)
			place_remove(&s->place);
		return code == CMD_GO ? CMD_OK : fail(s, code);
	}
	if (chdir("/") < 0) {
		/* then the directory cannot be unmounted meanwhile */
	}
	place_publish(&s->place);
	wait_for_collector(s);
	remove_empty(s);
	return CMD_OK;
}

int service_begin(struct cmd *c, int pid, const char *directory)
{
	struct service s = {.cmd = c,
		.pid = pid,
		.drain.channel = -1,
		.place = {.command = "service", .directory_fd = -1}};

	if (!realpath(directory, s.folder) || !leave_program())
		return CMD_RECORD_FAILED;
	open_log(&s);
	int code = read_settings(&s);
	if (code != CMD_GO)
		fail(&s, code);
	else if (watch_open(&s.program, pid))
		code = record_service(&s);
	watch_close(&s.program);
	arena_unmap(&s.drain.arena);
	record_options_release(&s.options);
	attach_words_release(&s.words);
	service_words_release(&s.settings);
	return code;
}
