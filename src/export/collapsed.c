/* Stacks with their own time in microseconds, a line each: flamegraph.pl, speedscope, inferno. */
#include "report/flame.h"

#include <inttypes.h>
#include <stdio.h>
#include "export/export.h"

struct collapsed {
	struct tree tree;
	const struct pl_process *first; /* NULL: there is no profile yet */
	const struct pl_profile_tables *first_tables;
};

static int add_process(
	struct collapsed *c, const struct pl_process *p, const struct pl_profile_tables *tables)
{
	char label[EXPORT_NAME_BYTES];

	snprintf(label, sizeof label, "process %" PRIu32 ": %s", p->number, p->command);
	return tree_add(&c->tree, tables, label);
}

/* Of several profiles each has a root of its own. So the first one waits. */
static int collapsed_profile(
	struct export *x, const struct pl_process *p, const struct pl_profile_tables *tables)
{
	struct collapsed *c = x->state;
	int code = 0;

	if (!c->first) {
		c->first = p;
		c->first_tables = tables;
		return 0;
	}
	if (!c->tree.count)
		code = add_process(c, c->first, c->first_tables);
	return code ? code : add_process(c, p, tables);
}

static void put_piece(void *context, const char *bytes, size_t count)
{
	struct export *x = context;

	buf_put(&x->bytes, bytes, count);
	export_put(x);
}

static int collapsed_end(struct export *x)
{
	struct collapsed *c = x->state;
	int code = c->first && !c->tree.count ? tree_add(&c->tree, c->first_tables, NULL) : 0;

	if (code == 0)
		code = tree_link(&c->tree);
	return code ? code : flame_collapsed(&c->tree, &(struct flame_sink){put_piece, x});
}

static void collapsed_release(struct export *x)
{
	tree_release(&((struct collapsed *)x->state)->tree);
}

const struct export_format export_collapsed = {
	.name = "collapsed",
	.about = "stacks for flamegraph.pl, a line each",
	.takes = EXPORT_PROFILE,
	.state_bytes = sizeof(struct collapsed),
	.end = collapsed_end,
	.release = collapsed_release,
	.profile = collapsed_profile,
};
