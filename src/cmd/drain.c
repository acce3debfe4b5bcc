#define _GNU_SOURCE
#include "cmd/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "collector/finish.h"

#define REPORT_MS  30000 /* the longest delay of the command's end */
#define SILENCE_MS 3000	 /* without a tick: the collector is stopped or dead */

static int map_arena(struct drain *d)
{
	int fd = open(d->arena_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int err = fd < 0 ? -errno : arena_map(&d->arena, fd);

	if (err == 0)
		finish_claim(fd);
	else if (fd >= 0)
		close(fd);
	d->arena_fd = fd;
	return err;
}

int drain_start(struct drain *d, struct collector_start *s, const char *command)
{
	struct collector_packet p = {0};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		cmd_say("%s: the collector cannot be started: no socket: %s", command,
			strerror(errno));
		return CMD_RECORD_FAILED;
	}
	s->channel = ends[1];
	d->collector = fork();
	if (d->collector == 0)
		_exit(collector_run(s));
	close(ends[1]);
	d->channel = ends[0];
	ssize_t n = d->collector < 0 ? -1 : recv(d->channel, &p, sizeof p, 0);
	if (n != (ssize_t)sizeof p || p.word != COLLECTOR_READY) {
		cmd_say("%s: %s", command,
			n == (ssize_t)sizeof p ? p.text : "the collector could not be started");
		return CMD_RECORD_FAILED;
	}
	snprintf(d->arena_path, sizeof d->arena_path, "%s", p.text);
	if (p.sources_why[0])
		cmd_say("%s: what the kernel does is not recorded: %s", command, p.sources_why);
	int err = map_arena(d);
	if (err < 0) {
		cmd_say("%s: %s: %s", command, d->arena_path, strerror(-err));
		return CMD_RECORD_FAILED;
	}
	return CMD_GO;
}

enum answer drain_ask(struct drain *d, int pid, int status, struct collector_packet *p)
{
	uint64_t tick = 0;
	int silent_ms = 0;

	*p = (struct collector_packet){.word = COLLECTOR_ENDED, .pid = pid, .status = status};
	/* A collector that was told to end has sent its report already, and receives nothing. */
	send(d->channel, p, sizeof *p, MSG_NOSIGNAL);
	for (int ms = 0; ms < REPORT_MS && silent_ms < SILENCE_MS; ms += 100, silent_ms += 100) {
		struct pollfd fd = {.fd = d->channel, .events = POLLIN};
		if (poll(&fd, 1, 100) > 0) {
			bool whole = recv(d->channel, p, sizeof *p, 0) == (ssize_t)sizeof *p;
			return whole && p->word == COLLECTOR_REPORT ? ANSWER_REPORT : ANSWER_DEAD;
		}
		uint64_t now = atomic_load_explicit(&d->arena.head->tick, memory_order_relaxed);
		if (now != tick)
			silent_ms = 0;
		tick = now;
	}
	return ANSWER_SILENT;
}
