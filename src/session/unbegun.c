#include "session/unbegun.h"

#include "session/stops.h"

/* What the interpreter calls by itself. */
static bool is_own(const struct pl_code *code)
{
	static const struct {
		const char *file, *name;
	} own[] = {{"traceback.py", "_print_exception_bltin"}, {"threading.py", "_shutdown"}};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (code && stop_names(pl_code_file(code), own[i].file, '/') &&
			stop_names(pl_code_name(code), own[i].name, '.'))
			return true;
	return false;
}

bool unbegun_is(struct pl_recording *r, const struct pl_process *p)
{
	struct pl_cursor *c = NULL;
	struct pl_event e = {0};

	if (p->end != PL_PROCESS_EXITED || !p->end_code || p->parent || !p->thread_count)
		return false;
	int code = pl_cursor_new(&c, r, p->number, 0, NULL);
	if (code == 0)
		code = pl_cursor_next(c, &e, NULL);
	const bool is = code == 0 && e.seq == 0 && e.kind == PL_EVENT_CALL && is_own(e.code);
	pl_cursor_free(c);
	return is;
}
