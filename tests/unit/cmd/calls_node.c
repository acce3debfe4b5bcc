/* Nodes of the tree of calls: what repeats is folded, in one node or in rounds; lists, and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "cmd/calls_node.h"

#define CODE(letter) ((const struct pl_code *)(uintptr_t)(letter))

static struct call_nodes all;
static uint64_t seq;

static struct call_node *call(struct call_node *parent, char letter)
{
	struct call_node *n = call_node_new(&all);

	assert_non_null(n);
	n->parent = parent;
	n->code = CODE(letter);
	n->begin = CALL_CALLED;
	n->end = CALL_RETURNED;
	n->one.seq = ++seq;
	n->total_ns = 10;
	n->latest_ns = (int64_t)seq;
	return n;
}

static void end(struct call_node *n, bool fold)
{
	call_node_shape(n);
	call_node_append(&all, n, fold);
}

/* One call after the other, each without children. */
static void calls(struct call_node *parent, const char *letters, bool fold)
{
	for (; *letters; letters++)
		end(call(parent, *letters), fold);
}

/* "a3 (b c)2": the letter, and how often; a round in parentheses. */
static void write_nodes(const struct call_node *parent, char *text)
{
	for (const struct call_node *n = parent->first; n; n = n->next) {
		sprintf(text + strlen(text), "%s", n->prev ? " " : "");
		if (n->begin == CALL_REPEAT)
			strcat(text, "(");
		else
			sprintf(text + strlen(text), "%c", (char)(uintptr_t)n->code);
		if (n->first && n->begin != CALL_REPEAT)
			strcat(text, "[");
		write_nodes(n, text);
		if (n->first)
			strcat(text, n->begin == CALL_REPEAT ? ")" : "]");
		if (n->count > 1)
			sprintf(text + strlen(text), "%d", (int)n->count);
	}
}

static void expect(struct call_node *root, const char *text)
{
	char written[512] = "";

	write_nodes(root, written);
	assert_string_equal(written, text);
	while (root->first)
		call_node_free(&all, call_node_take(root));
	assert_int_equal(root->children, 0);
	assert_int_equal(all.held, 0);
}

static void expect_calls(const char *letters, const char *text)
{
	struct call_node root = {.parent = NULL};

	calls(&root, letters, true);
	expect(&root, text);
}

static void folds(void **state)
{
	(void)state;
	expect_calls("a", "a");
	expect_calls("aaa", "a3");
	expect_calls("aabb", "a2 b2");
	expect_calls("abab", "(a b)2");
	expect_calls("ababab", "(a b)3");
	expect_calls("abcabcabc", "(a b c)3");
	expect_calls("aabaab", "(a2 b)2");
	expect_calls("xababy", "x (a b)2 y");
	expect_calls("abababb", "(a b)3"); /* the counts are those of the first round */
	expect_calls("abcd", "a b c d");
	expect_calls("abcdefghiabcdefghi", "a b c d e f g h i a b c d e f g h i"); /* too long */
}

static void as_they_are(void **state)
{
	struct call_node root = {.parent = NULL};

	(void)state;
	calls(&root, "aabab", false);
	expect(&root, "a a b a b");
}

/* The sums of all, and the data of the first and the last one. */
static void sums(void **state)
{
	struct call_node root = {.parent = NULL};

	(void)state;
	seq = 0;
	calls(&root, "aaa", true);
	assert_int_equal(root.first->total_ns, 30);
	assert_int_equal(root.first->one.seq, 1);
	assert_int_equal(root.first->to.seq, 3);
	assert_int_equal(root.first->latest_ns, 3);
	expect(&root, "a3");
	seq = 0;
	calls(&root, "abab", true);
	assert_int_equal(root.first->total_ns, 40);
	assert_int_equal(root.first->first->total_ns, 20);
	assert_int_equal(root.first->to.seq, 3);
	expect(&root, "(a b)2");
}

/* Calls with other children, or another end, are not the same. */
static void shapes(void **state)
{
	static const char *const below[] = {"x", "x", "xx", "y"};
	struct call_node root = {.parent = NULL};
	struct call_node *n;

	(void)state;
	for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
		n = call(&root, 'a');
		calls(n, below[i], true);
		end(n, true);
	}
	expect(&root, "a[x]3 a[y]");
	end(call(&root, 'a'), true);
	n = call(&root, 'a');
	n->end = CALL_RAISED;
	n->type = "KeyError";
	end(n, true);
	n = call(&root, 'a');
	n->caller_line = 7;
	end(n, true);
	expect(&root, "a a a");
}

static void next_ones(void **state)
{
	struct call_node root = {.parent = NULL};
	struct call_node *n = call(&root, 'a');
	char letters[8] = "";

	(void)state;
	calls(n, "bc", false);
	end(n, false);
	calls(&root, "d", false);
	n = root.first;
	for (struct call_node *m = n; m; m = call_node_next(n, m))
		sprintf(letters + strlen(letters), "%c", (char)(uintptr_t)m->code);
	assert_string_equal(letters, "abc"); /* and not d, which is not below it */
	expect(&root, "a[b c] d");
}

static void values(void **state)
{
	const struct pl_values from = {.at = (const uint8_t *)"abc", .bytes = 3},
			       none = {.at = NULL};
	struct pl_values to = {.at = NULL};

	(void)state;
	assert_true(call_values_copy(&all, &to, &from));
	assert_int_equal(all.held, 3);
	assert_ptr_not_equal(to.at, from.at);
	assert_memory_equal(to.at, "abc", 3);
	assert_true(call_values_copy(&all, &to, &none));
	assert_null(to.at);
	assert_int_equal(all.held, 0);
	call_values_release(&all, &to);
}

static int release(void **state)
{
	(void)state;
	call_nodes_release(&all);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds),
		cmocka_unit_test(as_they_are),
		cmocka_unit_test(sums),
		cmocka_unit_test(shapes),
		cmocka_unit_test(next_ones),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
