#define _GNU_SOURCE
#include "cmd/follow.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/select.h"

#define LOOK_MS	 20
#define AGAIN_NS 1000000000

volatile sig_atomic_t follow_stopped;

static void stop_following(int signal)
{
	(void)signal;
	follow_stopped = 1;
}

void follow_begin(struct pl_recording *r)
{
	const struct sigaction action = {.sa_handler = stop_following};

	sigaction(SIGINT, &action, NULL);
	pl_recording_follow(r);
}

/* A task is known by its number, which one that begins later does not have yet. */
int follow_check(const struct selection *s)
{
	if (s->task)
		cmd_say("%s: --follow: --task knows only tasks that have begun; say "
			"--filter \"task == '%s'\"",
			s->command, s->task);
	else if (s->to_text)
		cmd_say("%s: --follow goes on until the program ends; leave out --to %s",
			s->command, s->to_text);
	return s->task || s->to_text ? CMD_USAGE : CMD_GO;
}

/* A moment later; false: whoever read stdout has left. */
static bool is_read(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, LOOK_MS) <= 0 || !out.revents;
}

int follow_wait(struct pl_recording *r, struct pl_err *err)
{
	struct pl_recording_info info;
	int code = PL_END;

	while (code == PL_END) {
		pl_recording_info(r, &info);
		if (follow_stopped || info.end_ns || info.unfinished || !is_read())
			return PL_END;
		code = pl_recording_refresh(r, err);
	}
	return code;
}

static int64_t ns_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * INT64_C(1000000000) + now.tv_nsec - then->tv_nsec;
}

/* A signal ends the poll; one that comes just before it is noticed after it. */
int follow_rest(const struct timespec *began)
{
	const int64_t took_ns = ns_since(began);
	const int64_t next_ns = took_ns > AGAIN_NS / 2 ? 2 * took_ns : AGAIN_NS;
	struct pollfd out = {.fd = STDOUT_FILENO};
	int64_t left_ns;

	while ((left_ns = next_ns - ns_since(began)) > 0)
		if (follow_stopped || poll(&out, 1, (int)(left_ns / 1000000) + 1) > 0)
			return PL_END;
	return 0;
}

int follow_wait_again(struct pl_recording *r, const struct timespec *began, struct pl_err *err)
{
	return follow_rest(began) ? PL_END : follow_wait(r, err);
}

/* ---- the events of processes ---- */

static int give_events(struct follow *f, struct pl_cursor *c, bool *enough, struct pl_err *err)
{
	struct pl_event e;
	int code = 0;

	while (code == 0 && !*enough && !follow_stopped) {
		code = pl_cursor_next(c, &e, err);
		if (code == 0)
			*enough = !f->take(f->context, c, &e);
	}
	return code == PL_END ? 0 : code;
}

/* With PL_ALL_THREADS a cursor has also the threads that begin later. */
static int open_cursor(struct follow *f, size_t place, uint32_t process, struct pl_err *err)
{
	if (place >= f->room) {
		const size_t room = place * 2 + 8;
		struct pl_cursor **cursors = realloc(f->cursors, room * sizeof(*cursors));
		if (!cursors)
			return PL_ERR_MEMORY;
		memset(cursors + f->room, 0, (room - f->room) * sizeof(*cursors));
		f->cursors = cursors;
		f->room = room;
	}
	if (f->cursors[place])
		return 0;
	const int code = pl_cursor_new(&f->cursors[place], f->r, process, PL_ALL_THREADS, err);
	if (code < 0)
		return code;
	pl_cursor_want_values(f->cursors[place], f->values);
	return f->seek(f->context, f->cursors[place], err);
}

/* What is there of each process. */
static int give_processes(struct follow *f, bool *enough, struct pl_err *err)
{
	const struct pl_process *p;
	int code = 0;

	for (uint32_t i = 0; code >= 0 && !*enough && (p = pl_recording_process(f->r, i)); i++) {
		code = f->begin(f->context, p, err);
		if (code == 0)
			code = open_cursor(f, i, p->number, err);
		if (code == 0)
			code = give_events(f, f->cursors[i], enough, err);
	}
	f->pause(f->context);
	return code < 0 ? code : 0;
}

int follow_run(struct follow *f, struct pl_err *err)
{
	bool enough = false;
	int code = 0;

	while (code == 0) {
		code = give_processes(f, &enough, err);
		if (code == 0)
			code = enough ? PL_END : follow_wait(f->r, err);
	}
	for (size_t i = 0; i < f->room; i++)
		pl_cursor_free(f->cursors[i]);
	free(f->cursors);
	f->cursors = NULL;
	f->room = 0;
	return code == PL_END ? 0 : code;
}
