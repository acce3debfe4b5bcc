#include "trace/trips.h"

#include <stdlib.h>
#include <string.h>

#define TRIPS (1u << TRIPS_LOG)

int trips_init(struct trips *t)
{
	t->all = calloc(TRIPS, sizeof *t->all);
	t->steps = calloc(TRIPS, sizeof *t->steps);
	t->touched = calloc(TRIPS, sizeof *t->touched);
	t->saved = TRIPS_SAVED;
	if (t->all && t->steps && t->touched)
		return 0;
	trips_release(t);
	return PL_ERR_MEMORY;
}

void trips_forget(struct trips *t)
{
	if (t->all)
		memset(t->all, 0, TRIPS * sizeof *t->all);
	t->touched_count = 0;
}

void trips_release(struct trips *t)
{
	free(t->all);
	free(t->steps);
	free(t->touched);
	*t = (struct trips){0};
}

/* Each step of the trip was taken as often as the trip. */
static void give(struct trips *t, uint32_t index)
{
	struct trip *trip = &t->all[index];

	for (uint32_t i = 0; i < trip->steps && trip->passes; i++)
		t->add(t->who, &t->steps[index][i], trip->passes);
	trip->passes = 0;
}

/* Takes the place of the trip that was there; its passes are given first. It stays in the list,
 * once. */
void trips_put(struct trips *t, const struct trip_tape *tape)
{
	const uint32_t index = trips_home(&tape->trip.key);
	struct trip *trip = &t->all[index];
	const bool listed = trip->listed;

	give(t, index);
	*trip = tape->trip;
	trip->listed = listed;
	memcpy(t->steps[index], tape->steps, sizeof t->steps[index]);
}

void trips_take(struct trips *t)
{
	for (uint32_t i = 0; i < t->touched_count; i++) {
		give(t, t->touched[i]);
		t->all[t->touched[i]].listed = false;
	}
	t->touched_count = 0;
}
