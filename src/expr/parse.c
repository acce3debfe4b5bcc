/* From text to nodes, by recursive descent:
 *
 *	or       and { "or" and }
 *	and      not { "and" not }
 *	not      "not" not | "(" or ")" | test
 *	test     operand { relation operand }
 *	operand  literal | FIELD { .NAME | [literal] } | len( operand ) | type( operand )
 *
 * a < b < c means a < b and b < c, as in Python.
 */
#define _GNU_SOURCE
#include "expr/node.h"
#include "expr/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NO_NODE UINT16_MAX

struct parser {
	struct expr *e;
	const struct expr_words *words;
	struct expr_fault *fault;
	struct tokens tokens;
	struct token now;      /* the next one, not yet used */
	struct pl_view string; /* of it */
	size_t end;	       /* of the last one that was used */
	unsigned depth;
	int code; /* 0, or why nothing more is read */
};

static void take(struct parser *p)
{
	p->end = p->now.end;
	token_take(&p->tokens, &p->now);
	p->string = p->tokens.string;
	if (p->now.kind == TOKEN_FAULT && !p->code)
		p->code = fault_say(p->e, p->fault, p->now.at, "%.*s: %s",
			(int)(p->now.end - p->now.at > 32 ? 32 : p->now.end - p->now.at),
			p->e->text + p->now.at, p->now.fault);
}

static uint16_t fail(struct parser *p, size_t at, const char *why)
{
	if (!p->code)
		p->code = fault_say(p->e, p->fault, at, "%s", why);
	return NO_NODE;
}

static struct pl_text now_text(const struct parser *p)
{
	return text_part(p->e->text, p->now.at, p->now.end);
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->now.kind == TOKEN_NAME && text_is(now_text(p), word);
}

/* What was expected, where it is missing. */
static uint16_t fail_here(struct parser *p, const char *expected)
{
	if (p->code)
		return NO_NODE;
	if (p->now.kind == TOKEN_END)
		p->code = fault_say(
			p->e, p->fault, p->now.at, "it ends where %s is missing", expected);
	else
		p->code = fault_say(p->e, p->fault, p->now.at, "%.*s: %s is missing before it",
			(int)(p->now.end - p->now.at > 40 ? 40 : p->now.end - p->now.at),
			p->e->text + p->now.at, expected);
	return NO_NODE;
}

/* ---- memory ---- */

static uint16_t new_node(struct parser *p, enum expr_op op, uint16_t left, uint16_t right)
{
	struct expr *e = p->e;

	if (p->code || left == NO_NODE || (right == NO_NODE && op != OP_NOT && op != OP_IS))
		return NO_NODE;
	if (e->node_count == EXPR_NODES)
		return fail(p, p->now.at, "the expression is too long");
	struct expr_node *n = &e->nodes[e->node_count];
	*n = (struct expr_node){.op = op, .left = left, .right = right};
	const bool tests = op >= OP_IS;
	n->at = tests ? e->operands[left].at : e->nodes[left].at;
	n->end = p->end;
	if (tests)
		p->code = node_fit(e, n, p->words, p->fault);
	return p->code ? NO_NODE : e->node_count++;
}

static uint16_t new_operand(struct parser *p)
{
	struct expr *e = p->e;

	if (e->operand_count == EXPR_OPERANDS)
		return fail(p, p->now.at, "the expression is too long");
	e->operands[e->operand_count] = (struct expr_operand){
		.at = p->now.at, .end = p->now.end, .index = SIZE_MAX, .else_field = FIELD_COUNT};
	return e->operand_count++;
}

/* ---- literals ---- */

static struct pl_value text_value(struct pl_view text)
{
	return (struct pl_value){.kind = PL_VALUE_STR,
		.text = {.at = (const char *)text.at, .length = text.left},
		.length = text.left};
}

/* The token before is a minus. */
static void negate(struct pl_value *v)
{
	v->integer = -v->integer;
	v->real = -v->real;
}

static bool take_constant(struct parser *p, struct pl_value *v)
{
	static const struct {
		const char *word;
		enum pl_value_kind kind;
	} words[] = {{"None", PL_VALUE_NONE}, {"True", PL_VALUE_TRUE}, {"False", PL_VALUE_FALSE}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (is_word(p, words[i].word)) {
			*v = (struct pl_value){.kind = words[i].kind};
			take(p);
			return true;
		}
	return false;
}

/* false: none is here. */
static bool take_literal(struct parser *p, struct expr_operand *o)
{
	const bool minus = p->now.kind == TOKEN_MINUS;

	o->at = p->now.at;
	if (minus)
		take(p);
	if (p->now.kind == TOKEN_INT || p->now.kind == TOKEN_DURATION)
		o->literal = (struct pl_value){.kind = PL_VALUE_INT, .integer = p->now.integer};
	else if (p->now.kind == TOKEN_FLOAT)
		o->literal = (struct pl_value){.kind = PL_VALUE_FLOAT, .real = p->now.real};
	else if (p->now.kind == TOKEN_STRING && !minus)
		o->literal = text_value(p->string);
	else if (minus)
		return fail_here(p, "a number"), false;
	else if (take_constant(p, &o->literal))
		return o->end = p->end, true;
	else
		return false;
	o->duration = p->now.kind == TOKEN_DURATION;
	if (minus)
		negate(&o->literal);
	take(p);
	o->end = p->end;
	return true;
}

/* "(1, 2, 'x')": operands behind each other. */
static uint16_t take_list(struct parser *p)
{
	const uint16_t list = new_operand(p);

	if (list == NO_NODE)
		return NO_NODE;
	struct expr_operand *o = &p->e->operands[list];
	o->kind = OPERAND_LIST;
	o->first = p->e->operand_count;
	take(p);
	while (p->now.kind != TOKEN_CLOSE && !p->code) {
		const uint16_t item = new_operand(p);
		if (item == NO_NODE || !take_literal(p, &p->e->operands[item]))
			return fail_here(p, "a number or a text");
		o->count++;
		if (p->now.kind == TOKEN_COMMA)
			take(p);
		else if (p->now.kind != TOKEN_CLOSE)
			return fail_here(p, "a comma or )");
	}
	take(p);
	o->end = p->end;
	return p->code ? NO_NODE : list;
}

/* ---- fields ---- */

static struct expr_step *new_step(struct parser *p, struct expr_operand *o)
{
	if (p->e->step_count == EXPR_STEPS) {
		fail(p, p->now.at, "the expression is too long");
		return NULL;
	}
	o->count++;
	return &p->e->steps[p->e->step_count++];
}

static void take_attribute(struct parser *p, struct expr_operand *o)
{
	take(p);
	if (p->now.kind != TOKEN_NAME) {
		fail_here(p, "a name");
		return;
	}
	struct expr_step *step = new_step(p, o);
	if (!step)
		return;
	const struct pl_text name = now_text(p);
	step->kind = STEP_ATTRIBUTE;
	step->key = text_value(view_of(name.at, name.length));
	take(p);
}

static void take_item(struct parser *p, struct expr_operand *o)
{
	struct expr_operand key = {0};

	take(p);
	if (!take_literal(p, &key)) {
		fail_here(p, "a number or a text");
		return;
	}
	struct expr_step *step = new_step(p, o);
	if (!step)
		return;
	step->kind = key.literal.kind == PL_VALUE_INT ? STEP_INDEX : STEP_KEY;
	step->key = key.literal;
	if (p->now.kind == TOKEN_CLOSE_ITEM)
		take(p);
	else
		fail_here(p, "]");
}

static void take_steps(struct parser *p, struct expr_operand *o)
{
	o->first = p->e->step_count;
	while (!p->code && (p->now.kind == TOKEN_DOT || p->now.kind == TOKEN_OPEN_ITEM)) {
		if (p->now.kind == TOKEN_DOT)
			take_attribute(p, o);
		else
			take_item(p, o);
	}
	o->end = p->end;
}

static void fail_name(struct parser *p, struct pl_text name, size_t at)
{
	const char *nearest = field_nearest(name);
	const int length = name.length < 64 ? (int)name.length : 64;

	if (nearest)
		p->code = fault_say(p->e, p->fault, at, "%.*s is not a field; did you mean %s?",
			length, name.at, nearest);
	else
		p->code = fault_say(p->e, p->fault, at,
			"%.*s is not a field; an argument is args.%.*s", length, name.at, length,
			name.at);
	snprintf(p->fault->unknown, sizeof p->fault->unknown, "%.*s", (int)name.length, name.at);
}

/* args.NAME: the first step is the argument. */
static void take_argument(struct parser *p, struct expr_operand *o)
{
	struct expr_step *first = &p->e->steps[o->first];

	if (!o->count || first->key.kind != PL_VALUE_STR) {
		fail(p, o->at, "args: say of which argument, such as args.qty");
		return;
	}
	o->name = first->key.text;
	o->first++;
	o->count--;
}

static bool has_parts(enum expr_field field)
{
	return field == FIELD_ARGS || field == FIELD_VARIABLE || field == FIELD_RESULT ||
	       field == FIELD_EXCEPTION || field == FIELD_VALUE;
}

static bool is_of_argument(enum expr_field field)
{
	return field == FIELD_ARG || field == FIELD_VALUE || field == FIELD_TYPE;
}

static void take_field(struct parser *p, struct expr_operand *o)
{
	const struct pl_text name = now_text(p);
	const size_t at = p->now.at;
	const enum expr_field field = field_find(name);

	o->kind = OPERAND_FIELD;
	o->field = field;
	if (p->words->variables && field != FIELD_ARGS) {
		o->field = FIELD_VARIABLE;
		o->name = name;
		o->else_field = field;
	} else if (field == FIELD_COUNT) {
		fail_name(p, name, at);
		return;
	}
	take(p);
	take_steps(p, o);
	if (o->count && !has_parts(o->field))
		fail(p, at, "this field has no parts; those that have: args, result, exception");
	if (o->field == FIELD_ARGS && !p->code)
		take_argument(p, o);
	p->e->by_argument |= is_of_argument(o->field) || is_of_argument(o->else_field);
	p->e->looks_back |= (field_needs(o->field) & EXPR_ARGS) || o->field == FIELD_DURATION ||
			    o->field == FIELD_EXCEPTION;
	p->e->needs |= field_needs(o->field) |
		       (o->else_field != FIELD_COUNT ? field_needs(o->else_field) : 0);
}

static void take_operand_into(struct parser *p, struct expr_operand *o);

/* "len(": the name is followed by a bracket. */
static bool take_function(struct parser *p, struct expr_operand *o)
{
	const bool length = is_word(p, "len"), type = is_word(p, "type");
	const size_t at = p->now.at;

	if ((!length && !type) || p->e->text[p->now.end] != '(')
		return false;
	take(p);
	take(p);
	take_operand_into(p, o);
	if (p->code)
		return true;
	if (o->kind != OPERAND_FIELD || o->apply || !has_parts(o->field)) {
		fail(p, at, "len() and type() are of a value, such as args.order");
	} else if (p->now.kind != TOKEN_CLOSE) {
		fail_here(p, ")");
	} else {
		take(p);
		o->apply = length ? APPLY_LENGTH : APPLY_TYPE;
		o->at = at;
		o->end = p->end;
	}
	return true;
}

static void take_operand_into(struct parser *p, struct expr_operand *o)
{
	static const char *const reserved[] = {"and", "or", "in", "like", "is"};

	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (is_word(p, reserved[i])) {
			fail_here(p, "a field, a number or a text");
			return;
		}
	if (take_literal(p, o) || p->code)
		return;
	if (p->now.kind != TOKEN_NAME)
		fail_here(p, "a field, a number or a text");
	else if (p->depth++ >= EXPR_DEPTH)
		fail(p, p->now.at, "there are too many brackets in each other");
	else if (!take_function(p, o))
		take_field(p, o);
}

static uint16_t take_operand(struct parser *p)
{
	const uint16_t index = new_operand(p);
	const unsigned depth = p->depth;

	if (index != NO_NODE)
		take_operand_into(p, &p->e->operands[index]);
	p->depth = depth;
	return p->code ? NO_NODE : index;
}

/* ---- tests ---- */

struct relation {
	enum expr_op op;
	bool negated;
};

static bool take_sign_relation(struct parser *p, struct relation *r)
{
	static const struct {
		enum token_kind token;
		struct relation relation;
	} signs[] = {{TOKEN_EQ, {OP_EQ, false}}, {TOKEN_NE, {OP_NE, false}},
		{TOKEN_LT, {OP_LT, false}}, {TOKEN_LE, {OP_LE, false}}, {TOKEN_GT, {OP_GT, false}},
		{TOKEN_GE, {OP_GE, false}}, {TOKEN_MATCHES, {OP_MATCHES, false}},
		{TOKEN_NOT_MATCHES, {OP_MATCHES, true}}};

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (p->now.kind == signs[i].token) {
			*r = signs[i].relation;
			take(p);
			return true;
		}
	return false;
}

/* "like", "not like", "in", "not in", "is", "is not", or a sign. */
static bool take_relation(struct parser *p, struct relation *r)
{
	if (take_sign_relation(p, r))
		return true;
	*r = (struct relation){.op = OP_EQ};
	if (is_word(p, "is")) {
		take(p);
		r->op = is_word(p, "not") ? OP_NE : OP_EQ;
		if (r->op == OP_NE)
			take(p);
		return true;
	}
	r->negated = is_word(p, "not");
	if (r->negated)
		take(p);
	if (!is_word(p, "like") && !is_word(p, "in")) {
		if (r->negated)
			fail_here(p, "like or in");
		return false;
	}
	r->op = is_word(p, "in") ? OP_IN : OP_LIKE;
	take(p);
	return true;
}

static uint16_t take_test(struct parser *p)
{
	uint16_t left = take_operand(p), all = NO_NODE;
	struct relation r;

	while (!p->code && take_relation(p, &r)) {
		const bool list = r.op == OP_IN && p->now.kind == TOKEN_OPEN;
		const uint16_t right = list ? take_list(p) : take_operand(p);
		uint16_t one = new_node(p, r.op, left, right);
		if (r.negated)
			one = new_node(p, OP_NOT, one, NO_NODE);
		all = all == NO_NODE ? one : new_node(p, OP_AND, all, one);
		left = right;
	}
	return p->code ? NO_NODE : all == NO_NODE ? new_node(p, OP_IS, left, NO_NODE) : all;
}

static uint16_t take_or(struct parser *p);

static uint16_t take_not(struct parser *p)
{
	uint16_t node = NO_NODE;

	if (p->code)
		return NO_NODE;
	if (p->depth++ >= EXPR_DEPTH)
		return fail(p, p->now.at, "there are too many brackets in each other");
	if (is_word(p, "not")) {
		take(p);
		node = new_node(p, OP_NOT, take_not(p), NO_NODE);
	} else if (p->now.kind == TOKEN_OPEN) {
		take(p);
		node = take_or(p);
		if (!p->code && p->now.kind != TOKEN_CLOSE)
			node = fail_here(p, "and, or, or )");
		take(p);
	} else {
		node = take_test(p);
	}
	p->depth--;
	return p->code ? NO_NODE : node;
}

static uint16_t take_and(struct parser *p)
{
	uint16_t node = take_not(p);

	while (!p->code && is_word(p, "and")) {
		take(p);
		node = new_node(p, OP_AND, node, take_not(p));
	}
	return node;
}

static uint16_t take_or(struct parser *p)
{
	uint16_t node = take_and(p);

	while (!p->code && is_word(p, "or")) {
		take(p);
		node = new_node(p, OP_OR, node, take_and(p));
	}
	return node;
}

int parse(struct expr *e, const struct expr_words *words, struct expr_fault *fault)
{
	struct parser p = {.e = e,
		.words = words,
		.fault = fault,
		.tokens = {.text = e->text, .room = e->strings}};

	take(&p);
	if (!p.code && p.now.kind == TOKEN_END)
		return fault_say(e, fault, 0, "the expression is empty");
	e->root = take_or(&p);
	if (!p.code && p.now.kind != TOKEN_END)
		fail_here(&p, "and or or");
	return p.code;
}
