/* An answer is a set of what is possible: false, absent, true. Where all is known the set has one
 * member. `and` is the least of its sides in that order, `or` the greatest, `not` the opposite. */
#define _GNU_SOURCE
#include "base/nearest.h"
#include "expr/match.h"
#include "expr/term.h"
#include "expr/value.h"

#include <stdlib.h>
#include <string.h>

#define IS_FALSE  1u
#define IS_ABSENT 2u
#define IS_TRUE	  4u
#define IS_ANY	  7u

typedef unsigned answers; /* a set of them */

static answers answer_of(bool is)
{
	return is ? IS_TRUE : IS_FALSE;
}

static answers opposite(answers a)
{
	return (a & IS_ABSENT) | (a & IS_FALSE ? IS_TRUE : 0) | (a & IS_TRUE ? IS_FALSE : 0);
}

/* Each of one side with each of the other. */
static answers both(answers a, answers b)
{
	answers all = 0;

	for (answers x = 1; x <= IS_TRUE; x <<= 1)
		for (answers y = 1; y <= IS_TRUE; y <<= 1)
			if (a & x && b & y)
				all |= x < y ? x : y;
	return all;
}

/* ---- one comparison ---- */

static answers from_value(enum value_answer answer)
{
	return answer == VALUE_NOT_KNOWN ? IS_ABSENT : answer_of(answer == VALUE_YES);
}

/* A name, or its end. */
static bool names_match(
	struct pl_text name, char separator, const struct pl_text *pattern, enum match_how how)
{
	do
		if (match_text(*pattern, name, how))
			return true;
	while (match_next_end(&name, separator));
	return false;
}

/* The text to which a pattern is compared: of what is no text, its repr. */
static struct pl_text pattern_subject(const struct ask *a, const struct pl_value *v, bool *front)
{
	struct pl_text text;

	*front = v->missing > 0;
	if (v->kind == PL_VALUE_EXCEPTION && !v->members.at)
		return v->type;
	return value_text(v, &text) ? text : value_repr(v, a->room);
}

/* Of a text that was cut only the front is known: that it does not match is not. */
static answers ask_pattern(const struct ask *a, const struct pl_value *v, char separator,
	const struct expr_operand *pattern, enum expr_op op)
{
	bool front, is;

	if (!value_is_kept(v))
		return IS_ABSENT;
	if (v->kind == PL_VALUE_NONE)
		return IS_FALSE;
	struct pl_text text = pattern_subject(a, v, &front);
	if (op == OP_MATCHES) {
		is = pattern_is_in(pattern->pattern, text);
	} else {
		is = names_match(text, separator, &pattern->literal.text,
			op == OP_LIKE ? MATCH_LIKE : MATCH_EQUAL);
	}
	return is ? IS_TRUE : front ? IS_ABSENT : IS_FALSE;
}

/* exception == 'KeyError', also by the end of its name. */
static answers ask_exception(const struct pl_value *v, const struct pl_text *name)
{
	return answer_of(names_match(value_type(v), '.', name, MATCH_EQUAL));
}

static answers ask_equal(const struct ask *a, const struct pl_value *v, char separator,
	const struct expr_operand *right)
{
	const struct pl_value *literal = &right->literal;

	if (right->unit && v->kind == PL_VALUE_INT)
		return answer_of(v->integer >= literal->integer &&
				 v->integer - literal->integer < right->unit);
	if (literal->kind == PL_VALUE_STR && v->kind == PL_VALUE_EXCEPTION)
		return ask_exception(v, &literal->text);
	if (literal->kind == PL_VALUE_STR && (separator || match_is_pattern(literal->text)))
		return ask_pattern(a, v, separator, right, OP_EQ);
	const enum value_relation relation = value_compare(v, literal);
	return relation == VALUE_UNKNOWN ? IS_ABSENT : answer_of(relation == VALUE_EQUAL);
}

static answers ask_order(enum expr_op op, enum value_relation relation)
{
	if (relation == VALUE_UNKNOWN || relation == VALUE_DIFFERENT)
		return IS_ABSENT;
	const bool equal = relation == VALUE_EQUAL && (op == OP_LE || op == OP_GE);
	const bool less = op == OP_LT || op == OP_LE;
	return answer_of(equal || relation == (less ? VALUE_LESS : VALUE_MORE));
}

/* A text that is no value's, as that of None, has no order. */
static answers ask_one(const struct ask *a, enum expr_op op, const struct term *left,
	const struct pl_value *v, const struct expr_operand *right)
{
	switch (op) {
	case OP_EQ:
	case OP_NE:
		return ask_equal(a, v, left->separator, right);
	case OP_LIKE:
	case OP_MATCHES:
		return ask_pattern(a, v, op == OP_LIKE ? left->separator : 0, right, op);
	default:
		return ask_order(op, value_compare(v, &right->literal));
	}
}

/* Any of its ways may match: a thread by its number, or by its name. */
static answers ask_literal(const struct ask *a, enum expr_op op, const struct term *left,
	const struct expr_operand *right)
{
	answers all = 0;

	for (size_t i = 0; i < left->count; i++)
		all |= ask_one(a, op, left, &left->values[i], right);
	return all & IS_TRUE ? IS_TRUE : all & IS_FALSE ? IS_FALSE : IS_ABSENT;
}

static answers ask_list(
	const struct ask *a, const struct term *left, const struct expr_operand *list)
{
	answers all = IS_FALSE;

	for (uint16_t i = 0; i < list->count && all != IS_TRUE; i++) {
		const answers one = ask_literal(a, OP_EQ, left, &a->e->operands[list->first + i]);
		all = one > all ? one : all;
	}
	return all;
}

/* ---- what was seen ---- */

static void see_text(struct expr_seen *seen, struct pl_text text)
{
	char *to = seen->texts[seen->text_count];

	if (text.length >= sizeof *seen->texts)
		return;
	for (uint32_t i = 0; i < seen->text_count; i++)
		if (text_is(text, seen->texts[i]))
			return;
	memcpy(to, text.at, text.length);
	to[text.length] = 0;
	seen->text_count++;
}

/* The names of the parts that there are, for the first ones that lack the part. */
static void see_lack(struct expr_seen *seen, const struct pl_value *whole)
{
	struct pl_values rest = whole->members;
	struct pl_value member;

	if (seen->asked || seen->text_count == sizeof seen->texts / sizeof *seen->texts)
		return;
	seen->lacks = true;
	for (bool is_key = true; seen->text_count < sizeof seen->texts / sizeof *seen->texts &&
				 pl_values_next(&rest, &member) == 0;
		is_key = !is_key) {
		if (member.name.length)
			see_text(seen, member.name);
		else if (whole->kind == PL_VALUE_DICT && is_key && member.kind == PL_VALUE_STR)
			see_text(seen, member.text);
	}
}

/* From now on its texts are those of values. */
static void see_asked(struct expr_seen *seen)
{
	if (!seen->asked)
		seen->text_count = 0;
	seen->asked = true;
}

/* Of an exception the name of its type, without the module. */
static bool seen_text(const struct pl_value *v, struct pl_text *text)
{
	if (v->kind != PL_VALUE_EXCEPTION)
		return value_text(v, text);
	*text = value_type(v);
	while (match_next_end(text, '.'))
		;
	return true;
}

/* A message needs no more than so many of them. */
#define COMPARED_MAX 2000000u

static void see_near(const struct ask *a, struct expr_node *n, struct pl_text text)
{
	struct expr_seen *seen = &n->seen;
	char word[sizeof seen->near];

	if (text.length >= sizeof word || seen->compared >= COMPARED_MAX)
		return;
	if (!seen->has_given) {
		known_names_plain(node_text(a->e, n), seen->given);
		seen->has_given = true;
		seen->near_edits = SIZE_MAX;
	}
	seen->compared++;
	memcpy(word, text.at, text.length);
	word[text.length] = 0;
	if (nearest_is_nearer(seen->given, word, &seen->near_edits))
		memcpy(seen->near, word, text.length + 1);
}

static void see(const struct ask *a, struct expr_node *n, const struct term *t, answers is)
{
	struct expr_seen *seen = &n->seen;
	struct pl_text text;
	long double number;

	see_asked(seen);
	seen->matched |= is == IS_TRUE;
	if (seen->matched || !t->count)
		return;
	if (value_number(&t->values[0], &number)) {
		const double is_now = (double)number;
		seen->least = seen->has_range && seen->least < is_now ? seen->least : is_now;
		seen->most = seen->has_range && seen->most > is_now ? seen->most : is_now;
		seen->has_range = true;
	} else if (seen_text(&t->values[0], &text)) {
		if (seen->text_count < sizeof seen->texts / sizeof *seen->texts)
			see_text(seen, text);
		see_near(a, n, text);
	}
}

/* ---- parts ---- */

static answers ask_fields(const struct ask *a, const struct expr_node *n, const struct term *left)
{
	struct term right;

	term_take(a, &a->e->operands[n->right], &right);
	if (right.state != TERM_KNOWN)
		return right.state == TERM_ANY ? IS_ANY : IS_ABSENT;
	if (n->op == OP_IN)
		return from_value(value_contains(&right.values[0], &left->values[0]));
	const enum value_relation relation = value_compare(&left->values[0], &right.values[0]);
	if (n->op != OP_EQ && n->op != OP_NE)
		return ask_order(n->op, relation);
	return relation == VALUE_UNKNOWN ? IS_ABSENT : answer_of(relation == VALUE_EQUAL);
}

static answers ask_test(const struct ask *a, struct expr_node *n)
{
	struct expr_operand *right = n->op == OP_IS ? NULL : &a->e->operands[n->right];
	struct term left;
	answers is;

	term_take(a, &a->e->operands[n->left], &left);
	if (left.lacks)
		see_lack(&n->seen, &left.values[0]);
	if (left.state != TERM_KNOWN)
		return left.state == TERM_ANY ? IS_ANY : IS_ABSENT;
	if (!right)
		is = from_value(value_truth(&left.values[0]));
	else if (right->kind == OPERAND_LIST)
		is = ask_list(a, &left, right);
	else if (right->kind == OPERAND_FIELD)
		is = ask_fields(a, n, &left);
	else
		is = ask_literal(a, n->op, &left, right);
	is = left.more && is != IS_TRUE ? IS_ANY : is;
	is = n->op == OP_NE ? opposite(is) : is;
	see(a, n, &left, is);
	return is;
}

static answers ask_node(const struct ask *a, uint16_t index)
{
	struct expr_node *n = &a->e->nodes[index];
	answers left;

	switch (n->op) {
	case OP_NOT:
		return opposite(ask_node(a, n->left));
	case OP_AND:
		left = ask_node(a, n->left);
		return left == IS_FALSE ? left : both(left, ask_node(a, n->right));
	case OP_OR:
		left = ask_node(a, n->left);
		return left == IS_TRUE
			       ? left
			       : opposite(both(opposite(left), opposite(ask_node(a, n->right))));
	default:
		return ask_test(a, n);
	}
}

/* ---- arguments, one by one ---- */

static answers ask_as(struct ask *a, const char *name, const struct pl_value *value)
{
	a->argument.state = ARGUMENT_THIS;
	a->argument.name = (struct pl_text){.at = name, .length = strlen(name)};
	a->argument.value = value;
	return ask_node(a, a->e->root);
}

static answers ask_arguments(struct ask *a)
{
	struct pl_argument arguments[256];
	const struct expr_subject *s = a->s;
	struct pl_values rest = s->args ? *s->args : (struct pl_values){0};
	const size_t count = s->code ? pl_code_arguments(s->code, arguments, 256) : 0;
	struct pl_value value;
	answers all = 0;

	for (size_t i = 0; i < count && i < 256 && pl_values_next(&rest, &value) == 0; i++) {
		a->argument.state = ARGUMENT_THIS;
		a->argument.name = arguments[i].name;
		a->argument.value = &value;
		all |= ask_node(a, a->e->root);
	}
	return all;
}

/* Is there an argument, a result or an exception for which all of it is true? */
static answers ask_each(struct ask *a)
{
	const struct expr_subject *s = a->s;
	struct pl_values rest = s->result ? *s->result : (struct pl_values){0};
	struct pl_value value;
	answers all = ask_arguments(a);

	if (pl_values_next(&rest, &value) == 0)
		all |= ask_as(a, "return value", &value);
	rest = s->exception ? *s->exception : (struct pl_values){0};
	if (pl_values_next(&rest, &value) == 0) {
		all |= ask_as(a, "exception", &value);
	} else if (s->type && s->type[0]) {
		a->argument.type = (struct pl_text){.at = s->type, .length = strlen(s->type)};
		all |= ask_as(a, "exception", NULL);
		a->argument.type = (struct pl_text){0};
	}
	a->argument.state = ARGUMENT_NONE;
	return all & IS_TRUE ? IS_TRUE : ask_node(a, a->e->root);
}

/* A call that has begun: its arguments are known, and not with what it will end. */
static answers ask_begun(struct ask *a)
{
	answers all = ask_arguments(a);

	a->argument.later = true;
	all |= ask_as(a, "return value", NULL) | ask_as(a, "exception", NULL);
	a->argument.later = false;
	a->argument.state = ARGUMENT_NONE;
	return all | ask_node(a, a->e->root);
}

enum expr_answer expr_ask(struct expr *e, const struct expr_subject *s)
{
	const bool whole = !((EXPR_ARGS | EXPR_END) & ~s->known);
	const bool none = s->scope == EXPR_OF_EVENT && s->known & EXPR_KIND &&
			  !(field_kinds(FIELD_ARG) >> s->kind & 1);
	struct ask a = {.e = e, .s = s, .room = &e->room};

	a.argument.state = none ? ARGUMENT_NONE : ARGUMENT_ANY;
	const answers all = !e->by_argument || none ? ask_node(&a, e->root)
			    : whole		    ? ask_each(&a)
			    : s->known & EXPR_ARGS  ? ask_begun(&a)
						    : ask_node(&a, e->root);
	return !(all & IS_TRUE) ? EXPR_NO : all == IS_TRUE ? EXPR_YES : EXPR_MAYBE;
}

struct pl_text node_text(const struct expr *e, const struct expr_node *n)
{
	const struct expr_operand *right = n->op == OP_IS ? NULL : &e->operands[n->right];

	if (right && right->kind == OPERAND_LIST && right->count)
		right = &e->operands[right->first];
	return right && right->literal.kind == PL_VALUE_STR ? right->literal.text
							    : (struct pl_text){"", 0};
}

bool expr_part_is(struct expr *e, const struct expr_node *n, const struct expr_subject *s)
{
	struct ask a = {.e = e, .s = s, .room = &e->room};

	a.argument.state = ARGUMENT_NONE;
	return ask_node(&a, (uint16_t)(n - e->nodes)) == IS_TRUE;
}
