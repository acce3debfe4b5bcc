/* What plan.c has for the other files of this folder; tiers.h has what it does for the recorder. */
#ifndef PL_RECORDER_TIERS_PLAN_H
#define PL_RECORDER_TIERS_PLAN_H

#include "recorder/compat/python.h"

struct code_record;

/* The code is hot: should its starts be counted? */
bool plan_begin(PyCodeObject *code, struct code_record *r);
/* They have been counted, or that never began. */
void plan_choose(struct code_record *r);
bool plan_is_counting(const struct code_record *r);
/* They have been counted, and nothing was chosen yet. */
bool plan_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: should it come at `unit` again? */
bool plan_counts(struct code_record *r, uint32_t unit);

#endif
