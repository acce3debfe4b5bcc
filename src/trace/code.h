/* A code object of the recording. Its body is decoded when the code is first needed. */
#ifndef PL_TRACE_CODE_H
#define PL_TRACE_CODE_H

#include "format/body.h"
#include "format/follow.h"
#include "format/stack.h"
#include "trace/recording.h"

/* Searching the graph for a step takes time, and a program makes the same few steps again and
 * again. So allowed steps are kept, one a place by hash; a newer one replaces an older one. Refused
 * steps are not kept: each is a gap, and rare. */

struct pl_code {
	/* set when the record is read */
	struct pl_view bytes; /* the body as stored; in the recording's texts */
	uint64_t off;	      /* of its record in meta */
	uint64_t source;      /* number + 1, 0: not known */
	/* set when it is first needed */
	bool opened, broken;
	const char *file, *name;
	struct body body;
	struct follow_code follow; /* its lines that have no event */
	uint32_t entry_unit;
	int32_t entry_line;
	/* the first of the codes that differ only in their witnesses, because the code was
	 * reoptimized; mostly the code itself */
	const struct pl_code *first;
};

/* The decoded code of a body; NULL: there is none, or it is damaged. `body` as block_body gives it:
 * number + 1. */
struct pl_code *code_open(struct pl_recording *r, uint64_t body);
/* The code that represents all its plans, for readers of the path. */
static inline const struct pl_code *code_first(const struct pl_code *c)
{
	return c && c->first ? c->first : c;
}
/* Represents codes that are missing; made when the recording is opened. */
struct pl_code *code_new_unknown(struct pl_recording *r);
void code_release(struct pl_code *c);

/* Compare codes by what a person sees: file, first line, name. If these are equal, by their own
 * data. NULL comes first. */
int code_order(const struct pl_code *x, const struct pl_code *y);

/* The name of a function without that of its class. */
const char *code_bare_name(const struct pl_code *c);

/* Where a frame is, as a line (0: none) and a unit (UINT32_MAX: not known). */
int32_t code_place_line(const struct pl_code *c, enum stack_place place, uint32_t value);
uint32_t code_place_unit(const struct pl_code *c, enum stack_place place, uint32_t value);

/* Does an instruction at `unit` jump back? true if that is not known. */
bool code_jumps_back(const struct pl_code *c, uint32_t unit);
/* The line of a jump; if it has none, that of its target. */
int32_t code_jump_line(const struct pl_code *c, uint32_t unit);
/* The unit of the jump of a pass, which is as follow_starts has it. */
static inline uint32_t code_pass_unit(const struct pl_code *c, uint32_t pass)
{
	return flow_pass_unit(&c->body.graph, flow_pass_block(pass));
}

/* Does the code have a line start with this index? true if the code is not known. */
static inline bool code_has_start(const struct pl_code *c, uint32_t start)
{
	return !c->bytes.at || start < c->body.graph.start_count;
}

static inline int32_t code_start_line(const struct pl_code *c, uint32_t start)
{
	return start < c->body.graph.start_count ? c->body.graph.starts[start].line : 0;
}

#endif
