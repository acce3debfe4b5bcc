/* Commands of a replay as words, and what is answered.
 *
 *	scene_says(&x, "b 12", "stop 1: b a.py:12");
 *	scene_denies(&x, "clear 7", "there is no stop 7; B lists them");
 */
#ifndef TEST_COMMANDS_H
#define TEST_COMMANDS_H

#include "session/words.h"
#include "tests/lib/sessions.h"

static inline void scene_says(struct scene *x, const char *line, const char *why)
{
	assert_int_equal(session_do(x->s, line, &x->err), 0);
	assert_string_equal(x->s->why, why);
}

static inline void scene_denies(struct scene *x, const char *line, const char *why)
{
	assert_int_equal(session_do(x->s, line, &x->err), PL_END);
	assert_string_equal(x->s->why, why);
}

/* The command moves, so its position is the answer. */
static inline void scene_goes(struct scene *x, const char *line, uint32_t thread, uint64_t seq)
{
	scene_at(x, session_do(x->s, line, &x->err), thread, seq);
	assert_string_equal(x->s->why, "");
}

#endif
