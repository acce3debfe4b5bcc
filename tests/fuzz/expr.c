/* Fuzz expressions: what is read is asked about subjects of which more and more is known. What was
 * no at first must stay no, and what was yes stay yes. */
#include <stdlib.h>
#include <string.h>
#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Of codes none is there, so nothing is asked of them. */
const char *pl_code_file(const struct pl_code *c)
{
	(void)c;
	return "/home/me/shop/cart.py";
}
const char *pl_code_name(const struct pl_code *c)
{
	(void)c;
	return "Shop.book";
}
size_t pl_code_arguments(const struct pl_code *c, struct pl_argument *arguments, size_t max)
{
	(void)c;
	if (max)
		arguments[0] = (struct pl_argument){.name = {"qty", 3}, .stars = ""};
	return 1;
}
const char *pl_event_kind_name(enum pl_event_kind kind)
{
	static const char *const words[] = {
#define X(constant, word, meaning) word,
		PL_EVENT_KINDS(X)
#undef X
	};

	return kind < PL_EVENT_KIND_COUNT ? words[kind] : "?";
}

static bool variable(void *context, struct pl_text name, bool passed, struct pl_value *out)
{
	(void)context, (void)passed;
	*out = (struct pl_value){.kind = PL_VALUE_STR, .text = name, .length = name.length};
	return name.length < 3;
}

static void ask_all(struct expr *e, enum expr_scope scope)
{
	static const struct pl_thread thread = {.name = "worker"};
	static const struct pl_process process = {.command = "python3 shop.py"};
	struct expr_subject s = {.scope = scope,
		.line = 7,
		.thread = &thread,
		.process = &process,
		.code = (const struct pl_code *)&thread,
		.type = "KeyError",
		.duration_ns = 5000000,
		.variable = variable};
	enum expr_answer before = EXPR_MAYBE;

	for (uint32_t known = 0; known <= EXPR_ALL; known = known << 1 | 1) {
		s.known = known;
		const enum expr_answer now = expr_ask(e, &s);
		if (before != EXPR_MAYBE && now != before)
			abort();
		before = now;
	}
	if (before == EXPR_MAYBE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct pl_recording_info info = {.start_ns = 1, .end_ns = 2};
	const struct when_scale scale = {.info = &info, .start_ns = 1, .end_ns = 2};
	const struct expr_words words = {.scale = &scale, .variables = n && bytes[0] & 1};
	char *text = malloc(n + 1);
	struct expr_fault fault;
	struct expr *e = NULL;
	int64_t from, to;

	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = 0;
	if (expr_read(&e, text, &words, &fault) == 0) {
		for (enum expr_scope scope = EXPR_OF_EVENT; scope <= EXPR_OF_FRAME; scope++)
			ask_all(e, scope);
		expr_times(e, &from, &to);
	} else if (!fault.what[0] || fault.column > n + 1) {
		abort();
	}
	expr_free(e);
	free(text);
	return 0;
}
