/* What hot.c has for the other files of this folder; tiers.h has what it does for the recorder. */
#ifndef PL_RECORDER_TIERS_HOT_H
#define PL_RECORDER_TIERS_HOT_H

#include "recorder/compat/python.h"

struct code_record;
struct thread;

/* For a LINE that is not recorded yet: does the code become hot with it? */
bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit);
/* The code is hot: should INSTRUCTION come at `unit` again? */
bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit);
/* INSTRUCTION is enabled again at all units of the code. false: it is not, or not any more; then
 * what had moved is lost, and a gap says so. */
bool hot_listen_anew(PyCodeObject *code);

#endif
