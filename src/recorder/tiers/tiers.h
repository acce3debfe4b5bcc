/* The tiers of a code: by which event its witnesses are reported, and which lines are witnesses.
 * All that the rest of the recorder knows of this folder; 3.11 has no tiers.
 *
 *   LINE          a code begins here
 *   INSTRUCTION   of hot code: costs less for each witness (hot.c)
 *   reoptimized   of hot code: other witnesses, chosen by how often its lines run (reoptimize.c)
 */
#ifndef PL_RECORDER_TIERS_H
#define PL_RECORDER_TIERS_H

#include "recorder/compat/python.h"
#include "recorder/code.h"
#include "recorder/root.h"

struct thread;

/* ---- what the hooks hear ---- */

/* Has tier_line something to do? */
static inline bool tier_concerns_line(const struct code_record *r)
{
	return (root.hot_lines && r->lines_heard == root.hot_lines) || r->reoptimization;
}

/* A LINE that is not recorded yet: does the code become hot with it? */
bool tier_line(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* After a LINE of the frame was recorded at `unit`, which the code has: should LINE be disabled
 * there, because INSTRUCTION is enabled instead from now on? `began`: the code became hot with
 * it. */
bool tier_line_moves(
	struct thread *t, py_frame *frame, struct code_record *r, uint32_t unit, bool began);
/* INSTRUCTION, in code that is hot or counted: should it come at `unit` again? */
bool tier_instruction(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit);
/* After JUMP recorded a pass at `unit`, enough for the code's passes to be hot: should JUMP be
 * disabled there, because INSTRUCTION records the next ones? */
bool tier_pass_moves(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* A call of the code is about to be written, and its lines are or were counted: enable the
 * witnesses that were chosen from here on, if possible. */
void tier_call(PyCodeObject *code, struct code_record *r);

/* ---- what else happens ---- */

/* In any thread's code: the next INSTRUCTION at `landing` is enabled, whatever is there; not if
 * that fails. */
void tier_hear_landing(PyCodeObject *code, const struct code_record *r, uint32_t landing);
/* Another tool gets branches from here on: no code is hot, and none becomes hot. Nothing is
 * lost. */
void tier_stop(void);
/* INSTRUCTION is no longer enabled in any code, and a gap says so: its witnesses are reported by
 * LINE again. true: something of it was recorded by INSTRUCTION, or counted. */
bool tier_forget(struct code_record *r);
/* The code object is gone. */
void tier_release(struct code_record *r);

#endif
