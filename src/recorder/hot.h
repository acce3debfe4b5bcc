/* Hot code: its witnesses are reported by INSTRUCTION (hot.c). */
#ifndef PL_RECORDER_HOT_H
#define PL_RECORDER_HOT_H

#include "recorder/compat.h"
#include "recorder/thread.h"

struct code_record;
struct thread;

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

/* INSTRUCTION is enabled again at all units of the code. false: it is not, or not any more; then
 * what had moved is lost, and a gap says so. */
bool hot_listen_anew(PyCodeObject *code);
/* Its witnesses are reported by LINE again, from its next run on. */
void hot_ends(PyCodeObject *code, struct code_record *r);
/* As hot_ends, if INSTRUCTION is no longer enabled in any code, and a gap says so. true: something
 * of it was recorded by INSTRUCTION, or counted. */
bool hot_forget(struct code_record *r);
/* Another tool gets branches from here on: no code is hot, and none becomes hot. Nothing is
 * lost. */
void hot_stop(void);

/* A plan kept witnesses that record calls from moving, and is gone: now they may move. Call it
 * where such a LINE is reported, or while no frame runs the code. */
void hot_begins_move(struct code_record *r);

#endif
