/* What took long: blocks of a profile (blocks.c). */
#ifndef PL_TRACE_BLOCKS_H
#define PL_TRACE_BLOCKS_H

#include "trace/profile.h"

/* Something took long: it is one of the blocks, if there is room. Its task_id is the number of the
 * task + 1 until make_blocks in tables.c. */
void blocks_add(struct pl_profile *p, const struct pl_profile_block *b);
/* The task on the stack in which that node is: its number + 1, 0: none, or not known. */
uint32_t blocks_task_of(const struct pl_profile *p, uint32_t node);

/* To be called after share_tail in that node: its row belongs to the task on the stack. */
void blocks_note_tail(struct pl_profile *p, uint32_t node);

/* What took most of the time since then; `line` + 1, 0: not known. */
struct profile_recent blocks_most(struct pl_profile *p, uint64_t since);

/* Is it a pass of an event loop, a callback, or a task's first frame? */
bool blocks_is_of_loop(const struct context_frame *f);
/* A pass whose code is left out: its end is not recorded. */
bool blocks_is_hidden_pass(const struct context_frame *f);
/* What is a frame, with so many below it, if it takes long? STILL: none of an event loop, or within
 * another one. */
enum pl_block_kind blocks_kind(
	const struct contexts *x, const struct context_frame *f, uint32_t depth);
/* A frame of that kind took at least what is asked for. */
void blocks_note_loop(struct pl_profile *p, const struct context_frame *f, enum pl_block_kind kind,
	const struct pl_longest *time, const struct profile_recent *most);
/* To be called when a task goes on. Has a new pass of its loop begun since it did so before? */
bool blocks_begins_pass(struct pl_profile *p, struct profile_task *t);

/* The thread went to another line between two looks, a later one not before the other: in the
 * middle, plus or minus the distance of both. */
uint64_t blocks_between(
	const struct pl_profile *p, uint64_t look, uint64_t next, int64_t *error_ns);
/* A sample of the span that is being closed; its rows are known. */
void blocks_look(struct pl_profile *p, uint64_t ticks, const struct pl_code *code, int32_t line);
/* The span was divided: did the thread stand still in it? Which line took most of it is kept for
 * blocks_most. */
void blocks_note_still(struct pl_profile *p, uint64_t end_ticks, double ns, int64_t tick);

#endif
