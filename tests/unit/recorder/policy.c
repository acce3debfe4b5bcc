/* What is heard of a code: a row for each wish and fact alone, and then what holds for all
 * combinations of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "recorder/policy.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- of a code with its record ---- */

/* r: each return, l: each line, h: all LINEs enabled, s: slow end */
static const char *letters(struct policy p)
{
	static char text[5];

	text[0] = p.returns ? 'r' : '-';
	text[1] = p.lines ? 'l' : '-';
	text[2] = p.hears ? 'h' : '-';
	text[3] = p.slow_end ? 's' : '-';
	return text;
}

static struct policy policy_of(struct policy_wishes w, struct policy_facts f)
{
	return policy_join(policy_of_recording(&w), policy_of_code(&f));
}

static void one_wish_or_fact(void **state)
{
	static const struct {
		struct policy_wishes w;
		struct policy_facts f;
		const char *expected;
	} rows[] = {
		{{0}, {0}, "----"},
		{{0}, {.bottom = true}, "r---"},
		{{0}, {.section = true}, "r-h-"},
		{{0}, {.values = true}, "r---"},
		{{0}, {.lines = true}, "rlhs"},
		{{.traces = true}, {0}, "r---"},
		{{.exact = true}, {0}, "r---"},
		{{.calls_timed = true}, {0}, "r---"},
		{{.lines_timed = true}, {0}, "----"},
		{{.filters = true}, {0}, "---s"},
		{{.passes = true}, {0}, "----"},
		{{.compiles = true}, {0}, "----"},
		{{.lines = true}, {0}, "rlhs"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(letters(policy_of(rows[i].w, rows[i].f)), rows[i].expected);
}

/* ---- of a code that is being described ---- */

/* s: starts, r: returns, l: all lines, p: passes, o: at once */
static const char *omitted(struct policy_omission o)
{
	static char text[6];

	text[0] = o.starts ? 's' : '-';
	text[1] = o.returns ? 'r' : '-';
	text[2] = o.lines ? 'l' : '-';
	text[3] = o.passes ? 'p' : '-';
	text[4] = o.at_once ? 'o' : '-';
	return text;
}

#define FUNCTION                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}
#define MODULE                                                                                     \
	{                                                                                          \
		.may_be_straight = true                                                            \
	}

static void one_wish_when_described(void **state)
{
	static const struct {
		struct policy_wishes w;
		struct policy_code c;
		const char *expected;
	} rows[] = {
		{{.passes = true}, FUNCTION, "sr--o"},
		{{.passes = true}, MODULE, "srl-o"},
		{{.passes = true}, {.generator_like = true}, "sr--o"},
		{{.passes = true}, {.watched = true}, "sr---"},
		{{.passes = true}, {.may_be_straight = true, .watched = true}, "sr---"},
		{{.passes = true}, {.generator_like = true, .may_be_straight = true}, "sr--o"},
		{{.passes = true}, {.lines = true}, "-r---"},
		{{.passes = true}, {.may_be_straight = true, .lines = true}, "-r---"},
		{{0}, FUNCTION, "sr-po"},
		{{.passes = true, .traces = true}, FUNCTION, "-r-po"},
		{{.passes = true, .traces = true}, MODULE, "-r-po"},
		{{.passes = true, .exact = true}, FUNCTION, "-r--o"},
		{{.passes = true, .exact = true}, MODULE, "-r--o"},
		{{.passes = true, .compiles = true}, FUNCTION, "-r--o"},
		{{.passes = true, .compiles = true}, MODULE, "-r--o"},
		{{.passes = true, .calls_timed = true}, FUNCTION, "s---o"},
		{{.passes = true, .calls_timed = true}, MODULE, "s---o"},
		{{.passes = true, .lines_timed = true}, FUNCTION, "sr--o"},
		{{.passes = true, .lines_timed = true}, MODULE, "sr--o"},
		{{.passes = true, .filters = true}, FUNCTION, "sr--o"},
		{{.passes = true, .filters = true}, MODULE, "srl-o"},
		{{.passes = true, .lines = true}, FUNCTION, "sr---"},
		{{.passes = true, .lines = true}, MODULE, "sr---"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(
			omitted(policy_omits(&rows[i].w, &rows[i].c)), rows[i].expected);
}

/* ---- all combinations ---- */

#define WISHES 256
#define FACTS  16
#define CODES  16

static struct policy_wishes wishes(unsigned n)
{
	return (struct policy_wishes){
		.traces = n & 1,
		.exact = n >> 1 & 1,
		.calls_timed = n >> 2 & 1,
		.lines_timed = n >> 3 & 1,
		.filters = n >> 4 & 1,
		.passes = n >> 5 & 1,
		.compiles = n >> 6 & 1,
		.lines = n >> 7 & 1,
	};
}

static struct policy_facts facts(unsigned n)
{
	return (struct policy_facts){
		.bottom = n & 1,
		.section = n >> 1 & 1,
		.values = n >> 2 & 1,
		.lines = n >> 3 & 1,
	};
}

static struct policy_code code(unsigned n)
{
	return (struct policy_code){
		.generator_like = n & 1,
		.may_be_straight = n >> 1 & 1,
		.watched = n >> 2 & 1,
		.lines = n >> 3 & 1,
	};
}

static unsigned bits(struct policy p)
{
	return p.returns | p.lines << 1 | p.hears << 2 | p.slow_end << 3;
}

/* What has an event with fewer wishes has one with more. */
static void a_wish_takes_nothing_away(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WISHES; w++)
		for (unsigned f = 0; f < FACTS; f++)
			for (unsigned more = 1; more < WISHES; more <<= 1) {
				unsigned before = bits(policy_of(wishes(w), facts(f)));
				unsigned now = bits(policy_of(wishes(w | more), facts(f)));
				assert_int_equal(before & ~now, 0);
			}
}

static void one_answer_does_not_contradict_another(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WISHES; w++)
		for (unsigned f = 0; f < FACTS; f++) {
			struct policy p = policy_of(wishes(w), facts(f));
			assert_true(!p.lines || (p.returns && p.hears && p.slow_end));
			assert_true(!p.hears || p.returns);
		}
}

/* A code that was described as it may be has the events that its description counts on. */
static void what_is_omitted_is_not_wished(void **state)
{
	(void)state;
	for (unsigned w = 0; w < WISHES; w++)
		for (unsigned c = 0; c < CODES; c++) {
			struct policy_wishes wish = wishes(w);
			struct policy_code of = code(c);
			struct policy_omission o = policy_omits(&wish, &of);
			struct policy p = policy_of(wish, (struct policy_facts){0});
			assert_true(!o.lines || (o.starts && o.at_once && !p.hears));
			assert_true(o.returns || p.returns);
		}
}

/* ---- bits ---- */

static void it_is_one_word(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct policy), sizeof(uint32_t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_wish_or_fact),
		cmocka_unit_test(one_wish_when_described),
		cmocka_unit_test(a_wish_takes_nothing_away),
		cmocka_unit_test(one_answer_does_not_contradict_another),
		cmocka_unit_test(what_is_omitted_is_not_wished),
		cmocka_unit_test(it_is_one_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
