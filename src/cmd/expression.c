#define _GNU_SOURCE
#include "cmd/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"

/* A person sees the place, below a message that says it to all. */
static void point_at(const char *text, size_t column)
{
	if (!isatty(2) || strpbrk(text, "\n\r\t"))
		return;
	fprintf(stderr, "  %s\n  %*s^\n", text, (int)(column - 1), "");
}

int expression_read(
	struct expression *x, const char *command, const char *text, const struct pl_recording *r)
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
}

/* Those of a thread of the process that is read; NULL: no memory. */
static struct frames *frames_of(struct expression *x, uint32_t thread)
{
	uint64_t *value = map_put(&x->frames, (uint64_t)x->process->number << 32 | thread);

	if (value && !*value)
		*value = (uintptr_t)calloc(1, sizeof(struct frames));
	return value ? (struct frames *)(uintptr_t)*value : NULL;
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
	return expr_ask(x->expr, &s) == EXPR_YES ? 0 : PL_END;
}
