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
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collector/blocks.h"
#include "collector/guard.h"
#include "collector/messages.h"
#include "os/file.h"
#include "pathline/event.h"
#include "pathline/pathline.h"

#define WAIT_MS	      2000
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
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what is written about the recording as a whole ---- */

static const char *const gap_meanings[] = {
#define X(constant, word, meaning) [PL_GAP_##constant] = meaning,
	PL_GAP_REASONS(X)
#undef X
};

void collector_lose(struct collector *c, const struct loss *l)
{
	struct pl_buf b = {0};

	c->totals.lost += l->lost;
	if (!c->totals.losses++)
		snprintf(c->totals.worst, sizeof c->totals.worst, "%s",
			*l->text ? l->text : gap_meanings[l->reason]);
	if (c->totals.losses > LOSSES_MAX)
		return;
	buf_varint(&b, l->process);
	buf_varint(&b, l->thread);
	buf_varint(&b, l->seq);
	buf_varint(&b, clock_ticks(c->ticker.source));
	buf_varint(&b, (uint64_t)l->reason);
	buf_varint(&b, l->lost);
	buf_string(&b, l->text, strlen(l->text));
	store_put(&c->store, RECORD_LOSS, &b);
	buf_release(&b);
}

static void put_pair(struct pl_buf *b, const char *key, const char *value)
{
	buf_string(b, key, strlen(key));
	buf_string(b, value, strlen(value));
}

static void put_values(struct pl_buf *b, const struct collector_values *v)
{
	static const char *const words[] = {
		[VALUES_NONE] = "none", [VALUES_CALLS] = "calls", [VALUES_LINES] = "lines"};

	put_pair(b, "values", words[v->which]);
	if (v->which == VALUES_NONE)
		return;
	put_pair(b, "values-of", v->of_text);
	put_pair(b, "values-limit", v->limits_text);
	put_pair(b, "secrets", v->shows_secrets ? "shown" : "redacted");
	if (v->redact_text)
		put_pair(b, "redact", v->redact_text);
}

/* The first record of meta: a directory that has it is a recording, whatever else is missing. */
static void write_header(struct collector *c, const struct collector_start *s)
{
	struct pl_buf b = {0};
	struct utsname u;
	char text[512];

	buf_u16(&b, FORMAT_MAJOR);
	buf_u16(&b, FORMAT_MINOR);
	put_pair(&b, "pathline", PATHLINE_VERSION);
	put_pair(&b, "command", s->command);
	if (uname(&u) == 0) {
		put_pair(&b, "host", u.nodename);
		snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
		put_pair(&b, "system", text);
	}
	put_pair(&b, "clock", c->ticker.source == CLOCK_TSC ? "tsc" : "monotonic");
	put_pair(&b, "arena", c->arena_path);
	put_pair(&b, "directory", c->directory);
	put_pair(&b, "on-full", s->on_full == FULL_DROP ? "drop" : "wait");
	put_pair(&b, "stamps", s->clock);
	put_pair(&b, "order", s->order == ORDER_EXACT ? "exact" : "witness");
	put_pair(&b, "passes", s->passes == PASSES_NONE ? "none" : "all");
	if (*s->filter_text)
		put_pair(&b, "filter", s->filter_text);
	put_values(&b, &s->values);
	snprintf(text, sizeof text, "%llu", (unsigned long long)s->limit_bytes);
	put_pair(&b, "limit_bytes", text);
	if (s->keep_ns) {
		snprintf(text, sizeof text, "%lld", (long long)s->keep_ns);
		put_pair(&b, "keep_ns", text);
	}
	snprintf(text, sizeof text, "%lld", (long long)clock_compare(c->ticker.source).real_ns);
	put_pair(&b, "start_ns", text);
	store_put(&c->store, RECORD_HEADER, &b);
	buf_release(&b);
}

void collector_write_clock(struct collector *c, bool always)
{
	struct ticker_now now;
	struct pl_buf b = {0};

	ticker_read(c->ticker.source, &now);
	if (!always && !ticker_due(&c->ticker, &now))
		return;
	struct clock_point p = clock_compare(c->ticker.source);
	buf_varint(&b, p.ticks);
	buf_varint(&b, (uint64_t)p.mono_ns);
	buf_varint(&b, (uint64_t)p.real_ns);
	buf_varint(&b, (uint64_t)p.error_ns);
	buf_varint(&b, ticker_recorded(&c->ticker, &now));
	store_put(&c->store, RECORD_CLOCK, &b);
	store_flush(&c->store);
	buf_release(&b);
}

/* `record` has reported it already, so it is not counted there as a loss. */
static void note_refused(struct collector *c)
{
	const struct arena_head *h = c->arena.head;
	uint32_t count = atomic_load_explicit(&h->refused, memory_order_acquire);
	struct collector_totals before = c->totals;
	char text[sizeof h->refused_why + 32];

	if (!count)
		return;
	int n = snprintf(text, sizeof text, "%.*s", (int)sizeof h->refused_why - 1, h->refused_why);
	if (count > 1)
		snprintf(text + n, sizeof text - (size_t)n, "; and %u more", count - 1);
	collector_lose(c, &(struct loss){.reason = PL_GAP_REFUSED, .text = text});
	c->totals = before;
}

/* Processes that were started and cannot be followed. */
static void write_left_out(struct collector *c)
{
	static const char *const why[] = {
#define X(constant, meaning) [LEFT_##constant] = meaning,
		LEFT_KINDS(X)
#undef X
	};
	struct arena_head *h = c->arena.head;
	char text[1024];

	for (int kind = 0; kind < LEFT_KIND_COUNT; kind++) {
		struct left_out *row = &h->left_out[kind];
		uint32_t n = atomic_load_explicit(&row->count, memory_order_acquire);
		if (!n)
			continue;
		snprintf(text, sizeof text, "%u started and not recorded, the first %.*s: %s", n,
			(int)sizeof row->first - 1, row->first, why[kind]);
		collector_lose(c, &(struct loss){.reason = PL_GAP_LEFT_OUT, .text = text});
	}
}

void collector_unlink(struct collector *c)
{
	char link[PATH_MAX];

	unlink(c->arena_path);
	if (arena_link_path(c->arena_path, link))
		unlink(link);
}

/* The arena is removed last: a reader who finds neither it nor END reads once more before reporting
 * that the end is missing (trace/recording.c). */
void collector_write_end(struct collector *c, bool recovered)
{
	atomic_store_explicit(&c->arena.head->state, ARENA_CLOSED, memory_order_release);
	if (c->streams.refused)
		collector_lose(c, &(struct loss){.reason = PL_GAP_DAMAGED,
					  .text = "parts of the ring made no sense"});
	samples_flush(c);
	note_refused(c);
	write_left_out(c);
	collector_write_clock(c, true);
	costs_write(&c->costs, &c->store);
	store_end(&c->store, clock_ticks(c->ticker.source), recovered);
	collector_unlink(c);
}

void collector_release(struct collector *c)
{
	store_close(&c->store);
	streams_release(&c->streams);
	bodies_release(&c->bodies);
	costs_release(&c->costs);
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

/* ---- a round ---- */

/* Chunks of an arena: how many at the beginning, and how many are kept free. The free ones last for
 * the longest sleep, IDLE_TICK_NS, at 35 MB a second; at 190, if each call or line is stamped. */
static const struct {
	uint32_t first, free;
} arena_rooms[] = {{40, 24}, {200, 120}};

static uint32_t free_chunks(const struct collector *c)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < ARENA_CHUNKS / 64; w++)
		n += (uint32_t)__builtin_popcountll(
			atomic_load_explicit(&c->arena.head->free[w], memory_order_relaxed));
	return n;
}

/* Keep a quarter free. true: that fails, so chunks are scarce. */
static bool keep_quarter_free(struct collector *c)
{
	uint32_t count = c->arena.file_chunks;
	uint32_t least = arena_rooms[c->stamped].free;
	uint32_t wish = count / 4 > least ? count / 4 : least;
	uint32_t have = free_chunks(c);

	if (have >= wish)
		return false;
	if (count >= c->arena.chunk_limit || c->grow_failed)
		return true;
	uint32_t to = count + count / 2;
	int err = arena_grow(
		&c->arena, c->arena_fd, to < c->arena.chunk_limit ? to : c->arena.chunk_limit);
	if (err == 0)
		return false;
	c->grow_failed = true;
	collector_lose(c, &(struct loss){.reason = PL_GAP_FULL,
				  .text = "no room for more rings: the program may have to wait"});
	return true;
}

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
	samples_settle(c, now_ns);
	blocks_cut(c, keep_quarter_free(c) ? BLOCKS_ALL : why, now_ns);
	if (store_is_old(&c->store))
		blocks_make_room(c, 0);
	forget_codes(c, freed);
	processes_end(c, now_ns);
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
	t->lost += s->dropped_events;
	if (!t->losses++)
		snprintf(t->worst, sizeof t->worst, "%s", gap_meanings[PL_GAP_EVICTED]);
}

static void send_report(struct loop *l, bool finished)
{
	struct collector *c = l->c;
	struct collector_packet p = {.word = COLLECTOR_REPORT,
		.totals = c->totals,
		.bytes = store_bytes(&c->store),
		.running = c->processes.count,
		.finished = finished};

	if (!l->report_due)
		return;
	l->report_due = false;
	p.totals.threads = c->streams.threads;
	add_dropped(&p.totals, &c->store);
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
		samples_take(c, mono_ns());
		ticker_store(&c->ticker, &c->arena.head->tick, clock_ticks(c->ticker.source));
		if (before_ns)
			tick_cost(l, cpu_ns() - before_ns);
		before_ns = 0;
		if (!round_due(l, mono_ns())) {
			wait_for_news(l);
			continue;
		}
		if (collector_round(c, BLOCKS_DUE))
			l->moved_ns = mono_ns();
		collector_write_clock(c, false);
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

/* ---- its beginning ---- */

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
	return arena_create(&c->arena, c->arena_path, arena_rooms[c->stamped].first, &c->arena_fd);
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
	return 0;
}

/* Keep nothing of the command's: neither descriptors, nor terminal, session or directory. */
static void leave_the_command(int keep_a, int keep_b)
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
static int listen_to_signals(bool outlives_terms)
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

static void add_to_epoll(int epoll, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

static int say_word(const struct collector_start *s, enum collector_word word, const char *text)
{
	struct collector_packet p = {.word = word};

	snprintf(p.text, sizeof p.text, "%s", text);
	return send(s->channel, &p, sizeof p, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static const char *what_helps(int err)
{
	return err == -EFBIG ? "; raise the file-size limit (ulimit -f)" : "";
}

/* READY is said only when the header and the first point of the clock are on disk: each recording
 * that a program writes to can be read, whatever happens next. */
static int collector_begin(struct collector *c, const struct collector_start *s)
{
	char why[PATH_MAX + 128];

	c->ticker.source = clock_choose();
	int err = store_create(&c->store, s->directory_fd, s->limit_bytes);
	c->store.keep_ns = s->keep_ns;
	c->store.now_ns = mono_ns();
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
		write_header(c, s);
		ticker_store(&c->ticker, &c->arena.head->tick, clock_ticks(c->ticker.source));
		collector_write_clock(c, true);
		err = -c->store.failed;
		if (err < 0) {
			snprintf(why, sizeof why, "%s cannot be written: %s%s", s->directory,
				strerror(-err), what_helps(err));
			collector_unlink(c);
		}
	}
	if (err < 0)
		say_word(s, COLLECTOR_FAILED, why);
	return err;
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
	leave_the_command(s->directory_fd, s->channel);
	l.signals = listen_to_signals(s->outlives_terms);
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
	say_word(s, COLLECTOR_READY, c->arena_path);
	run_loop(&l);
done:
	collector_release(c);
	/* `record` may be waiting for our end. */
	if (err == 0 && finish_wanted())
		finish_others();
	free(c);
	return err < 0;
}
