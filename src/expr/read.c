#define _GNU_SOURCE
#include "expr/node.h"

#include <stdlib.h>
#include <string.h>

int expr_read(struct expr **out, const char *text, const struct expr_words *words,
	struct expr_fault *fault)
{
	struct expr *e = calloc(1, sizeof *e);

	*out = NULL;
	*fault = (struct expr_fault){0};
	if (!e)
		return PL_ERR_MEMORY;
	int code = strlen(text) > EXPR_TEXT_MAX
			   ? fault_say(e, fault, 0, "it is longer than %d bytes", EXPR_TEXT_MAX)
			   : 0;
	if (code == 0) {
		memcpy(e->text, text, strlen(text) + 1);
		code = parse(e, words, fault);
	}
	if (code) {
		expr_free(e);
		return code;
	}
	*out = e;
	return 0;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	for (uint16_t i = 0; i < e->operand_count; i++)
		if (e->operands[i].pattern) {
			pattern_release(e->operands[i].pattern);
			free(e->operands[i].pattern);
		}
	map_release(&e->may);
	buf_release(&e->room);
	free(e);
}

uint32_t expr_needs(const struct expr *e)
{
	return e->needs;
}

bool expr_variable(const struct expr *e, size_t index, struct pl_text *name)
{
	for (uint16_t i = 0; i < e->operand_count; i++) {
		const struct expr_operand *o = &e->operands[i];
		if (o->kind != OPERAND_FIELD || o->field != FIELD_VARIABLE || index--)
			continue;
		*name = o->name;
		return true;
	}
	return false;
}

bool expr_reads(const struct expr *e, const char *field)
{
	const enum expr_field wanted =
		field_find((struct pl_text){.at = field, .length = strlen(field)});

	for (uint16_t i = 0; i < e->operand_count; i++) {
		const struct expr_operand *o = &e->operands[i];
		if (o->kind == OPERAND_FIELD && (o->field == wanted || o->else_field == wanted))
			return true;
	}
	return false;
}

bool expr_reads_parts(const struct expr *e)
{
	for (uint16_t i = 0; i < e->operand_count; i++)
		if (e->operands[i].kind == OPERAND_FIELD &&
			(e->operands[i].count || e->operands[i].apply == APPLY_LENGTH))
			return true;
	return false;
}

void expr_subject_of(struct expr_subject *s, const struct pl_event *e)
{
	const bool result = e->kind == PL_EVENT_RETURN || e->kind == PL_EVENT_YIELD;
	const bool raises = e->kind == PL_EVENT_RAISE || e->kind == PL_EVENT_THROW ||
			    e->kind == PL_EVENT_RERAISE || e->kind == PL_EVENT_UNWIND ||
			    e->kind == PL_EVENT_HANDLED;

	s->scope = EXPR_OF_EVENT;
	s->known = EXPR_ALL & ~(uint32_t)EXPR_THREAD;
	s->kind = s->end_kind = e->kind;
	s->code = e->code;
	s->line = e->line;
	s->depth = e->depth;
	s->time_ns = e->time_ns;
	s->seq = e->seq;
	s->task = e->task;
	s->task_id = e->task_id;
	s->args = e->kind == PL_EVENT_CALL ? &e->values : NULL;
	s->result = result ? &e->values : NULL;
	s->exception = raises ? &e->values : NULL;
	s->type = raises ? e->type : NULL;
	s->duration_ns = EXPR_NO_DURATION;
}

/* ---- rows ---- */

uint32_t expr_kinds(struct expr *e, enum expr_scope scope)
{
	struct expr_subject s = {.scope = scope, .known = EXPR_KIND};
	uint32_t kinds = 0;

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++) {
		s.kind = s.end_kind = (enum pl_event_kind)k;
		kinds |= expr_ask(e, &s) == EXPR_NO ? 0 : 1u << k;
	}
	return kinds;
}

bool expr_looks_back(struct expr *e)
{
	const uint32_t kinds = 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW |
			       1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD | 1u << PL_EVENT_UNWIND;

	return e->looks_back && expr_kinds(e, EXPR_OF_EVENT) & kinds;
}

/* The answers for all kinds of a code, two bits each: enum expr_answer. */
static uint64_t ask_code(struct expr *e, enum expr_scope scope, const struct pl_code *code)
{
	struct expr_subject s = {.scope = scope, .known = EXPR_KIND | EXPR_CODE, .code = code};
	uint64_t all = 0;

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++) {
		s.kind = s.end_kind = (enum pl_event_kind)k;
		all |= (uint64_t)expr_ask(e, &s) << 2 * k;
	}
	return all | UINT64_C(1) << 63;
}

_Static_assert(PL_EVENT_KIND_COUNT < 31, "the answers for a code fit into 64 bits");

static uint64_t kept_answers(struct expr *e, enum expr_scope scope, const struct pl_code *code)
{
	uint64_t *kept = map_put(&e->may, (uint64_t)(uintptr_t)code + scope);

	if (kept && *kept)
		return *kept;
	const uint64_t all = ask_code(e, scope, code);
	if (kept)
		*kept = all;
	return all;
}

bool expr_may_code(struct expr *e, enum expr_scope scope, const struct pl_code *code)
{
	return kept_answers(e, scope, code) << 1;
}

bool expr_may(struct expr *e, enum expr_scope scope, const struct pl_count *row)
{
	const enum expr_answer answer =
		(enum expr_answer)(kept_answers(e, scope, row->code) >> 2 * row->kind & 3);
	struct expr_subject s = {.scope = scope,
		.known = EXPR_KIND | EXPR_CODE | EXPR_LINE,
		.kind = row->kind,
		.end_kind = row->kind,
		.code = row->code,
		.line = row->line};

	if (answer != EXPR_MAYBE || !(e->needs & EXPR_LINE))
		return answer != EXPR_NO;
	return expr_ask(e, &s) != EXPR_NO;
}

bool expr_may_thread(
	struct expr *e, const struct pl_process *process, const struct pl_thread *thread)
{
	const struct expr_subject s = {.known = EXPR_THREAD, .process = process, .thread = thread};

	return expr_ask(e, &s) != EXPR_NO;
}

/* ---- times ---- */

/* Of comparisons of the time that must all be true. */
static void bound_by(struct expr *e, uint16_t index, int64_t *from, int64_t *to)
{
	const struct expr_node *n = &e->nodes[index];

	if (n->op == OP_AND) {
		bound_by(e, n->left, from, to);
		bound_by(e, n->right, from, to);
		return;
	}
	if (n->op < OP_EQ || e->operands[n->left].kind != OPERAND_FIELD ||
		e->operands[n->left].field != FIELD_TIME)
		return;
	const struct expr_operand *o = &e->operands[n->right];
	if (o->kind != OPERAND_LITERAL)
		return;
	if ((n->op == OP_EQ || n->op == OP_GE || n->op == OP_GT) && o->literal.integer > *from)
		*from = o->literal.integer;
	if ((n->op == OP_LT || n->op == OP_LE) && o->literal.integer < *to)
		*to = o->literal.integer;
	if (n->op == OP_EQ && o->literal.integer < *to - o->unit)
		*to = o->literal.integer + o->unit;
}

void expr_times(struct expr *e, int64_t *from, int64_t *to)
{
	*from = INT64_MIN;
	*to = INT64_MAX;
	bound_by(e, e->root, from, to);
}
