/* What happened without an event: a small code, its frame, and the lines that come out between its
 * events.
 *
 *	block   unit              start     line
 *	  0      0    ENTRY         -
 *	  1      2                  0        10
 *	  2      4    calls         1        11      to 3 or 4
 *	  3      6                  2        12      a witness
 *	  4      8                  3        13
 *	  5     10    returns       4        14      silent
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "format/standing.h"
#include "lib/random.h"

#define ROOM 8

struct scene {
	struct flow_graph g;
	struct follow_code code;
	struct stack stack;
};

static void edge(struct flow_graph *g, uint32_t from, uint32_t to)
{
	struct flow_block *b = &g->blocks[from];

	if (!b->edge_count)
		b->first_edge = g->edge_count;
	g->edges[g->edge_count++] = (struct flow_edge){.to = to, .fires = FLOW_ALWAYS};
	b->edge_count++;
}

static struct flow_graph make_graph(void)
{
	struct flow_graph g = {.unit_count = 12,
		.analysed = true,
		.start_count = 5,
		.block_count = 6,
		.edge_count = 6};

	assert_int_equal(flow_graph_init(&g), 0);
	g.edge_count = 0;
	for (uint32_t i = 0; i < 6; i++)
		g.blocks[i] = (struct flow_block){.unit = 2 * i, .start = i ? i - 1 : FLOW_NONE};
	g.blocks[0].flags = FLOW_BLOCK_ENTRY;
	g.blocks[5].flags = FLOW_BLOCK_RETURNS | FLOW_BLOCK_SILENT;
	for (uint32_t i = 0; i < 5; i++)
		g.starts[i] = (struct flow_start){
			.unit = 2 * (i + 1), .line = 10 + (int32_t)i, .witness = i == 2};
	edge(&g, 0, 1);
	edge(&g, 1, 2);
	edge(&g, 2, 3);
	edge(&g, 2, 4);
	edge(&g, 3, 5);
	edge(&g, 4, 5);
	g.blocks[5].first_edge = g.edge_count;
	assert_int_equal(flow_graph_check(&g), 0);
	return g;
}

static int set_up(void **state)
{
	static struct scene s;

	s = (struct scene){.g = make_graph()};
	assert_int_equal(follow_code_init(&s.code, &s.g), 0);
	assert_int_equal(
		stack_apply(&s.stack,
			&(struct event){.kind = EVENT_ENTER, .code = 1, .site = EVENT_NO_SITE}),
		0);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	follow_code_release(&s->code);
	stack_release(&s->stack);
	flow_graph_release(&s->g);
	return 0;
}

static void expect_lines(
	struct scene *s, const struct follow_lines *lines, const int32_t *wanted, uint32_t count)
{
	uint32_t starts[ROOM];

	assert_int_equal(follow_count(lines), count);
	follow_starts(lines, starts);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(s->g.starts[starts[i]].line, wanted[i]);
}

/* The event, after which the stack is after it. */
static void expect_before(struct scene *s, struct event e, const int32_t *wanted, uint32_t count)
{
	struct follow_lines lines;

	assert_int_equal(follow_event(&s->code, &s->stack, &e, &lines), FOLLOW_LINES);
	expect_lines(s, &lines, wanted, count);
	assert_int_equal(stack_apply(&s->stack, &e), 0);
}

#define LINES(...)                                                                                 \
	(const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static void test_witness(void **state)
{
	struct scene *s = *state;

	expect_before(s, (struct event){.kind = EVENT_LINE, .index = 2}, LINES(10, 11));
}

/* Two calls from the same line, and a witness: each line is told once. */
static void test_calls(void **state)
{
	struct scene *s = *state;
	struct event call = {.kind = EVENT_ENTER, .code = 2, .site = 4},
		     leave = {.kind = EVENT_LEAVE, .unit = 1};

	expect_before(s, call, LINES(10, 11));
	assert_int_equal(stack_apply(&s->stack, &leave), 0);
	call.site = 5;
	expect_before(s, call, NULL, 0);
	assert_int_equal(stack_apply(&s->stack, &leave), 0);
	expect_before(s, (struct event){.kind = EVENT_LINE, .index = 2}, NULL, 0);
}

static void expect_popped(struct scene *s, const int32_t *wanted, uint32_t count)
{
	struct follow_lines lines;

	assert_int_equal(follow_pop(&s->code, stack_top(&s->stack), &lines), FOLLOW_LINES);
	expect_lines(s, &lines, wanted, count);
}

static void test_pop_tells_the_branch(void **state)
{
	expect_popped(*state, LINES(10, 11, 13, 14));
}

static void test_pop_after_witness(void **state)
{
	struct scene *s = *state;

	expect_before(s, (struct event){.kind = EVENT_LINE, .index = 2}, LINES(10, 11));
	expect_popped(s, LINES(14));
}

static void test_place_that_is_not_reached(void **state)
{
	struct scene *s = *state;
	struct event e = {.kind = EVENT_LINE, .index = 2};
	struct follow_lines lines;

	expect_before(s, e, LINES(10, 11));
	assert_int_equal(follow_event(&s->code, &s->stack, &e, &lines), FOLLOW_BROKEN);
	assert_int_equal(stack_top(&s->stack)->place, PLACE_UNKNOWN);
	assert_int_equal(follow_event(&s->code, &s->stack, &e, &lines), FOLLOW_NOTHING);
}

/* A frame that raised and is gone did not return, but where what it stands at swallows: 12 follows
 * 11 in a loop. */
static void test_raised(void **state)
{
	struct scene *s = *state;
	struct event raised = {.kind = EVENT_RAISE, .unit = 5};
	struct follow_lines lines;

	s->g.blocks[5].flags |= FLOW_BLOCK_SWALLOWS;
	expect_before(s, raised, LINES(10, 11));
	assert_int_equal(follow_pop(&s->code, stack_top(&s->stack), &lines), FOLLOW_BROKEN);
	s->g.blocks[2].flags |= FLOW_BLOCK_SWALLOWS;
	expect_popped(s, LINES(13, 14));
}

/* It was swallowed when the frame calls from elsewhere; a finaliser's call from where it raised
 * says nothing. */
static void test_raised_and_called(void **state)
{
	struct scene *s = *state;
	struct event raised = {.kind = EVENT_RAISE, .unit = 4},
		     call = {.kind = EVENT_ENTER, .code = 2, .site = 4},
		     leave = {.kind = EVENT_LEAVE, .unit = 1};
	struct follow_lines lines;

	expect_before(s, raised, LINES(10, 11));
	assert_int_equal(stack_apply(&s->stack, &call), 0);
	assert_int_equal(stack_apply(&s->stack, &leave), 0);
	assert_int_equal(follow_pop(&s->code, stack_top(&s->stack), &lines), FOLLOW_BROKEN);
	s->g.blocks[2].flags |= FLOW_BLOCK_SWALLOWS;
	call.site = 8;
	expect_before(s, call, LINES(13));
	assert_int_equal(stack_apply(&s->stack, &leave), 0);
	expect_popped(s, LINES(14));
}

/* The collector counts what the reader shows. */
static struct follow_code *find(void *context, uint32_t code)
{
	struct scene *s = context;

	return code == 1 ? &s->code : NULL;
}

static void test_counted(void **state)
{
	struct scene *s = *state;
	const struct follow_codes codes = {.find = find, .context = s};
	struct follow_rows rows;

	assert_int_equal(
		follow_apply(&s->stack, &(struct event){.kind = EVENT_POPS, .a = 1}, &codes, &rows),
		0);
	assert_int_equal(rows.lines, 4);
	assert_int_equal(rows.returns, 1);
	assert_int_equal(s->stack.depth, 0);
	assert_int_equal(
		follow_apply(&s->stack, &(struct event){.kind = EVENT_POPS, .a = 1}, &codes, &rows),
		PL_ERR_FORMAT);
}

/* A generator that yields where the other code returns. */
static void make_suspend(struct scene *s)
{
	follow_code_release(&s->code);
	s->g.blocks[5].flags = FLOW_BLOCK_YIELDS | FLOW_BLOCK_SILENT;
	assert_int_equal(follow_code_init(&s->code, &s->g), 0);
}

static void test_yield_is_counted(void **state)
{
	struct scene *s = *state;
	const struct follow_codes codes = {.find = find, .context = s};
	struct follow_rows rows;

	assert_int_equal(follow_left_by(&s->code), EVENT_LEAVE);
	make_suspend(s);
	assert_int_equal(follow_left_by(&s->code), EVENT_SUSPEND);
	assert_int_equal(
		follow_apply(&s->stack, &(struct event){.kind = EVENT_POPS, .a = 1}, &codes, &rows),
		0);
	assert_int_equal(rows.lines, 4);
	assert_int_equal(rows.returns, 0);
	assert_int_equal(rows.yields, 1);
}

/* Events as a recorder can write them, and as only damage does: numbers of starts and sites that
 * are not there, pops of too many. */
static size_t random_events(
	struct random *r, struct event_calls *calls, uint8_t *out, size_t room, uint32_t sites)
{
	uint8_t *p = out;

	while (p + EVENT_BYTES_MAX < out + room) {
		const struct event_resume resume = {.site = 2 * random_below(r, sites),
			.code = 1,
			.unit = random_below(r, 30) ? 2 * random_below(r, 6) : 20000,
			.gen = random_below(r, 9) ? 1 + random_below(r, 3)
						  : UINT64_MAX >> 3 * random_below(r, 20)};
		const uint32_t type = random_below(r, 20) ? 1 + random_below(r, 300) : 20000;
		switch (random_below(r, 20)) {
		case 0:
			p = event_write1(p, EVENT_POPS, random_below(r, 4));
			break;
		case 1:
			p = event_write1(p, EVENT_LEAVE, 2 * random_below(r, 6));
			break;
		case 2:
			p = event_write2(p,
				random_below(r, 2)   ? EVENT_HANDLED
				: random_below(r, 9) ? EVENT_RAISE
						     : EVENT_RAISE | EVENT_EARLY,
				2 * random_below(r, 6), type);
			break;
		case 3:
		case 4:
			p = event_write_call(
				p, calls, 2 * random_below(r, sites), 1 + !random_below(r, 8));
			break;
		case 5:
			p = event_write_enter(
				p, random_below(r, 3) ? 4 : 20000, 1, random_below(r, 9) == 0);
			break;
		case 6:
			if (random_below(r, 30) == 0)
				*p++ = (uint8_t)(random_below(r, 128) | EVENT_KNOWN_CALL);
			break;
		case 7:
			*p++ = EVENT_FAR_CALL;
			*p++ = event_call_far_place(event_call(2 * random_below(r, sites), 1));
			break;
		case 8:
			p = event_write_time(p, random_below(r, 20000));
			break;
		case 9:
			p = event_write1(p, EVENT_AGAIN, 2 * random_below(r, 6));
			break;
		case 10:
			p = event_write1(p, EVENT_SUSPEND, 2 * random_below(r, 6));
			break;
		case 11:
		case 12:
			p = event_write_reentry(p, calls, EVENT_RESUME, &resume);
			break;
		case 13:
			p = event_write0(p, EVENT_UNWIND);
			break;
		case 14:
			p = event_write3(p, EVENT_RERAISE, 2 * random_below(r, 6), 2, type);
			break;
		case 15:
			p = event_write_enter(p, 2 * random_below(r, sites), 1,
				random_below(r, 9) ? resume.gen : 0);
			break;
		default:
			p = event_write_line(p, random_below(r, 20) ? random_below(r, 6) : 300);
		}
	}
	return (size_t)(p - out);
}

/* What count_all did by the short way and by the long one. */
struct ways {
	size_t eaten;			/* bytes, by the short way */
	struct standing_counts all;	/* by both */
	struct standing_counts by_long; /* events alone */
	struct mentions mentions;
};

static const enum event_kind counted[] = {EVENT_LINE, EVENT_ENTER, EVENT_LEAVE, EVENT_AGAIN,
	EVENT_SUSPEND, EVENT_RESUME, EVENT_RAISE, EVENT_RERAISE, EVENT_HANDLED, EVENT_UNWIND};

static uint32_t *count_of(struct standing_counts *c, enum event_kind kind)
{
	return &c->rows[event_row(kind)];
}

static void count_all(struct stack *s, struct pl_view v, const struct follow_codes *codes,
	struct standings *common, struct ways *ways)
{
	const uint8_t *const begin = v.at;
	struct standing_counts *const out = &ways->all;

	while (v.left) {
		struct follow_rows rows;
		struct event e;
		size_t before = v.left;
		if (common) {
			struct standing_events events = {v, (size_t)(v.at - begin)};
			standings_run(common, s, &events, codes, &ways->all);
			v = events.rest;
			assert_int_equal(events.off, v.at - begin);
		}
		ways->eaten += before - v.left;
		if (!v.left)
			break;
		const uint8_t *const at = v.at;
		assert_int_equal(event_read(&v, &s->calls, &e), 0);
		mentions_add_event(&ways->mentions, &e);
		mentions_add_place(
			&ways->mentions, e.kind, (size_t)(at - begin), (size_t)(v.at - at));
		ways->by_long.ticks += e.kind == EVENT_TIME ? e.a : 0;
		bool fits = follow_apply(s, &e, codes, &rows) == 0;
		out->untold.lines += rows.lines;
		out->untold.passes += rows.passes;
		out->untold.returns += rows.returns;
		out->untold.yields += rows.yields;
		if (event_counts(e.kind))
			*count_of(&ways->by_long, e.kind) += fits;
		ways->by_long.known_resumes += e.kind == EVENT_RESUME && e.known;
	}
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		*count_of(out, counted[i]) += *count_of(&ways->by_long, counted[i]);
	out->ticks += ways->by_long.ticks;
	out->known_resumes += ways->by_long.known_resumes;
}

static void expect_same_stack(const struct stack *a, const struct stack *b)
{
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->min_depth, b->min_depth);
	for (uint32_t i = 0; i < a->depth; i++) {
		const struct stack_frame *x = &a->frames[i], *y = &b->frames[i];
		assert_int_equal(x->code, y->code);
		assert_int_equal(x->gen, y->gen);
		assert_int_equal(x->place, y->place);
		assert_int_equal(x->value, y->value);
		assert_int_equal(x->raised, y->raised);
		assert_int_equal(x->from_place, y->from_place);
		if (x->from_place != PLACE_UNKNOWN)
			assert_int_equal(x->from_value, y->from_value);
	}
}

static void add_taken(void *context, uint32_t code, enum event_kind kind, uint64_t count)
{
	struct standing_counts *taken = context;

	assert_in_range(code, 1, 2);
	*count_of(taken, kind) += (uint32_t)count;
}

static void expect_same_counts(struct standing_counts *a, struct standing_counts *b)
{
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		assert_int_equal(*count_of(a, counted[i]), *count_of(b, counted[i]));
	assert_int_equal(a->ticks, b->ticks);
	assert_int_equal(a->known_resumes, b->known_resumes);
	assert_int_equal(a->untold.lines, b->untold.lines);
	assert_int_equal(a->untold.passes, b->untold.passes);
	assert_int_equal(a->untold.returns, b->untold.returns);
	assert_int_equal(a->untold.yields, b->untold.yields);
}

static void expect_same_codes(const struct mentions *a, const struct mentions *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		assert_non_null(map_find(&b->seen, a->codes[i]));
}

static void expect_same_apart(const struct mentions *a, const struct mentions *b)
{
	assert_int_equal(a->apart_count, b->apart_count);
	for (size_t i = 0; i < a->apart_count; i++) {
		assert_int_equal(a->apart[i].at, b->apart[i].at);
		assert_int_equal(a->apart[i].length, b->apart[i].length);
	}
}

/* Neither so many frames that all room is for them, nor none that could leave. */
static void keep_depth(struct stack *s)
{
	const struct stack_frame f = {.code = 1, .place = PLACE_ENTRY};

	if (s->depth > 100)
		stack_pops(s, s->depth - 3);
	while (s->depth < 20)
		assert_int_equal(stack_push(s, &f), 0);
}

/* The short way comes to what the long one does, with bytes that come `times`, one after the
 * other. Gives how often the table was emptied. */
static int compare_ways(
	struct scene *s, struct standings *standings, uint32_t sites, int rounds, int times)
{
	const struct follow_codes codes = {.find = find, .context = s};
	struct random r = {1};
	struct event_calls calls = {0};
	uint8_t bytes[600];
	size_t eaten = 0, all = 0, n = 0;
	uint32_t count = 0;
	int emptied = 0;

	for (int i = 0; i < rounds; i++) {
		if (i % times == 0)
			n = random_events(&r, &calls, bytes, sizeof bytes, sites);
		struct pl_view v = view_of(bytes, n);
		struct stack twin = {0};
		struct standing_counts taken = {0};
		struct ways by_long = {0}, by_both = {0};
		assert_int_equal(stack_copy(&twin, &s->stack), 0);
		stack_mark(&twin);
		stack_mark(&s->stack);
		standings_begin_block(standings, &by_both.mentions);
		emptied += standings->count < count;
		count_all(&s->stack, v, &codes, NULL, &by_long);
		count_all(&twin, v, &codes, standings, &by_both);
		standings_take(standings, add_taken, &taken);
		eaten += by_both.eaten;
		all += v.left;
		expect_same_counts(&by_long.all, &by_both.all);
		for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
			assert_int_equal(*count_of(&taken, counted[k]) +
						 *count_of(&by_both.by_long, counted[k]),
				*count_of(&by_long.all, counted[k]));
		expect_same_codes(&by_long.mentions, &by_both.mentions);
		expect_same_apart(&by_long.mentions, &by_both.mentions);
		expect_same_stack(&s->stack, &twin);
		mentions_release(&by_long.mentions);
		mentions_release(&by_both.mentions);
		stack_release(&twin);
		count = standings->count;
		keep_depth(&s->stack);
	}
	assert_true(eaten > all / 2);
	return emptied;
}

static void test_common(void **state)
{
	static struct standings standings;

	assert_int_equal(compare_ways(*state, &standings, 8, 500, 1), 0);
	standings_release(&standings);
}

static void test_common_of_a_generator(void **state)
{
	static struct standings standings;

	make_suspend(*state);
	assert_int_equal(compare_ways(*state, &standings, 8, 1000, 5), 0);
	standings_release(&standings);
}

/* What comes again is looked up as a whole. */
static void test_again(void **state)
{
	static struct standings standings;

	assert_int_equal(compare_ways(*state, &standings, 8, 1000, 10), 0);
	standings_release(&standings);
}

/* More standings than there is room for. */
static void test_full(void **state)
{
	static struct standings standings;

	assert_true(compare_ways(*state, &standings, 8000, 3000, 1) > 0);
	standings_release(&standings);
	assert_true(compare_ways(*state, &standings, 8000, 9000, 3) > 0);
	standings_release(&standings);
}

static void test_ahead(void **state)
{
	struct scene *s = *state;
	uint32_t starts[ROOM];
	bool leaves;

	assert_int_equal(
		follow_ahead(&s->code, PLACE_ENTRY, 0, starts, &leaves), 4); /* not the witness */
	assert_true(leaves);
	assert_int_equal(follow_ahead(&s->code, PLACE_START, 2, starts, &leaves), 1);
	assert_int_equal(s->g.starts[starts[0]].line, 14);
	assert_int_equal(follow_ahead(&s->code, PLACE_UNKNOWN, 0, starts, &leaves), 0);
	assert_false(leaves);
}

/* A graph of a code that could not be analysed fills in nothing. */
static void test_not_analysed(void **state)
{
	struct scene *s = *state;
	struct flow_graph g = {.unit_count = 4};
	struct follow_code code;
	struct follow_lines lines;

	assert_int_equal(follow_code_init(&code, &g), 0);
	assert_int_equal(follow_event(&code, &s->stack,
				 &(struct event){.kind = EVENT_LEAVE, .unit = 2}, &lines),
		FOLLOW_NOTHING);
	assert_int_equal(follow_event(NULL, &s->stack,
				 &(struct event){.kind = EVENT_LEAVE, .unit = 2}, &lines),
		FOLLOW_NOTHING);
	follow_code_release(&code);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(witness),
		TEST(calls),
		TEST(pop_tells_the_branch),
		TEST(pop_after_witness),
		TEST(place_that_is_not_reached),
		TEST(raised),
		TEST(raised_and_called),
		TEST(counted),
		TEST(yield_is_counted),
		TEST(common),
		TEST(common_of_a_generator),
		TEST(again),
		TEST(full),
		TEST(ahead),
		TEST(not_analysed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
