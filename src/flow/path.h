/* Where can a frame be, given what was recorded of it: the walk between two recorded events.
 *
 * Between two recorded events of a frame only steps along edges that fire nothing recorded are
 * possible. With every start a witness these steps emit no line; flow_path_reaches tells whether a
 * position can follow another one. A "no" is a contradiction: something outside the program's own
 * control flow moved the frame.
 */
#ifndef PL_FLOW_PATH_H
#define PL_FLOW_PATH_H

#include "flow/graph.h"

/* Reusable memory of a walk. All zero is valid; release works on it, twice. */
struct flow_walk {
	uint32_t *stack; /* owned */
	uint32_t *seen;	 /* owned; seen[b] == mark: visited in this walk */
	uint32_t room;
	uint32_t mark;
};

/* Can execution that stands in block `from` come to block `to` without a recorded event in between?
 * from == to: yes. A block that yields, returns or raises ends there. Out of memory counts as yes:
 * no contradiction is claimed. */
bool flow_path_reaches(const struct flow_graph *g, struct flow_walk *w, uint32_t from, uint32_t to);
/* Can LINE fire at the start `start` as the next recorded event of a frame that stands in block
 * `from`? When LINE can also fire on the block's own entry (a handler, whose first LINE follows
 * HANDLED), give `at_entry`. */
bool flow_path_fires(const struct flow_graph *g, struct flow_walk *w, uint32_t from, uint32_t start,
	bool at_entry);
void flow_walk_release(struct flow_walk *w);

#endif
