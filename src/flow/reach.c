#include "flow/reach.h"

#include <stdlib.h>
#include <string.h>
#include "pathline/error.h"

static void measure_depths(struct flow_reach *r, const uint32_t *blocks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t high = r->low + r->count;
		uint32_t low = blocks[i] < r->low ? blocks[i] : r->low;
		r->count = (blocks[i] < high ? high : blocks[i] + 1) - low;
		r->low = low;
	}
}

int flow_reach_init(struct flow_reach *r, struct flow_search *s, uint32_t from)
{
	*r = (struct flow_reach){0};
	if (flow_search_run(s, from) == FLOW_CONFLICT)
		return PL_ERR_FORMAT;
	r->low = from;
	measure_depths(r, s->entered, s->entered_count);
	measure_depths(r, s->fired, s->fired_count);
	r->at = malloc(r->count * sizeof *r->at);
	r->nodes = malloc(s->node_count * sizeof *r->nodes);
	if (!r->at || !r->nodes) {
		flow_reach_release(r);
		return PL_ERR_MEMORY;
	}
	memcpy(r->at, s->at + r->low, r->count * sizeof *r->at);
	memcpy(r->nodes, s->nodes, s->node_count * sizeof *r->nodes);
	r->node_count = s->node_count;
	r->leaves = s->leaves;
	return 0;
}

void flow_reach_release(struct flow_reach *r)
{
	free(r->at);
	free(r->nodes);
	*r = (struct flow_reach){0};
}
