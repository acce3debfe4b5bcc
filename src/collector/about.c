/* See about.h. */
#include "collector/about.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "collector/collector.h"
#include "pathline/event.h"
#include "pathline/pathline.h"
#include "ring/native_area.h"

static const char *const gap_meanings[] = {
#define X(constant, word, meaning) [PL_GAP_##constant] = meaning,
	PL_GAP_REASONS(X)
#undef X
};

void about_count_loss(struct collector_totals *t, const struct loss *l)
{
	t->lost += l->lost;
	if (!t->losses++)
		snprintf(t->worst, sizeof t->worst, "%s",
			*l->text ? l->text : gap_meanings[l->reason]);
}

void collector_lose(struct collector *c, const struct loss *l)
{
	struct pl_buf b = {0};

	about_count_loss(&c->totals, l);
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

void collector_write_header(struct collector *c, const struct collector_start *s)
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
		put_pair(&b, s->flight.span_ns ? "flight_ns" : "keep_ns", text);
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

/* ---- the tick, as a source ---- */

/* Recorders stamp their next event when the word has changed. */
static void tick_look(struct source *s, int64_t now_ns)
{
	struct collector *c = s->owner;

	(void)now_ns;
	ticker_store(&c->ticker, &c->arena.head->tick, clock_ticks(c->ticker.source));
}

static void tick_drain(struct source *s, int64_t now_ns)
{
	(void)now_ns;
	collector_write_clock(s->owner, false);
}

const struct source_operations tick_source = {
	.name = "tick", .look = tick_look, .drain = tick_drain};

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
	if (native_area_path(c->arena_path, link))
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
	collector_sources_end(c);
	note_refused(c);
	write_left_out(c);
	collector_write_clock(c, true);
	costs_write(&c->costs, &c->store);
	store_end(&c->store, clock_ticks(c->ticker.source), recovered);
	flight_end(c);
	collector_unlink(c);
}
