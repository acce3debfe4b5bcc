/* The values and the variables of a row: those of the events VALUES and VARIABLES in front of its
 * event (format/value_table.h).
 *
 *	events     ENTER | LINE | LEAVE
 *	section    ^0: book(...)  ^7: 9.0           the place of each among the block's other events
 *
 * A row that was just given ends where the path stands. So nothing is kept while rows are given,
 * and a block's section is unpacked when the first row of it is asked for.
 */
#ifndef PL_TRACE_VALUES_H
#define PL_TRACE_VALUES_H

#include "trace/thread_path.h"

/* A block's section of one kind. */
struct row_section {
	/* of the block whose section is unpacked: its number + 1; 0: of none */
	uint64_t block;
	struct pl_buf room; /* owned */
	struct block_section all, rest;
	size_t end; /* of the last event that was asked for */
};

/* All zero is valid. */
struct row_values {
	struct row_section values, variables;
	struct event_calls none; /* known calls: see are_before */
};

/* Fill in the values and the variables of a row that the path has given last. 0, also if it has
 * none; PL_ERR_MEMORY. */
int row_values_put(struct row_values *v, struct thread_path *p, struct pl_event *row);
void row_values_release(struct row_values *v);

#endif
