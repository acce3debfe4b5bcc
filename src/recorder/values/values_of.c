#include "recorder/values/values_of.h"

#include "recorder/origin.h"
#include "recorder/root.h"

/* With rules that cannot be read, values of no code are kept: that is less than was wanted, and not
 * what was not. */
void values_of_start(void)
{
	const struct arena_head *h = root.arena.head;

	root.values_of.stdlib = buf_view(&root.stdlib_dir);
	if (h->values_of_bytes <= sizeof h->values_of)
		filter_read(&root.values_of, view_of(h->values_of, h->values_of_bytes));
}

bool values_are_of(PyCodeObject *code)
{
	return root.values_of.rule_count &&
	       origin_fits(code, &root.values_of, &root.arena.head->values_matched);
}
