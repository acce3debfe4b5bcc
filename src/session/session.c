#include "session/session.h"

void session_release(struct session *s)
{
	pattern_release(&s->pattern);
	executed_release(&s->executed);
	hits_free(s->hits);
	s->hits = NULL;
	variables_release(&s->variables.v);
	replay_release(&s->replay);
}
