#include "session/session.h"

void session_release(struct session *s)
{
	if (s->has_regex)
		regfree(&s->regex);
	s->has_regex = false;
	executed_release(&s->executed);
	hits_free(s->hits);
	s->hits = NULL;
	variables_release(&s->variables.v);
	replay_release(&s->replay);
}
