/* A code object as the recording has it: decoded from its body when it is first met. */
#ifndef PL_TRACE_CODE_H
#define PL_TRACE_CODE_H

#include "format/body.h"
#include "format/follow.h"
#include "format/stack.h"
#include "trace/recording.h"

/* Asking the graph whether a step is possible is a search; a program asks for the same few steps
 * again and again. So steps that were allowed are kept, one a place by hash: a newer one replaces.
 * Those that were refused are not: each is a gap, and rare. */

struct pl_code {
	/* set when the record is read */
	struct pl_view bytes; /* the body as stored; in the recording's texts */
	uint64_t off;	      /* of its record in meta */
	uint64_t source;      /* number + 1, 0: not known */
	/* set when it is first met */
	bool opened, broken;
	const char *file, *name;
	struct body body;
	struct follow_code follow; /* its lines that no event tells */
	uint32_t entry_unit;
	int32_t entry_line;
	const struct pl_code *
		first; /* of those that differ in their witnesses only, for they were planned anew: itself, mostly */
};

/* The code of a body, decoded; NULL: there is none, or it is damaged. `body` as block_body gives
 * it: number + 1. */
struct pl_code *code_open(struct pl_recording *r, uint64_t body);
/* The one that stands for all plans of the code, to whom reads of the path. */
static inline const struct pl_code *code_first(const struct pl_code *c)
{
	return c && c->first ? c->first : c;
}
/* A stand-in for codes that are missing; made at open. */
struct pl_code *code_new_unknown(struct pl_recording *r);
void code_release(struct pl_code *c);

/* By what tells codes apart for a person: file, first line, name; two of the same by what they are. NULL comes first. */
int code_order(const struct pl_code *x, const struct pl_code *y);

/* Where a frame stands, as a line (0: none) and a unit (UINT32_MAX: not known). */
int32_t code_place_line(const struct pl_code *c, enum stack_place place, uint32_t value);
uint32_t code_place_unit(const struct pl_code *c, enum stack_place place, uint32_t value);

/* Is there a jump back at `unit`? True where that is not known. */
bool code_jumps_back(const struct pl_code *c, uint32_t unit);
/* The line of a jump: where it has none, of its target. */
int32_t code_jump_line(const struct pl_code *c, uint32_t unit);

/* Does the code have a line start of this index? True where the code is not known. */
static inline bool code_has_start(const struct pl_code *c, uint32_t start)
{
	return !c->bytes.at || start < c->body.graph.start_count;
}

static inline int32_t code_start_line(const struct pl_code *c, uint32_t start)
{
	return start < c->body.graph.start_count ? c->body.graph.starts[start].line : 0;
}

#endif
