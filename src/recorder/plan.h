/* Hot code is planned again (plan.c). */
#ifndef PL_RECORDER_PLAN_H
#define PL_RECORDER_PLAN_H

#include "recorder/compat.h"

struct code_record;

/* The code is hot: should its starts be counted? */
bool plan_begin(PyCodeObject *code, struct code_record *r);
bool plan_is_counting(const struct code_record *r);
/* They have been counted, and nothing was chosen yet. */
bool plan_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: should it come at `unit` again? */
bool plan_counts(struct code_record *r, uint32_t unit);
/* They have been counted, or that never began. */
void plan_choose(struct code_record *r);
/* A call of the code is about to be written: enable what was chosen from here on, if possible. */
void plan_enter(PyCodeObject *code, struct code_record *r);
/* The same with a LINE at `unit`, if that also records calls. */
void plan_line(PyCodeObject *code, struct code_record *r, uint32_t unit);
void plan_drop(struct code_record *r);

#endif
