/* What reoptimize.c has for the other files of this folder; tiers.h has what it does for the
 * recorder. */
#ifndef PL_RECORDER_TIERS_REOPTIMIZE_H
#define PL_RECORDER_TIERS_REOPTIMIZE_H

#include "recorder/compat/python.h"

struct code_record;

/* The code is hot: should its starts be counted? */
bool reoptimize_begin(PyCodeObject *code, struct code_record *r);
/* They have been counted, or that never began. */
void reoptimize_choose(struct code_record *r);
bool reoptimize_is_counting(const struct code_record *r);
/* They have been counted, and nothing was chosen yet. */
bool reoptimize_is_due(const struct code_record *r);
/* INSTRUCTION came while they are counted: should it come at `unit` again? */
bool reoptimize_counts(struct code_record *r, uint32_t unit);

#endif
