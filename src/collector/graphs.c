#include "collector/graphs.h"

#include <stdlib.h>
#include <string.h>
#include "format/body.h"

struct body_graph {
	struct body body;
	struct follow_code follow;
	bool ready; /* `follow` is made for the first event */
};

/* The table is by number of the body. Numbers are given one after another, so few places stay
 * empty. */
static bool graphs_make_room(struct graphs *g, uint32_t number)
{
	uint32_t room = g->room ? g->room : 1024;

	while (room <= number && room <= UINT32_MAX / 2)
		room *= 2;
	if (number < g->room)
		return true;
	struct body_graph **all = room > number ? realloc(g->all, room * sizeof *all) : NULL;
	if (!all)
		return false;
	memset(all + g->room, 0, (room - g->room) * sizeof *all);
	g->all = all;
	g->room = room;
	return true;
}

/* Only the graph is kept. A body that cannot be read has none: its events are then followed without
 * rows that have no event, as by a reader, who cannot read it either. */
void graphs_add(struct graphs *g, uint32_t body_number, struct pl_view body)
{
	if (!graphs_make_room(g, body_number) || g->all[body_number])
		return;
	struct body_graph *b = calloc(1, sizeof *b);
	if (!b || body_read(body, &b->body)) {
		free(b);
		return;
	}
	b->body.file = b->body.name = (struct pl_view){0}; /* they point into the caller's bytes */
	b->body.arguments = (struct arguments){0};
	g->all[body_number] = b;
}

/* What is needed to follow a function is made when it is first asked for: a finisher loads all
 * bodies, and needs few. */
struct follow_code *graphs_find(struct graphs *g, uint32_t body_number)
{
	struct body_graph *b = body_number < g->room ? g->all[body_number] : NULL;

	if (b && !b->ready) {
		b->ready = true;
		follow_code_init(&b->follow, &b->body.graph);
	}
	return b ? &b->follow : NULL;
}

void graphs_release(struct graphs *g)
{
	for (uint32_t i = 0; i < g->room; i++) {
		if (!g->all[i])
			continue;
		follow_code_release(&g->all[i]->follow);
		body_release(&g->all[i]->body);
		free(g->all[i]);
	}
	free(g->all);
	*g = (struct graphs){0};
}
