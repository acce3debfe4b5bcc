#define _GNU_SOURCE
#include "expr/term.h"

#include <string.h>
#include "expr/match.h"
#include "expr/value.h"

#define ARGUMENTS_MAX 256

static void put_integer(struct term *t, int64_t integer)
{
	t->state = TERM_KNOWN;
	t->values[t->count++] = (struct pl_value){.kind = PL_VALUE_INT, .integer = integer};
}

static void put_part(struct term *t, struct pl_text text)
{
	t->state = TERM_KNOWN;
	t->values[t->count++] =
		(struct pl_value){.kind = PL_VALUE_STR, .text = text, .length = text.length};
}

static void put_text(struct term *t, const char *text)
{
	if (text)
		put_part(t, (struct pl_text){.at = text, .length = strlen(text)});
}

static void put_none(struct term *t)
{
	t->state = TERM_KNOWN;
	t->values[t->count++] = (struct pl_value){.kind = PL_VALUE_NONE};
}

static void put_value(struct term *t, const struct pl_value *v)
{
	t->state = TERM_KNOWN;
	t->values[t->count++] = *v;
}

static void put_first(struct term *t, const struct pl_values *values)
{
	struct pl_values rest = values ? *values : (struct pl_values){0};
	struct pl_value v;

	if (pl_values_next(&rest, &v) == 0)
		put_value(t, &v);
}

/* ---- values ---- */

/* Which argument of the code it is: asked for each event, so the last answer is kept. */
static size_t argument_index(struct expr_operand *o, const struct pl_code *code)
{
	struct pl_argument arguments[ARGUMENTS_MAX];

	if (o->code == code)
		return o->index;
	size_t count = pl_code_arguments(code, arguments, ARGUMENTS_MAX);
	o->code = code;
	o->index = SIZE_MAX;
	for (size_t i = 0; i < count && i < ARGUMENTS_MAX; i++)
		if (arguments[i].name.length == o->name.length &&
			!memcmp(arguments[i].name.at, o->name.at, o->name.length))
			o->index = i;
	return o->index;
}

static void take_argument(const struct ask *a, struct expr_operand *o, struct term *t)
{
	const struct expr_subject *s = a->s;
	const size_t index =
		s->known & EXPR_CODE && s->code ? argument_index(o, s->code) : SIZE_MAX;
	struct pl_values rest;
	struct pl_value v;

	if (s->known & EXPR_CODE && index == SIZE_MAX)
		return; /* absent */
	if (!(s->known & EXPR_ARGS)) {
		t->state = TERM_ANY;
		return;
	}
	if (!s->args && s->variable) {
		if (s->variable(s->context, o->name, true, &v))
			put_value(t, &v);
		return;
	}
	rest = s->args ? *s->args : (struct pl_values){0};
	for (size_t i = 0; i <= index; i++)
		if (pl_values_next(&rest, &v) != 0)
			return;
	put_value(t, &v);
}

static void take_variable(const struct ask *a, struct expr_operand *o, struct term *t)
{
	const struct expr_subject *s = a->s;
	struct pl_value v;

	if (!(s->known & EXPR_ARGS))
		t->state = TERM_ANY;
	else if (!s->variable)
		take_argument(a, o, t);
	else if (s->variable(s->context, o->name, false, &v))
		put_value(t, &v);
}

/* The exception of something that has none is None. */
static void take_exception(const struct ask *a, struct term *t)
{
	const struct expr_subject *s = a->s;

	put_first(t, s->exception);
	if (!t->count && s->type && s->type[0]) {
		put_value(t, &(struct pl_value){.kind = PL_VALUE_EXCEPTION,
				     .type = {.at = s->type, .length = strlen(s->type)}});
	} else if (!t->count) {
		put_none(t);
	}
}

/* ---- arg, value and type ---- */

static void take_record(const struct ask *a, enum expr_field field, struct term *t)
{
	if (a->argument.state != ARGUMENT_THIS) {
		t->state = a->argument.state == ARGUMENT_ANY ? TERM_ANY : TERM_ABSENT;
		return;
	}
	if (field == FIELD_ARG)
		put_part(t, a->argument.name);
	else if (a->argument.later)
		t->state = TERM_ANY;
	else if (field == FIELD_VALUE && a->argument.value)
		put_value(t, a->argument.value);
	else if (field == FIELD_TYPE && (a->argument.value || a->argument.type.length))
		put_part(t, a->argument.value ? value_type(a->argument.value) : a->argument.type);
	t->separator = field == FIELD_TYPE ? '.' : 0;
}

/* ---- the rest ---- */

static void take_event(const struct expr_subject *s, struct term *t)
{
	put_text(t, pl_event_kind_name(s->kind));
	t->more = s->scope == EXPR_OF_CALL && !(s->known & EXPR_END);
	if (s->scope == EXPR_OF_CALL && s->known & EXPR_END && s->end_kind != s->kind)
		put_text(t, pl_event_kind_name(s->end_kind));
}

static void take_thread(const struct expr_subject *s, enum expr_field field, struct term *t)
{
	const struct pl_process *p = s->process;

	if (field == FIELD_TID && s->thread)
		put_integer(t, (int64_t)s->thread->native_id);
	if (field == FIELD_PID && p)
		put_integer(t, p->pid);
	if (field == FIELD_THREAD && s->thread) {
		put_integer(t, s->thread->number);
		put_text(t, s->thread->name);
	}
	if (field == FIELD_PROCESS && p) {
		put_integer(t, p->number);
		put_text(t, p->command);
	}
}

static void take_code(const struct ask *a, enum expr_field field, struct term *t)
{
	const struct pl_code *code = a->s->code;

	if (!code)
		return;
	t->separator = field == FIELD_FILE ? '/' : '.';
	if (field == FIELD_MODULE)
		put_part(t, match_module(pl_code_file(code), a->room));
	else
		put_text(t, field == FIELD_FILE ? pl_code_file(code) : pl_code_name(code));
}

static void take_task(const struct expr_subject *s, struct term *t)
{
	if (s->task_id)
		put_integer(t, (int64_t)s->task_id);
	put_text(t, s->task);
	if (!t->count)
		put_none(t);
}

static void take_of_event(const struct expr_subject *s, enum expr_field field, struct term *t)
{
	if (field == FIELD_TIME)
		put_integer(t, s->time_ns);
	else if (field == FIELD_SEQ)
		put_integer(t, (int64_t)s->seq);
	else if (field == FIELD_DEPTH)
		put_integer(t, s->depth);
	else
		take_task(s, t);
}

/* Can it be told already that there is none? An event by itself has what its kind has. */
static bool is_absent(const struct expr_subject *s, enum expr_field field)
{
	return s->scope == EXPR_OF_EVENT && s->known & EXPR_KIND &&
	       !(field_kinds(field) >> s->kind & 1);
}

static void take_known_field(
	const struct ask *a, struct expr_operand *o, enum expr_field field, struct term *t)
{
	switch (field) {
	case FIELD_ARGS:
		take_argument(a, o, t);
		break;
	case FIELD_RESULT:
		put_first(t, a->s->result);
		break;
	case FIELD_EXCEPTION:
		take_exception(a, t);
		break;
	case FIELD_DURATION:
		if (a->s->duration_ns != EXPR_NO_DURATION)
			put_integer(t, a->s->duration_ns);
		break;
	case FIELD_EVENT:
		take_event(a->s, t);
		break;
	case FIELD_LINE:
		if (a->s->line > 0)
			put_integer(t, a->s->line);
		break;
	case FIELD_MODULE:
	case FIELD_FILE:
	case FIELD_FUNC:
		take_code(a, field, t);
		break;
	case FIELD_TID:
	case FIELD_PID:
	case FIELD_THREAD:
	case FIELD_PROCESS:
		take_thread(a->s, field, t);
		break;
	default:
		take_of_event(a->s, field, t);
		break;
	}
}

static void take_field(
	const struct ask *a, struct expr_operand *o, enum expr_field field, struct term *t)
{
	if (field == FIELD_VARIABLE) {
		take_variable(a, o, t);
		if (t->state == TERM_ABSENT && o->else_field != FIELD_COUNT)
			take_field(a, o, o->else_field, t);
	} else if (field == FIELD_ARG || field == FIELD_VALUE || field == FIELD_TYPE) {
		take_record(a, field, t);
	} else if (is_absent(a->s, field)) {
		if (field == FIELD_EXCEPTION)
			put_none(t);
	} else if (field != FIELD_ARGS && field_needs(field) & ~a->s->known) {
		t->state = TERM_ANY;
	} else {
		take_known_field(a, o, field, t);
	}
}

/* ---- steps ---- */

static enum value_answer take_step(const struct expr_step *step, struct pl_value *v)
{
	struct pl_value part;
	const enum value_answer answer = step->kind == STEP_ATTRIBUTE
						 ? value_attribute(v, step->key.text, &part)
						 : value_item(v, &step->key, &part);

	if (answer == VALUE_YES)
		*v = part;
	return answer;
}

/* Stops at a part that is not there. */
static void take_steps(const struct ask *a, const struct expr_operand *o, struct term *t)
{
	for (uint16_t i = 0; i < o->count && t->state == TERM_KNOWN; i++) {
		const enum value_answer answer =
			take_step(&a->e->steps[o->first + i], &t->values[0]);
		t->lacks = answer == VALUE_NO;
		t->state = answer == VALUE_YES ? TERM_KNOWN : TERM_ABSENT;
	}
}

static void apply_function(struct expr_operand *o, struct term *t)
{
	struct pl_value *v = &t->values[0];
	int64_t length = 0;

	if (o->apply == APPLY_TYPE) {
		const struct pl_text type = value_type(v);
		t->count = 0;
		put_part(t, type);
		t->separator = '.';
	} else if (value_length(v, &length) == VALUE_YES) {
		t->count = 0;
		put_integer(t, length);
	} else {
		t->state = TERM_ABSENT;
	}
}

void term_take(const struct ask *a, struct expr_operand *o, struct term *t)
{
	t->state = TERM_ABSENT;
	t->count = 0;
	t->separator = 0;
	t->more = t->lacks = false;
	if (o->kind == OPERAND_LITERAL) {
		put_value(t, &o->literal);
		return;
	}
	take_field(a, o, o->field, t);
	take_steps(a, o, t);
	if (t->state == TERM_KNOWN && o->apply)
		apply_function(o, t);
}
