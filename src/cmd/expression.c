#define _GNU_SOURCE
#include "cmd/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "expr/unknown.h"

/* A person sees the place, below a message that says it to all. */
static void point_at(const char *text, size_t column)
{
	if (!isatty(2) || strpbrk(text, "\n\r\t"))
		return;
	fprintf(stderr, "  %s\n  %*s^\n", text, (int)(column - 1), "");
}

#define OF(kind)     (1u << PL_EVENT_##kind)
#define BEGIN_KINDS  (OF(CALL) | OF(RESUME) | OF(THROW))
#define END_KINDS    (OF(RETURN) | OF(YIELD) | OF(UNWIND))
#define ALWAYS_KINDS (BEGIN_KINDS | OF(GAP))

/* Can an event of this kind match by itself, in a call of which nothing is known? */
static bool may_alone(struct expression *x, enum pl_event_kind kind)
{
	const struct expr_subject s = {.scope = EXPR_OF_EVENT,
		.known = EXPR_KIND | EXPR_ARGS,
		.kind = kind,
		.end_kind = kind};

	return expr_ask(x->expr, &s) != EXPR_NO;
}

static uint32_t kinds_alone(struct expression *x)
{
	uint32_t kinds = expr_kinds(x->expr, EXPR_OF_EVENT) | ALWAYS_KINDS;

	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++)
		if (END_KINDS >> k & 1 && !may_alone(x, (enum pl_event_kind)k))
			kinds &= ~(1u << k);
	return kinds;
}

int expression_read(
	struct expression *x, const char *command, const char *text, struct pl_recording *r)
{
	struct pl_recording_info info;
	struct expr_fault fault;

	x->r = r;
	if (!text)
		return CMD_GO;
	pl_recording_info(r, &info);
	const struct when_scale scale = when_scale_of(&info);
	const struct expr_words words = {.scale = &scale};
	const int code = expr_read(&x->expr, text, &words, &fault);
	if (code == PL_ERR_ARGUMENT) {
		expr_unknown(&fault, r, cmd_recording(), NULL);
		cmd_say("%s: --filter: at column %zu: %s", command, fault.column, fault.what);
		point_at(text, fault.column);
		return CMD_USAGE;
	}
	if (code) {
		cmd_say("%s: --filter: no memory for the expression", command);
		return CMD_BAD;
	}
	x->needs = expr_needs(x->expr);
	x->has_frames = expr_looks_back(x->expr);
	x->alone = kinds_alone(x);
	return CMD_GO;
}

static void release_frames(struct expression *x)
{
	for (size_t i = 0; i < x->frames.room; i++) {
		if (!x->frames.slots[i].used)
			continue;
		struct frames *f = (struct frames *)(uintptr_t)x->frames.slots[i].value;
		frames_release(f);
		free(f);
	}
	map_release(&x->frames);
	x->frames_now = NULL;
}

/* Those of a thread of the process that is read; NULL: no memory. Mostly it is the one of the event
 * before. */
static struct frames *frames_of(struct expression *x, uint32_t thread)
{
	const uint64_t key = (uint64_t)x->process->number << 32 | thread;

	if (x->frames_now && x->frames_key == key)
		return x->frames_now;
	uint64_t *value = map_put(&x->frames, key);
	if (value && !*value)
		*value = (uintptr_t)calloc(1, sizeof(struct frames));
	x->frames_key = key;
	x->frames_now = value ? (struct frames *)(uintptr_t)*value : NULL;
	return x->frames_now;
}

void expression_release(struct expression *x)
{
	release_frames(x);
	expr_free(x->expr);
	*x = (struct expression){0};
}

void expression_why(struct expression *x, struct pl_recording *r, char text[EXPRESSION_WHY_BYTES])
{
	const bool known = x->expr && expr_nothing(x->expr, r, text + 2, NULL) == 0 && text[2];

	memcpy(text, ": ", 2);
	text[0] = known ? text[0] : 0;
}

bool expression_wants_values(const struct expression *x)
{
	return x->needs & (EXPR_ARGS | EXPR_END);
}

void expression_process(struct expression *x, const struct pl_process *p)
{
	if (!x->keeps)
		release_frames(x);
	x->process = p;
}

bool expression_may_thread(struct expression *x, const struct pl_thread *t)
{
	return !x->expr || expr_may_thread(x->expr, x->process, t);
}

uint32_t expression_kinds(struct expression *x)
{
	if (!x->expr)
		return UINT32_MAX;
	return expr_kinds(x->expr, EXPR_OF_EVENT) | (x->has_frames ? frames_kinds() : 0);
}

bool expression_may(struct expression *x, const struct pl_count *row)
{
	if (!x->expr || expr_may(x->expr, EXPR_OF_EVENT, row))
		return true;
	if (!x->has_frames || !(frames_kinds() >> row->kind & 1))
		return false;
	return row->kind == PL_EVENT_GAP || expr_may_code(x->expr, EXPR_OF_EVENT, row->code);
}

/* Can an event of the call match, now or later? Its end has its arguments, and more that is not
 * known yet. */
static bool may_match_later(struct expression *x, const struct expr_subject *begin)
{
	struct expr_subject s = *begin;

	s.known = EXPR_CODE | EXPR_THREAD | EXPR_ARGS;
	return expr_ask(x->expr, &s) != EXPR_NO;
}

uint32_t expression_kinds_now(struct expression *x, uint32_t thread)
{
	struct frames *f = x->has_frames ? frames_of(x, thread) : NULL;

	return f && !f->open ? x->alone : 0;
}

int expression_event(struct expression *x, const struct pl_event *e)
{
	const uint32_t thread = e->position.thread;
	struct expr_subject s = {0};
	int code = 0;

	if (!x->expr)
		return 0;
	struct frames *f = x->has_frames ? frames_of(x, thread) : NULL;
	if (f)
		code = frames_put(f, e, &s);
	else if (x->has_frames)
		code = PL_ERR_MEMORY;
	else
		expr_subject_of(&s, e);
	if (code)
		return code;
	s.known |= EXPR_THREAD;
	s.process = x->process;
	s.thread = pl_recording_thread(x->r, x->process->number, thread);
	if (f && BEGIN_KINDS >> e->kind & 1 && !may_match_later(x, &s)) {
		frames_drop(f, e);
		return PL_END;
	}
	return expr_ask(x->expr, &s) == EXPR_YES ? 0 : PL_END;
}
