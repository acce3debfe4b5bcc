/* Names of what ran, and how much of it. */
#ifndef PL_EXPR_RUN_NAMES_H
#define PL_EXPR_RUN_NAMES_H

#include "expr/known_names.h"
#include "pathline/counts.h"
#include "pathline/pathline.h"

/* Add the names of arguments, of all functions that were called. */
void run_names_arguments(struct known_names *names, const struct pl_count_table *counts);
/* Add the names of variables, of the recording's first events. 0 or an error. */
int run_names_variables(struct known_names *names, struct pl_recording *r, struct pl_err *err);
/* Count all of the recording. */
int run_names_count(struct pl_recording *r, struct pl_counts *counts, struct pl_err *err);

#endif
