/* What is heard of a code: the one place that answers it. */
#include "recorder/policy.h"

/* Exact order needs each event that there is, in its place; a stamp needs the event that it is
 * for. */
static bool all_returns(const struct policy_wishes *w)
{
	return w->traces || w->exact || w->calls_timed || w->lines;
}

/* Compiled code that is left at an enabled line does not report it, and what is not enabled is
 * compiled: so each line is enabled. */
static bool all_starts(const struct policy_wishes *w)
{
	return w->traces || w->exact || w->compiles;
}

struct policy policy_of_recording(const struct policy_wishes *w)
{
	return (struct policy){
		.returns = all_returns(w),
		.lines = w->lines,
		.hears = w->lines,
		.slow_end = w->lines || w->filters,
	};
}

struct policy policy_of_code(const struct policy_facts *f)
{
	return (struct policy){
		.returns = f->section || f->bottom || f->values || f->lines,
		.lines = f->lines,
		.hears = f->section || f->lines,
		.slow_end = f->lines,
	};
}

/* With the time of each call, returns have events, which show the path without some witnesses. */
struct policy_omission policy_omits(const struct policy_wishes *w, const struct policy_code *c)
{
	const bool starts = !all_starts(w) && !c->lines;
	const bool at_once = !w->lines && !c->watched && !c->lines;

	return (struct policy_omission){
		.starts = starts,
		.returns = !w->calls_timed,
		.lines = starts && at_once && c->may_be_straight && !c->generator_like &&
			 !w->calls_timed && !w->lines_timed,
		.passes = w->traces || !w->passes,
		.at_once = at_once,
	};
}
