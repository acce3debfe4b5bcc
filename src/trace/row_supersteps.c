#include "trace/row_supersteps.h"

#include <stdlib.h>
#include <string.h>

#define SUPERSTEPS (1u << SUPERSTEPS_LOG)

int row_supersteps_init(struct row_supersteps *t)
{
	t->all = calloc(SUPERSTEPS, sizeof *t->all);
	t->transitions = calloc(SUPERSTEPS, sizeof *t->transitions);
	t->touched = calloc(SUPERSTEPS, sizeof *t->touched);
	t->saved = SUPERSTEPS_SAVED;
	if (t->all && t->transitions && t->touched)
		return 0;
	row_supersteps_release(t);
	return PL_ERR_MEMORY;
}

void row_supersteps_forget(struct row_supersteps *t)
{
	if (t->all)
		memset(t->all, 0, SUPERSTEPS * sizeof *t->all);
	t->touched_count = 0;
}

void row_supersteps_release(struct row_supersteps *t)
{
	free(t->all);
	free(t->transitions);
	free(t->touched);
	*t = (struct row_supersteps){0};
}

/* Each transition of the superstep was taken as often as the superstep. */
static void give_superstep(struct row_supersteps *t, uint32_t index)
{
	struct row_superstep *superstep = &t->all[index];

	for (uint32_t i = 0; i < superstep->transitions && superstep->passes; i++)
		t->add(t->who, &t->transitions[index][i], superstep->passes);
	superstep->passes = 0;
}

/* Takes the place of the superstep that was there; its passes are given first. It stays in the
 * list, once. */
void row_supersteps_put(struct row_supersteps *t, const struct superstep_tape *tape)
{
	const uint32_t index = row_supersteps_home(&tape->superstep.key);
	struct row_superstep *superstep = &t->all[index];
	const bool listed = superstep->listed;

	give_superstep(t, index);
	*superstep = tape->superstep;
	superstep->listed = listed;
	memcpy(t->transitions[index], tape->transitions, sizeof t->transitions[index]);
}

void row_supersteps_take(struct row_supersteps *t)
{
	for (uint32_t i = 0; i < t->touched_count; i++) {
		give_superstep(t, t->touched[i]);
		t->all[t->touched[i]].listed = false;
	}
	t->touched_count = 0;
}
