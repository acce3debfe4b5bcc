/* LINEs that are not needed, disabled before they come, where each would take long (spared.c). */
#ifndef PL_RECORDER_SPARED_H
#define PL_RECORDER_SPARED_H

#include "recorder/compat/python.h"
#include "base/view.h"

struct code_record;
struct flow_graph;

void spare_lines(PyCodeObject *code, struct code_record *r, const struct flow_graph *g,
	struct pl_view plain);
/* Straight code needs none of its LINEs. From the unit on, a part of them is disabled. */
void spare_all_lines(PyCodeObject *code, struct pl_view plain, uint32_t from);
/* The same after a LINE of it, which came at the unit. That one is not disabled here. */
void spare_more_lines(PyCodeObject *code, uint32_t unit);

#endif
