#include "source/source.h"

#include <stdio.h>

int source_start(struct source *s, const struct source_tree *tree)
{
	int err = s->operations->start ? s->operations->start(s, tree) : 0;

	if (err < 0 && !s->why[0])
		snprintf(s->why, sizeof s->why, "it cannot run here");
	s->runs = err >= 0;
	return err;
}

void sources_look(struct source *all, uint32_t count, int64_t now_ns)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].runs && all[i].operations->look)
			all[i].operations->look(&all[i], now_ns);
}

void sources_drain(struct source *all, uint32_t count, int64_t now_ns)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].runs && all[i].operations->drain)
			all[i].operations->drain(&all[i], now_ns);
}

void sources_ended(struct source *all, uint32_t count, struct process *p)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].runs && all[i].operations->ended)
			all[i].operations->ended(&all[i], p);
}

void sources_flush(struct source *all, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (all[i].runs && all[i].operations->flush)
			all[i].operations->flush(&all[i]);
}

void sources_stop(struct source *all, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		if (all[i].runs && all[i].operations->stop)
			all[i].operations->stop(&all[i]);
		all[i].runs = false;
	}
}
