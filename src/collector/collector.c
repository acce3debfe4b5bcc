/* The collector's life: the loop, its rounds, and what is written about the recording as a whole.
 *
 *	collector_run   leaves the command's session, makes directory, arena and header, says READY
 *	  loop          every millisecond; less often when nothing has moved for a second
 *	    tick        the clock that recorders use for stamps
 *	    round       see state.h
 *	    clock       a CLOCK record when one is due
 *	    others      look for dead arenas, now and then
 *	    wait        in epoll: record's channel, SIGTERM, the ends of processes
 *	  settle        the program is over: does anyone still write, or may they?
 *	  end           END, the arena's name is removed
 *
 * What happens to the command must not end the collector: it is in a session of its own, ignores
 * the terminal's signals, and keeps no descriptor of the command.
 */
#define _GNU_SOURCE
#include "collector/collector.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collector/about.h"
#include "collector/begin.h"
#include "collector/blocks.h"
#include "collector/chunks.h"
#include "collector/guard.h"
#include "collector/messages.h"
#include "pathline/event.h"

#define ROUND_NS      INT64_C(700000) /* at a finer tick, not each tick is a round */
#define IDLE_AFTER_NS INT64_C(1000000000)
#define IDLE_TICK_NS  INT64_C(20000000)
#define DESCENDANTS_NS                                                                             \
	INT64_C(50000000) /* first interval between two searches; it doubles up to 20 times that */
#define FREED_CODES_MAX 4096
#define FINISH_NS	INT64_C(10000000000) /* of looks for dead arenas, at first; it doubles */
#define FINISH_NS_MAX	(64 * FINISH_NS) /* at most, while the existing ones cannot be finished */

static int64_t mono_ns(void)
{
	return (int64_t)clock_ticks(CLOCK_MONO);
}

/* ---- a round ---- */

/* Codes that are freed are forgotten when all events that name them are in blocks. A recorder
 * reports only those that no forked process has too. */
static void forget_codes(struct collector *c, size_t freed)
{
	if (freed < FREED_CODES_MAX)
		return;
	blocks_cut(c, BLOCKS_ALL, mono_ns());
	bodies_forget(&c->bodies, freed);
}

static void say_store_failed(struct collector *c)
{
	char text[128];

	if (!c->store.failed || c->store_failed)
		return;
	c->store_failed = true;
	snprintf(text, sizeof text, "the recording could not be written: %s", store_why(&c->store));
	collector_lose(c, &(struct loss){.reason = PL_GAP_COLLECTOR, .text = text});
	store_flush(&c->store);
	atomic_store_explicit(&c->arena.head->state, ARENA_CLOSED, memory_order_release);
}

static void say_arena_torn(struct collector *c)
{
	if (!guard_torn() || c->arena_torn)
		return;
	c->arena_torn = true;
	collector_lose(
		c, &(struct loss){.reason = PL_GAP_DAMAGED,
			   .text = "the memory shared with the program was cut short by another"});
}

/* Read events before messages: then the events that were read need only messages that are read
 * afterwards. No event written after this round's look names a code that was reported freed in an
 * earlier round. */
bool collector_round(struct collector *c, enum blocks_why why)
{
	int64_t now_ns = mono_ns();
	size_t freed = c->bodies.freed_count;
	bool moved;

	processes_look(c);
	c->store.now_ns = now_ns;
	moved = streams_look(&c->streams, &c->arena, STREAMS_EVENTS, now_ns);
	moved |= streams_look(&c->streams, &c->arena, STREAMS_MESSAGES, now_ns);
	processes_looked(c);
	messages_read(c);
	collector_sources_drain(c, now_ns);
	blocks_cut(c, chunks_keep_free(c) ? BLOCKS_ALL : why, now_ns);
	if (store_is_old(&c->store))
		blocks_make_room(c, 0);
	forget_codes(c, freed);
	processes_end(c, now_ns);
	flight_round(c, now_ns);
	say_arena_torn(c);
	say_store_failed(c);
	return moved;
}

/* ---- the loop ---- */

struct loop {
	struct collector *c;
	int channel, signals; /* -1: closed */
	int record_pid;	      /* it has the arena mapped too */
	bool program_over;    /* `record` said so, or is gone */
	bool report_due, told_to_end;
	int64_t tick_ns;   /* clock's mean interval */
	bool auto_tick;	   /* tick_ns follows from the cost of a tick */
	int64_t cost_ns;   /* mean cost of a wait and a tick */
	int64_t round_ns;  /* time of the last round */
	bool news;	   /* epoll has reported something since */
	int64_t moved_ns;  /* when something last moved */
	int64_t search_ns; /* when to look for descendants again */
	int64_t search_step_ns;
	int64_t finish_ns; /* when to look for dead arenas again */
	int64_t finish_step_ns;
	pid_t finisher; /* 0: none */
};

/* Receive one packet, or the end of `record`: killed, or done. Either way the program is over. */
static void hear_record(struct loop *l)
{
	struct collector_packet p;
	ssize_t n = recv(l->channel, &p, sizeof p, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	l->program_over = true;
	l->c->processes.word_due = false;
	if (n == (ssize_t)sizeof p && p.word == COLLECTOR_ENDED) {
		l->c->processes.known_status = true;
		l->c->processes.main_pid = p.pid;
		l->c->processes.main_status = p.status;
		l->c->processes.some_ended = true;
		l->report_due = true;
		return;
	}
	close(l->channel); /* and is removed from the epoll */
	l->channel = -1;
}

/* Each EVICTED counts as one loss. */
static void add_dropped(struct collector_totals *t, const struct store *s)
{
	if (s->first_segment <= 1)
		return;
	about_count_loss(
		t, &(struct loss){.reason = PL_GAP_EVICTED, .lost = s->dropped_events, .text = ""});
}

static void send_report(struct loop *l, bool finished)
{
	struct collector *c = l->c;
	struct collector_packet p = {.word = COLLECTOR_REPORT,
		.totals = c->totals,
		.bytes = store_bytes(&c->store),
		.running = c->processes.count,
		.finished = finished,
		.flights = c->flight.written,
		.flight_failed = c->flight.failed};

	if (!l->report_due)
		return;
	l->report_due = false;
	p.totals.threads = c->streams.threads;
	if (!c->flight.on) /* that only the newest is kept is its purpose */
		add_dropped(&p.totals, &c->store);
	snprintf(p.flight, sizeof p.flight, "%s", c->flight.last);
	if (c->store.failed)
		snprintf(p.text, sizeof p.text, "%s", store_why(&c->store));
	send(l->channel, &p, sizeof p, MSG_NOSIGNAL);
}

/* Is there a process that may yet become one of the recording, such as a shell that will start a
 * Python? */
static bool descendants(struct loop *l, int64_t now_ns)
{
	if (now_ns < l->search_ns)
		return true;
	if (!watch_anyone_has(l->c->arena_path, l->record_pid))
		return false;
	if (l->search_step_ns < 20 * DESCENDANTS_NS)
		l->search_step_ns += l->search_step_ns + DESCENDANTS_NS;
	l->search_ns = now_ns + l->search_step_ns;
	return true;
}

#define TICK_NS_MIN INT64_C(1000000)
#define TICK_NS_MAX INT64_C(10000000)
/* of a core, 1 part in this many; the rest of 1% is for rounds */
#define TICK_COSTS 150

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The cost of a wake-up differs by a factor of ten between machines, and between a quiet and a busy
 * one. */
static void tick_cost(struct loop *l, int64_t spent_ns)
{
	if (!l->auto_tick)
		return;
	l->cost_ns += (spent_ns - l->cost_ns) / 16;
	int64_t ns = l->cost_ns * TICK_COSTS;
	l->tick_ns = ns < TICK_NS_MIN ? TICK_NS_MIN : ns > TICK_NS_MAX ? TICK_NS_MAX : ns;
}

/* One tick while anything moves, then a millisecond more for each tenth of a second without. */
static int64_t wait_ns(struct loop *l, int64_t now_ns)
{
	int64_t idle_ns = now_ns - l->moved_ns - IDLE_AFTER_NS;
	int64_t tick_ns = sampler_jitter(&l->c->sampler, l->tick_ns);

	if (idle_ns <= 0 || tick_ns >= IDLE_TICK_NS)
		return tick_ns;
	int64_t ns = tick_ns + idle_ns / 100;
	return ns < IDLE_TICK_NS ? ns : IDLE_TICK_NS;
}

/* epoll_wait alone counts in milliseconds. */
static void wait_for_news(struct loop *l)
{
	int64_t ns = wait_ns(l, mono_ns());
	struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	struct pollfd news = {.fd = l->c->processes.epoll, .events = POLLIN};
	struct epoll_event e[16];

	if (ppoll(&news, 1, &t, NULL) <= 0)
		return;
	int n = epoll_wait(l->c->processes.epoll, e, 16, 0);

	l->news = true;
	for (int i = 0; i < n; i++) {
		if (e[i].data.fd == l->channel && l->channel >= 0)
			hear_record(l);
		else if (e[i].data.fd == l->signals)
			l->told_to_end = true;
		else
			l->c->processes.some_ended = true;
	}
}

/* The program is over and all dead processes are drained: write to disk what the living ones have
 * written so far, and report it. */
static bool settle_program(struct loop *l)
{
	struct collector *c = l->c;

	if (l->report_due)
		blocks_cut(c, BLOCKS_ALL, mono_ns());
	if (processes_live(&c->processes) || descendants(l, mono_ns())) {
		if (l->report_due) {
			costs_write(&c->costs, &c->store);
			store_flush(&c->store);
		}
		send_report(l, false);
		return false;
	}
	collector_write_end(c, false);
	send_report(l, true);
	return true;
}

static bool any_drained_or_over(const struct processes *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->all[i]->life != LIFE_LIVE)
			return true;
	return false;
}

/* ---- the arenas of others ---- */

/* In a separate process, because it may take long. That process keeps nothing of ours: our lock is
 * held for our lifetime, and our arena must not be a child's. */
static pid_t finish_others(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	close_range(3, ~0u, 0);
	prctl(PR_SET_NAME, "pathline-finish");
	_exit(finish_dead_arenas(NULL) > 0);
}

/* An arena whose processes are alive stays, so if nothing was finished, look less often. */
static bool finisher_over(struct loop *l)
{
	int status = 0;

	if (l->finisher <= 0)
		return true;
	if (waitpid(l->finisher, &status, WNOHANG) == 0)
		return false;
	l->finisher = 0;
	bool finished = WIFEXITED(status) && WEXITSTATUS(status);
	if (finished)
		l->finish_step_ns = FINISH_NS;
	else if (l->finish_step_ns < FINISH_NS_MAX)
		l->finish_step_ns *= 2;
	return true;
}

static void look_for_dead_arenas(struct loop *l, int64_t now_ns)
{
	if (now_ns < l->finish_ns || !finisher_over(l))
		return;
	if (!l->finish_step_ns)
		l->finish_step_ns = FINISH_NS;
	l->finish_ns = now_ns + l->finish_step_ns;
	if (finish_wanted())
		l->finisher = finish_others();
}

/* ---- its end ---- */

static void end_early(struct collector *c)
{
	collector_lose(c, &(struct loss){.reason = PL_GAP_COLLECTOR,
				  .text = "the collector was told to end (SIGTERM)"});
	atomic_store_explicit(&c->arena.head->state, ARENA_CLOSED, memory_order_release);
	collector_round(c, BLOCKS_ALL);
	collector_write_end(c, false);
}

/* With a tick of a tenth of a millisecond, most ticks only write the clock. */
static bool round_due(struct loop *l, int64_t now_ns)
{
	if (!l->news && now_ns - l->round_ns < ROUND_NS)
		return false;
	l->round_ns = now_ns;
	l->news = false;
	return true;
}

static void run_loop(struct loop *l)
{
	struct collector *c = l->c;
	int64_t before_ns = 0;

	l->moved_ns = mono_ns();
	for (;;) {
		/* The end of the loop was noticed before this round, so the round has seen
		 * everything before it. */
		bool over = l->program_over;
		collector_sources_look(c, mono_ns());
		if (before_ns)
			tick_cost(l, cpu_ns() - before_ns);
		before_ns = 0;
		if (!round_due(l, mono_ns())) {
			wait_for_news(l);
			continue;
		}
		if (collector_round(c, BLOCKS_DUE))
			l->moved_ns = mono_ns();
		if (l->told_to_end) {
			end_early(c);
			l->report_due = l->channel >= 0;
			send_report(l, true);
			return;
		}
		if (over && !any_drained_or_over(&c->processes) && settle_program(l))
			return;
		look_for_dead_arenas(l, mono_ns());
		before_ns = l->auto_tick ? cpu_ns() : 0;
		wait_for_news(l);
	}
}

/* ---- the whole life ---- */

void collector_release(struct collector *c)
{
	store_close(&c->store);
	streams_release(&c->streams);
	bodies_release(&c->bodies);
	costs_release(&c->costs);
	collector_sources_release(c);
	source_texts_release(&c->texts);
	processes_release(&c->processes);
	guard_end();
	arena_unmap(&c->arena);
	if (c->arena_fd >= 0)
		close(c->arena_fd);
	buf_release(&c->bytes);
	buf_release(&c->parts);
	buf_release(&c->payload);
	buf_release(&c->strings);
	stack_release(&c->opening);
	mentions_release(&c->mentions);
	for (size_t i = 0; i < BLOCKS_CHAINS; i++)
		chain_writer_release(&c->chains[i].writer);
}

static void add_to_epoll(int epoll, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

int collector_run(const struct collector_start *s)
{
	struct collector *c = calloc(1, sizeof *c);
	struct loop l = {.c = c,
		.tick_ns = s->tick_ns ? s->tick_ns : TICK_NS_MIN,
		.auto_tick = !s->tick_ns,
		.channel = s->channel,
		.record_pid = (int)getppid()};

	if (!c)
		return 1;
	c->arena_fd = -1;
	if (!getcwd(c->directory, sizeof c->directory))
		c->directory[0] = 0;
	begin_apart(s->directory_fd, s->channel);
	l.signals = begin_signals(s->outlives_terms);
	if (s->tick_ns && s->tick_ns < ROUND_NS)
		prctl(PR_SET_TIMERSLACK, 1000);
	c->processes.epoll = epoll_create1(EPOLL_CLOEXEC);
	c->processes.silent = s->attached;
	int err = collector_begin(c, s);
	if (err < 0)
		goto done;
	add_to_epoll(c->processes.epoll, l.channel);
	c->processes.word_due = true;
	add_to_epoll(c->processes.epoll, l.signals);
	collector_say_ready(s, c);
	run_loop(&l);
done:
	collector_release(c);
	/* `record` may be waiting for our end. */
	if (err == 0 && finish_wanted())
		finish_others();
	free(c);
	return err < 0;
}
