/* A recording made by hand, in memory: what tests of libpathline read.
 *
 *	struct maker m;
 *	maker_init(&m);                               a header, one process, a clock
 *	maker_body(&m, 7, "f", 10, 3);                body 7: f, first line 10, three lines 11 12 13
 *	struct maker_thread *t = maker_thread(&m, 0);
 *	maker_enter(t, EVENT_NO_SITE, 70);            code 70, see maker_code
 *	maker_line(t, 0);
 *	maker_cut(&m, t);                             its events so far become a block
 *	maker_end(&m);
 *	recording_open_files(&r, maker_files(&m), &err)
 *
 * A body's graph is a straight line: a RESUME at unit 0, start i at unit 2 + 4 i, and a step back
 * from the last start to the first. The files can be read, changed and cut off as bytes.
 */
#ifndef TEST_RECORDING_H
#define TEST_RECORDING_H

#include <stdlib.h>
#include "format/block.h"
#include "format/body.h"
#include "format/samples.h"
#include "trace/recording.h"

#define MAKER_SEGMENTS	  8
#define MAKER_THREADS	  8
#define MAKER_START_NS	  1000000000000 /* of CLOCK_REALTIME at ticks 0; a tick is a nanosecond */
#define MAKER_UNIT(start) (2 + 4 * (start))

struct maker_thread {
	struct block_head head;
	struct stack stack, opening;
	struct pl_buf events;
	struct chain_writer chain;
	uint64_t ticks, order, seq, position;
};

struct maker {
	struct files files;
	struct pl_buf meta;
	struct pl_buf segments[MAKER_SEGMENTS]; /* [0] is events.000001 */
	bool there[MAKER_SEGMENTS];
	uint32_t segment; /* index of the one that is written */
	bool arena;	  /* the arena's file is there */
	bool chains;	  /* blocks are packed in chains */
	bool unheard;	  /* bodies from now on: no line has an event, the last one returns */
	uint32_t source;  /* of bodies from now on: number + 1, 0: none */
	struct arguments arguments; /* of bodies from now on */
	uint32_t flags;		    /* co_flags of bodies from now on */
	const char *values;	    /* what --values was; NULL: not given */
	struct pl_map bodies;	    /* code -> body + 1 */
	struct maker_thread threads[MAKER_THREADS];
};

/* ---- files in memory ---- */

static inline struct pl_buf *maker_file(struct files *f, uint32_t file)
{
	struct maker *m = (struct maker *)f;

	if (file == FILE_META)
		return &m->meta;
	return file <= MAKER_SEGMENTS && m->there[file - 1] ? &m->segments[file - 1] : NULL;
}

static int maker_list(struct files *f, struct pl_buf *numbers, struct pl_err *err)
{
	(void)err;
	for (uint32_t i = MAKER_SEGMENTS; i; i--)
		if (maker_file(f, i))
			buf_u32(numbers, i);
	return 0;
}

static int maker_size(struct files *f, uint32_t file, uint64_t *bytes, struct pl_err *err)
{
	const struct pl_buf *b = maker_file(f, file);

	if (!b)
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "no such file");
	*bytes = b->used;
	return 0;
}

static int maker_read(struct files *f, struct span span, struct pl_buf *to, struct pl_err *err)
{
	const struct pl_buf *b = maker_file(f, span.file);

	if (!b)
		return pl_err_cause(err, PL_ERR_NOT_FOUND, "no such file");
	if (span.off > b->used || span.length > b->used - span.off)
		return pl_err_cause(err, PL_ERR_FORMAT, "the file ends early");
	buf_put(to, b->at + span.off, span.length);
	return to->failed ? PL_ERR_MEMORY : 0;
}

static bool maker_exists(struct files *f, const char *path)
{
	(void)path;
	return ((struct maker *)f)->arena;
}

static void maker_no_close(struct files *f)
{
	(void)f;
}

static const struct files_ops maker_ops = {
	.segments = maker_list,
	.size = maker_size,
	.read = maker_read,
	.exists = maker_exists,
	.close = maker_no_close,
};

static inline struct files *maker_files(struct maker *m)
{
	m->files.ops = &maker_ops;
	return &m->files;
}

/* ---- meta ---- */

static inline void maker_meta(struct maker *m, uint16_t kind, struct pl_buf *payload)
{
	record_write(&m->meta, kind, buf_view(payload), NULL, 3);
	buf_release(payload);
}

static inline void maker_text(struct pl_buf *b, const char *text)
{
	buf_string(b, text, strlen(text));
}

/* A record of varints, and of a text unless it is NULL. */
static inline void maker_numbers(
	struct maker *m, uint16_t kind, const uint64_t *v, size_t n, const char *text)
{
	struct pl_buf b = {0};

	for (size_t i = 0; i < n; i++)
		buf_varint(&b, v[i]);
	if (text)
		maker_text(&b, text);
	maker_meta(m, kind, &b);
}
#define MAKER_NUMBERS(m, kind, text, ...)                                                          \
	maker_numbers(m, kind, (const uint64_t[]){__VA_ARGS__},                                    \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), text)

static inline void maker_header(struct maker *m, uint16_t major, uint16_t minor)
{
	struct pl_buf b = {0};

	buf_u16(&b, major);
	buf_u16(&b, minor);
	maker_text(&b, "command");
	maker_text(&b, "python a.py");
	maker_text(&b, "clock");
	maker_text(&b, "monotonic");
	maker_text(&b, "arena");
	maker_text(&b, "/dev/shm/an-arena");
	maker_text(&b, "a key of later");
	maker_text(&b, "passed over");
	if (m->values) {
		maker_text(&b, "values");
		maker_text(&b, m->values);
	}
	maker_meta(m, RECORD_HEADER, &b);
}

static inline void maker_clock(struct maker *m, uint64_t ticks, uint64_t gap)
{
	MAKER_NUMBERS(m, RECORD_CLOCK, NULL, ticks, ticks, MAKER_START_NS + ticks, 5, gap);
}

static inline void maker_process(struct maker *m, uint32_t number)
{
	struct pl_buf b = {0};

	buf_varint(&b, number);
	buf_varint(&b, 0);
	buf_varint(&b, 4711);
	buf_varint(&b, 0);
	buf_varint(&b, 100);
	maker_text(&b, "python a.py");
	maker_text(&b, "/usr/bin/python3");
	maker_text(&b, "CPython 3.13.0");
	maker_meta(m, RECORD_PROCESS, &b);
}

static inline void maker_init_valued(struct maker *m, const char *values)
{
	*m = (struct maker){.arena = true, .values = values};
	m->there[0] = true;
	maker_header(m, FORMAT_MAJOR, FORMAT_MINOR);
	maker_clock(m, 1, 0);
	maker_process(m, 1);
}

static inline void maker_init(struct maker *m)
{
	maker_init_valued(m, NULL);
}

static inline void maker_code(struct maker *m, uint32_t code, uint32_t body)
{
	*map_put(&m->bodies, code) = (uint64_t)body + 1;
}

/* The code of body n is n * 10. */
static inline void maker_body(
	struct maker *m, uint32_t number, const char *name, int32_t first_line, uint32_t starts)
{
	struct flow_start start[16];
	struct flow_block block[17];
	struct flow_edge edge[17];
	struct flow_line line[17];
	struct pl_buf bytes = {0}, b = {0};
	struct body body = {.file = view_of("a.py", 4),
		.name = view_of(name, strlen(name)),
		.first_line = first_line,
		.flags = m->flags,
		.arguments = m->arguments,
		.version = 0x030d};

	block[0] =
		(struct flow_block){.start = FLOW_NONE, .edge_count = 1, .flags = FLOW_BLOCK_ENTRY};
	edge[0] = (struct flow_edge){.to = 1, .fires = FLOW_ALWAYS};
	line[0] = (struct flow_line){.unit = 0, .line = first_line};
	for (uint32_t i = 0; i < starts; i++) {
		start[i] = (struct flow_start){.unit = MAKER_UNIT(i),
			.line = first_line + 1 + (int32_t)i,
			.witness = !m->unheard};
		block[i + 1] = (struct flow_block){
			.unit = MAKER_UNIT(i), .start = i, .first_edge = i + 1, .edge_count = 1};
		edge[i + 1] =
			(struct flow_edge){.to = i + 1 < starts ? i + 2 : 1, .fires = FLOW_ALWAYS};
		line[i + 1] = (struct flow_line){.unit = MAKER_UNIT(i), .line = start[i].line};
	}
	if (m->unheard) {
		block[starts].edge_count = 0;
		block[starts].flags = FLOW_BLOCK_RETURNS;
	}
	body.graph = (struct flow_graph){.unit_count = MAKER_UNIT(starts),
		.analysed = true,
		.starts = start,
		.start_count = starts,
		.blocks = block,
		.block_count = starts + 1,
		.edges = edge,
		.edge_count = starts + !m->unheard,
		.lines = line,
		.line_count = starts + 1};
	body_write(&bytes, &body);
	buf_varint(&b, number);
	buf_varint(&b, m->source);
	buf_string(&b, bytes.at, bytes.used);
	maker_meta(m, RECORD_BODIES, &b);
	buf_release(&bytes);
	maker_code(m, number * 10, number);
}

static inline void maker_string(struct maker *m, uint32_t number, const char *text)
{
	MAKER_NUMBERS(m, RECORD_STRINGS, text, number);
}

/* A source text; the first one has number 1 in `source` of the maker. */
static inline void maker_source(
	struct maker *m, uint64_t number, const char *reason, const char *text)
{
	struct pl_buf b = {0};

	buf_varint(&b, number);
	maker_text(&b, "a.py");
	maker_text(&b, reason);
	maker_text(&b, text);
	maker_meta(m, RECORD_SOURCE, &b);
}

/* ---- events ---- */

static inline struct maker_thread *maker_thread(struct maker *m, uint32_t number)
{
	struct maker_thread *t = &m->threads[number];

	t->head = (struct block_head){.process = 1, .thread = number};
	MAKER_NUMBERS(
		m, RECORD_THREAD, number ? "worker" : "MainThread", 1, number, 9000 + number, 100);
	return t;
}

static inline uint8_t *maker_room(struct maker_thread *t)
{
	return buf_reserve(&t->events, EVENT_BYTES_MAX);
}

static inline void maker_done(struct maker_thread *t, const uint8_t *p)
{
	t->events.used = (size_t)(p - t->events.at);
}

/* Of a further kind, with at most EVENT_TEXT_MAX bytes. */
static inline void maker_further(struct maker_thread *t, uint32_t kind, const char *bytes)
{
	maker_done(t, event_write_further(maker_room(t), kind, bytes, strlen(bytes)));
}

static inline void maker_enter(struct maker_thread *t, uint32_t site, uint32_t code)
{
	maker_done(t, event_write_enter(maker_room(t), site, code, 0));
}

static inline void maker_line(struct maker_thread *t, uint32_t start)
{
	maker_done(t, event_write_line(maker_room(t), start));
}

static inline void maker_event1(struct maker_thread *t, enum event_kind kind, uint64_t a)
{
	maker_done(t, event_write1(maker_room(t), kind, a));
}

static inline void maker_event2(
	struct maker_thread *t, enum event_kind kind, uint64_t a, uint64_t b)
{
	maker_done(t, event_write2(maker_room(t), kind, a, b));
}

static inline void maker_event3(
	struct maker_thread *t, enum event_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
	maker_done(t, event_write3(maker_room(t), kind, a, b, c));
}

/* The run with this number begins. */
static inline void maker_switch(struct maker_thread *t, uint64_t number)
{
	maker_event3(t, EVENT_SWITCH, number, 0, 0);
}

static inline void maker_head(struct maker_thread *t)
{
	struct pl_view v = buf_view(&t->events);
	struct event e;

	t->head.first_seq = t->seq;
	t->head.stream_bytes = t->position;
	t->head.open_ticks = t->ticks;
	t->head.order = t->order;
	t->head.events = 0;
	memset(t->head.counts, 0, sizeof t->head.counts);
	stack_mark(&t->stack);
	while (v.left && event_read(&v, &t->stack.calls, &e) == 0) {
		stack_apply(&t->stack, &e);
		block_count(&t->head, &e);
		t->ticks += e.kind == EVENT_TIME ? e.a : 0;
		t->order = e.kind == EVENT_SWITCH ? e.a : t->order;
	}
	t->head.close_ticks = t->ticks;
	t->head.min_depth = t->stack.min_depth;
	t->seq += t->head.events;
	t->position += t->events.used;
}

static inline void maker_cut(struct maker *m, struct maker_thread *t)
{
	struct pl_buf payload = {0};

	maker_head(t);
	const struct pl_view events = buf_view(&t->events);
	const struct block_source source = {.head = &t->head,
		.stack = &t->opening,
		.bodies = &m->bodies,
		.parts = &events,
		.part_count = 1,
		.chain = m->chains ? &t->chain : NULL};
	if (block_write(&payload, &source, 1))
		abort();
	record_write(&m->segments[m->segment], RECORD_BLOCK, buf_view(&payload), NULL, 0);
	buf_release(&payload);
	buf_reset(&t->events);
	if (stack_copy(&t->opening, &t->stack))
		abort();
	t->head.number++;
	t->head.flags = 0;
}

/* All samples of process 1, in order of time. */
static inline void maker_samples(struct maker *m, const struct sample *samples, uint32_t count)
{
	struct samples_head head = {.process = 1, .count = count};
	struct pl_buf rows = {0}, payload = {0};

	head.open_ticks = head.close_ticks = samples[0].ticks;
	for (uint32_t i = 0; i < count; i++) {
		sample_write(&rows, &samples[i], head.close_ticks);
		head.close_ticks = samples[i].ticks;
	}
	samples_write(&payload, &head, buf_view(&rows));
	record_write(&m->segments[m->segment], RECORD_SAMPLES, buf_view(&payload), NULL, 0);
	buf_release(&rows);
	buf_release(&payload);
}

static inline void maker_next_segment(struct maker *m)
{
	m->there[++m->segment] = true;
	for (size_t i = 0; i < MAKER_THREADS; i++)
		chain_break(&m->threads[i].chain);
}

/* ---- the end ---- */

static inline void maker_thread_end(struct maker *m, const struct maker_thread *t)
{
	MAKER_NUMBERS(m, RECORD_THREAD_END, NULL, 1, t->head.thread, t->ticks, t->seq);
}

static inline void maker_process_end(struct maker *m, enum pl_process_end end, uint32_t code)
{
	MAKER_NUMBERS(m, RECORD_PROCESS_END, NULL, 1, 5000, end, code, 3, 0);
}

static inline void maker_end(struct maker *m)
{
	struct pl_buf b = {0};

	maker_clock(m, 1000000, 0);
	buf_varint(&b, 1000000);
	buf_varint(&b, 0);
	buf_varint(&b, m->meta.used);
	buf_varint(&b, 1);
	for (uint32_t i = 0; i <= m->segment; i++)
		buf_varint(&b, m->segments[i].used);
	maker_meta(m, RECORD_END, &b);
	m->arena = false;
}

static inline void maker_release(struct maker *m)
{
	buf_release(&m->meta);
	for (size_t i = 0; i < MAKER_SEGMENTS; i++)
		buf_release(&m->segments[i]);
	for (size_t i = 0; i < MAKER_THREADS; i++) {
		stack_release(&m->threads[i].stack);
		stack_release(&m->threads[i].opening);
		buf_release(&m->threads[i].events);
		chain_writer_release(&m->threads[i].chain);
	}
	map_release(&m->bodies);
}

#endif
