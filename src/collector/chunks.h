/* How many chunks the arena has: more while the program writes faster than they are given back. */
#ifndef PL_COLLECTOR_CHUNKS_H
#define PL_COLLECTOR_CHUNKS_H

#include "collector/state.h"

uint32_t chunks_at_first(const struct collector *c);
/* Keep a quarter free. true: that fails, so chunks are scarce. */
bool chunks_keep_free(struct collector *c);

#endif
