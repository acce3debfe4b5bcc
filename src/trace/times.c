/* Times of lines, from a profile. */
#include "pathline/times.h"

#include <stdlib.h>
#include "pathline/profile.h"

struct pl_times {
	struct pl_profile *profile; /* owned */
	const struct pl_profile_tables *tables;
};

int pl_times_new(struct pl_times **out, struct pl_recording *r, const struct pl_times_range *range,
	struct pl_err *err)
{
	struct pl_times *t = calloc(1, sizeof *t);

	if (!t)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for times");
	int code =
		pl_profile_new(&t->profile, r, &(struct pl_profile_wanted){.range = *range}, err);
	if (code) {
		free(t);
		return code;
	}
	t->tables = pl_profile_tables(t->profile);
	*out = t;
	return 0;
}

void pl_times_free(struct pl_times *t)
{
	if (!t)
		return;
	pl_profile_free(t->profile);
	free(t);
}

size_t pl_times_count(const struct pl_times *t)
{
	return t->tables->line_count;
}

const struct pl_line_time *pl_times_line(const struct pl_times *t, size_t index)
{
	return index < t->tables->line_count ? &t->tables->lines[index].time : NULL;
}

int64_t pl_times_idle_ns(const struct pl_times *t)
{
	return t->tables->idle_ns;
}

int64_t pl_times_lost_ns(const struct pl_times *t)
{
	return t->tables->lost_ns;
}
