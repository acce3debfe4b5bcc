#include "collector/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collector/blocks.h"
#include "collector/collector.h"
#include "collector/state.h"
#include "source/kernel.h"
#include "source/native.h"

#define ROWS_MAX	4096 /* of a record */
#define ROWS_BYTES_MAX	(64u << 10)
#define ROWS_AGE_NS	INT64_C(300000000)
#define NAMELESS_AGE_NS INT64_C(2000000000) /* of a process without a number */

/* ---- the rows of a process ---- */

static struct source_rows *find_rows(struct collector_sources *s, uint32_t source, uint32_t pid)
{
	for (uint32_t i = 0; i < s->row_count; i++) {
		const uint32_t at = (s->at + i) % s->row_count;
		if (s->rows[at].pid == pid && s->rows[at].source == source) {
			s->at = at;
			return &s->rows[at];
		}
	}
	return NULL;
}

/* NULL: no memory. */
static struct source_rows *rows_of(struct collector_sources *s, uint32_t source, uint32_t pid)
{
	struct source_rows *found = find_rows(s, source, pid);

	if (found)
		return found;
	if (s->row_count == s->row_room) {
		const uint32_t room = s->row_room ? s->row_room * 2 : 8;
		struct source_rows *rows = realloc(s->rows, room * sizeof *rows);
		if (!rows)
			return NULL;
		s->rows = rows;
		s->row_room = room;
	}
	s->at = s->row_count++;
	s->rows[s->at] = (struct source_rows){.source = source, .pid = pid};
	return &s->rows[s->at];
}

static void forget_rows(struct collector_sources *s, uint32_t index)
{
	buf_release(&s->rows[index].rows);
	s->rows[index] = s->rows[--s->row_count];
	s->at = 0;
}

/* One that lives, if there is one: after an exec two have the pid for a moment. 0: it is not
 * recorded, or not yet. */
static uint32_t number_of_rows(const struct collector *c, const struct source_rows *r)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < c->processes.count; i++) {
		const struct process *p = c->processes.all[i];
		if (p->pid != r->pid || (r->cut && (p->execed || p->number <= r->cut_number)))
			continue;
		if (p->life == LIFE_LIVE || !number)
			number = p->number;
	}
	return number;
}

/* What it was before its exec is still there. */
static bool needs_cut(const struct collector *c, const struct source_rows *r)
{
	for (uint32_t i = 0; i < c->processes.count && r->cut; i++)
		if (c->processes.all[i]->pid == r->pid)
			return true;
	return false;
}

static void write_rows(struct collector *c, struct source_rows *r, uint32_t process)
{
	r->since_ns = 0;
	if (!r->head.count && !r->head.lost)
		return;
	r->head.source = r->source;
	r->head.process = process;
	r->head.pid = r->pid;
	blocks_make_room(c, r->rows.used);
	buf_reset(&c->payload);
	source_events_write(&c->payload, &r->head, buf_view(&r->rows));
	if (!c->store.failed && !r->rows.failed && !c->payload.failed)
		store_source_events(&c->store, &c->payload);
	c->payload.failed = false;
	buf_reset(&r->rows);
	r->rows.failed = false;
	r->head = (struct source_head){0};
}

static void write_due(struct collector *c, int64_t now_ns)
{
	struct collector_sources *s = &c->sources;
	const int64_t age_ns = c->followed ? BLOCK_FOLLOWED_AGE_NS : ROWS_AGE_NS;

	for (uint32_t i = s->row_count; i-- > 0;) {
		struct source_rows *r = &s->rows[i];
		const int64_t waits_ns = now_ns - r->since_ns;
		if (!r->since_ns) {
			if (!needs_cut(c, r))
				forget_rows(s, i);
			continue;
		}
		const uint32_t process = waits_ns >= age_ns ? number_of_rows(c, r) : 0;
		if (process || waits_ns >= NAMELESS_AGE_NS)
			write_rows(c, r, process);
	}
}

/* ---- what a source gives ---- */

/* Between two comparisons of the clocks, about 20 ms apart at most, time is linear. */
static uint64_t ticks_at(const struct collector *c, int64_t mono_ns)
{
	const struct clock_point *now = &c->sources.now, *before = &c->sources.before;
	const int64_t span_ns = now->mono_ns - before->mono_ns;

	if (c->ticker.source == CLOCK_MONO || span_ns <= 0)
		return c->ticker.source == CLOCK_MONO ? (uint64_t)mono_ns : now->ticks;
	const __int128 ticks = (__int128)(now->ticks - before->ticks) * (now->mono_ns - mono_ns);
	return now->ticks - (uint64_t)(int64_t)(ticks / span_ns);
}

static void host_event(struct source *s, const struct source_event *e)
{
	struct collector *c = s->owner;
	struct source_rows *r = rows_of(&c->sources, s->number, e->pid);
	struct source_row row = {.kind = e->kind,
		.native_id = e->native_id,
		.ticks = e->ticks ? e->ticks : ticks_at(c, e->mono_ns),
		.fields = e->fields};

	if (!r)
		return;
	if (!r->since_ns)
		r->since_ns = c->sources.now.mono_ns;
	if (!r->head.count) {
		r->head.open_ticks = r->head.close_ticks = row.ticks;
		r->last = (struct source_row){0};
	}
	source_row_write(&r->rows, &row, &r->last);
	r->last = row;
	r->head.count++;
	r->head.kinds |= UINT64_C(1) << row.kind;
	if (!e->ticks)
		r->head.error_ns = (uint32_t)(c->sources.now.error_ns + c->sources.before.error_ns);
	if (row.ticks < r->head.open_ticks)
		r->head.open_ticks = row.ticks;
	if (row.ticks > r->head.close_ticks)
		r->head.close_ticks = row.ticks;
	if (r->head.count >= ROWS_MAX || r->rows.used >= ROWS_BYTES_MAX)
		write_rows(c, r, number_of_rows(c, r));
}

static void host_lost(struct source *s, uint32_t pid, uint64_t count)
{
	struct collector *c = s->owner;
	struct source_rows *r = count ? rows_of(&c->sources, s->number, pid) : NULL;

	if (!r)
		return;
	if (!r->since_ns)
		r->since_ns = c->sources.now.mono_ns;
	if (!r->head.count && !r->head.lost)
		r->head.open_ticks = r->head.close_ticks = c->sources.now.ticks;
	r->head.lost += count;
	c->totals.lost += count;
}

static void host_names(struct source *s, uint32_t field, uint32_t count, struct pl_view names)
{
	struct collector *c = s->owner;
	struct pl_buf b = {0};

	event_names_write(&b, s->number, field, count, names);
	if (!b.failed)
		store_put(&c->store, RECORD_EVENT_NAMES, &b);
	buf_release(&b);
}

static void host_cut(struct source *s, uint32_t pid)
{
	struct collector *c = s->owner;
	struct source_rows *r = rows_of(&c->sources, s->number, pid);

	if (!r)
		return;
	const uint32_t number = number_of_rows(c, r);
	write_rows(c, r, number);
	r->cut = true;
	if (number > r->cut_number)
		r->cut_number = number;
}

static const struct source_host collector_host = {
	.event = host_event, .lost = host_lost, .names = host_names, .cut = host_cut};

/* ---- running them ---- */

/* Of one that ran, the text is what it says at its end. */
static void say_source(struct collector *c, const struct source *s, enum pl_source_state state)
{
	const struct pl_event_source said = {
		.number = s->number, .name = s->operations->name, .state = state, .text = s->why};
	struct pl_buf b = {0};

	event_source_write(&b, &said);
	store_put(&c->store, RECORD_EVENT_SOURCE, &b);
	store_flush(&c->store);
	buf_release(&b);
}

static void describe_source(struct collector *c, const struct source *s)
{
	struct pl_buf b = {0};

	say_source(c, s, s->runs ? PL_SOURCE_RAN : PL_SOURCE_REFUSED);
	for (uint32_t i = 0; i < s->operations->kind_count && s->runs; i++) {
		buf_reset(&b);
		event_kind_write(&b, s->number, i + 1, &s->operations->kinds[i]);
		store_put(&c->store, RECORD_EVENT_KIND, &b);
	}
	store_flush(&c->store);
	buf_release(&b);
}

static void begin_source(struct collector *c, const struct source_operations *operations,
	const char *wish, const struct source_tree *tree)
{
	struct collector_sources *all = &c->sources;
	struct source *s = &all->all[all->count++];

	*s = (struct source){
		.operations = operations, .wish = wish, .host = &collector_host, .owner = c};
	for (uint32_t i = 0; operations->kinds && i < all->count; i++)
		s->number += all->all[i].operations->kinds != NULL;
	source_start(s, tree);
	if (s->number)
		describe_source(c, s);
}

void collector_sources_begin(
	struct collector *c, const struct collector_start *start, char why[SOURCE_WHY_BYTES])
{
	const struct source_tree tree = {.starter_pid = start->starter_pid,
		.arena_path = c->arena_path,
		.clock = c->ticker.source,
		.pid_space = c->arena.head->pid_space};

	c->sources.before = c->sources.now = clock_compare(c->ticker.source);
	begin_source(c, &sample_source, NULL, &tree);
	begin_source(c, &tick_source, NULL, &tree);
	if (start->kernel)
		begin_source(c, &kernel_source, start->kernel, &tree);
	if (start->native)
		begin_source(c, &native_source, start->native, &tree);
	why[0] = 0;
	for (uint32_t i = 0; i < c->sources.count; i++)
		if (!c->sources.all[i].runs && !why[0])
			snprintf(why, SOURCE_WHY_BYTES, "%s", c->sources.all[i].why);
}

void collector_sources_look(struct collector *c, int64_t now_ns)
{
	sources_look(c->sources.all, c->sources.count, now_ns);
}

/* Some source that runs gives events. */
static bool gives_events(const struct collector_sources *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->all[i].runs && s->all[i].number)
			return true;
	return false;
}

#define COMPARE_NS INT64_C(5000000) /* nearer to each other, their errors would tell in the slope */

void collector_sources_drain(struct collector *c, int64_t now_ns)
{
	struct collector_sources *s = &c->sources;
	const bool gives = gives_events(s);

	if (gives) {
		if (s->now.mono_ns - s->before.mono_ns >= COMPARE_NS)
			s->before = s->now;
		s->now = clock_compare(c->ticker.source);
	}
	sources_drain(s->all, s->count, now_ns);
	if (gives)
		write_due(c, now_ns);
}

void collector_sources_ended(struct collector *c, struct process *p)
{
	struct collector_sources *s = &c->sources;

	sources_ended(s->all, s->count, p);
	for (uint32_t i = 0; i < s->row_count; i++)
		if (s->rows[i].pid == p->pid && p->number == number_of_rows(c, &s->rows[i]))
			write_rows(c, &s->rows[i], p->number);
}

static void write_all_rows(struct collector *c)
{
	struct collector_sources *s = &c->sources;

	for (uint32_t i = 0; i < s->row_count; i++)
		write_rows(c, &s->rows[i], number_of_rows(c, &s->rows[i]));
}

void collector_sources_flush(struct collector *c)
{
	sources_flush(c->sources.all, c->sources.count);
	write_all_rows(c);
}

void collector_sources_end(struct collector *c)
{
	struct collector_sources *s = &c->sources;
	bool ran[COLLECTOR_SOURCES_MAX];

	for (uint32_t i = 0; i < s->count; i++)
		ran[i] = s->all[i].runs;
	sources_stop(s->all, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		if (ran[i] && s->all[i].number && s->all[i].why[0])
			say_source(c, &s->all[i], PL_SOURCE_RAN);
	write_all_rows(c);
}

void collector_sources_release(struct collector *c)
{
	struct collector_sources *s = &c->sources;

	while (s->row_count)
		forget_rows(s, s->row_count - 1);
	free(s->rows);
}
