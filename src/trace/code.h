/* A code object as the recording has it: decoded from its body when it is first met. */
#ifndef PL_TRACE_CODE_H
#define PL_TRACE_CODE_H

#include "flow/path.h"
#include "format/body.h"
#include "format/stack.h"
#include "trace/recording.h"

/* Asking the graph whether a step is possible is a search; a program asks for the same few steps
 * again and again. So steps that were allowed are kept, one a place by hash: a newer one replaces.
 * Those that were refused are not: each is a gap, and rare. */
#define CODE_FOLLOWED 64

struct pl_code {
	/* set when the record is read */
	struct pl_view bytes; /* the body as stored; in the recording's texts */
	uint64_t off;	      /* of its record in meta */
	uint64_t source;      /* number + 1, 0: not known */
	/* set when it is first met */
	bool opened, broken;
	const char *file, *name;
	struct body body;
	struct flow_walk walk; /* of code_can_follow */
	uint64_t followed
		[CODE_FOLLOWED]; /* steps that it has allowed: a loop asks for few, again and again */
	uint32_t entry_block;	 /* FLOW_NONE: not known */
	uint32_t entry_unit;
	int32_t entry_line;
};

/* The code of a body, decoded; NULL: there is none, or it is damaged. `body` as block_body gives
 * it: number + 1. */
struct pl_code *code_open(struct pl_recording *r, uint64_t body);
/* A stand-in for codes that are missing; made at open. */
struct pl_code *code_new_unknown(struct pl_recording *r);
void code_release(struct pl_code *c);

/* Where a frame stands, as a line (0: none) and a unit (UINT32_MAX: not known). */
int32_t code_place_line(const struct pl_code *c, enum stack_place place, uint32_t value);
uint32_t code_place_unit(const struct pl_code *c, enum stack_place place, uint32_t value);

/* Can LINE at `start` be the next event of a frame that stands there? Says no only when the graph
 * proves it. */
bool code_can_follow(struct pl_code *c, const struct stack_frame *f, uint32_t start);

/* Can a jump back from `unit` be the next event of a frame that stands there? The same promise. */
bool code_can_jump_back(struct pl_code *c, const struct stack_frame *f, uint32_t unit);
/* The line of a jump: where it has none, of its target. */
int32_t code_jump_line(const struct pl_code *c, uint32_t unit);

static inline int32_t code_start_line(const struct pl_code *c, uint32_t start)
{
	return start < c->body.graph.start_count ? c->body.graph.starts[start].line : 0;
}

#endif
