/* The tiers of a code: by which event its witnesses are reported, and which lines are witnesses.
 * All that the rest of the recorder knows of this folder; 3.11 has no tiers.
 *
 *   LINE          a code begins here
 *   INSTRUCTION   of hot code: costs less for each witness (hot.c)
 *   planned       of hot code: other witnesses, chosen by how often its lines run (plan.c)
 */
#ifndef PL_RECORDER_TIERS_H
#define PL_RECORDER_TIERS_H

#include "recorder/compat/python.h"

struct code_record;
struct thread;

/* ---- hot.c: witnesses reported by INSTRUCTION ---- */

/* For a LINE that is not recorded yet: does the code become hot with it? */
bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* After a LINE of the frame was recorded at `unit`, which the code has: should LINE be disabled
 * there, because INSTRUCTION is enabled instead from now on? `began`: the code became hot with
 * it. */
bool hot_line_moves(
	struct thread *t, py_frame *frame, struct code_record *r, uint32_t unit, bool began);
/* The code is hot: should INSTRUCTION come at `unit` again? */
bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit);
/* After JUMP recorded a pass at `unit`, enough for the code's passes to be hot: should JUMP be
 * disabled there, because INSTRUCTION records the next ones? */
bool hot_pass_moves(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* In any thread's code: the next INSTRUCTION at `landing` is enabled, whatever is there; not if
 * that fails. */
void hot_hear_landing(PyCodeObject *code, const struct code_record *r, uint32_t landing);
/* As hot_ends, if INSTRUCTION is no longer enabled in any code, and a gap says so. true: something
 * of it was recorded by INSTRUCTION, or counted. */
bool hot_forget(struct code_record *r);
/* Another tool gets branches from here on: no code is hot, and none becomes hot. Nothing is
 * lost. */
void hot_stop(void);

/* ---- plan.c: hot code is planned again ---- */

bool plan_is_counting(const struct code_record *r);
/* They have been counted, and nothing was chosen yet. */
bool plan_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: should it come at `unit` again? */
bool plan_counts(struct code_record *r, uint32_t unit);
/* A call of the code is about to be written: enable what was chosen from here on, if possible. */
void plan_enter(PyCodeObject *code, struct code_record *r);
/* The same with a LINE at `unit`, if that also records calls. */
void plan_line(PyCodeObject *code, struct code_record *r, uint32_t unit);
void plan_drop(struct code_record *r);

#endif
