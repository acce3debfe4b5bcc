#define _GNU_SOURCE
#include "cmd/prune_home.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "cmd/home.h"
#include "cmd/victim.h"

/* One that cannot be read may be one that has just begun: it is kept so long. */
#define UNREADABLE_NS ((int64_t)24 * 3600 * 1000000000)

struct pruning {
	struct prune_order *order;
	struct home_list list;
	struct prune_item *items; /* owned; of the list's entries */
	int64_t now_ns;
};

static int64_t real_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Into v->path. false: it is too long for a path. */
static bool name_victim(const struct pruning *p, size_t index, struct victim *v)
{
	*v = (struct victim){.fd = -1};
	return snprintf(v->path, sizeof v->path, "%s/%s", p->order->folder,
		       p->list.entries[index].name) < (int)sizeof v->path;
}

/* What is not a recording, or holds what is not a recording's, is none of our business. */
static void look_at_item(struct pruning *p, size_t index)
{
	struct prune_item *item = &p->items[index];
	struct victim v;

	item->stays = true;
	if (name_victim(p, index, &v) && victim_open(&v) == 0 && v.is_recording && !v.other[0]) {
		*item = (struct prune_item){.bytes = v.bytes, .written_ns = v.written_ns};
		p->order->kept++;
	}
	victim_close(&v);
}

/* Asked late, as it opens the recording. */
static bool may_go(void *context, size_t index)
{
	const struct pruning *p = context;
	struct victim v;
	bool known;

	if (!name_victim(p, index, &v) || victim_is_written(v.path, &known))
		return false;
	return known || p->now_ns - p->items[index].written_ns > UNREADABLE_NS;
}

static void remove_item(struct pruning *p, size_t index)
{
	struct prune_order *o = p->order;
	const struct prune_item *item = &p->items[index];
	struct victim v;
	int err = name_victim(p, index, &v) ? 0 : ENAMETOOLONG;

	if (err == 0 && !o->dry_run) {
		err = victim_open(&v);
		if (err == 0)
			err = victim_remove(&v);
		victim_close(&v);
	}
	if (err && err != ENOENT) {
		o->failed++;
		o->kept_bytes += item->bytes;
		o->err = o->err ? o->err : err;
		return;
	}
	o->kept--;
	o->removed++;
	o->removed_bytes += item->bytes;
	if (o->gone)
		o->gone(o->context, &(struct prune_gone){.folder = o->folder,
					    .name = p->list.entries[index].name,
					    .bytes = item->bytes,
					    .age_ns = p->now_ns - item->written_ns});
}

int prune_home(struct prune_order *o)
{
	struct pruning p = {.order = o, .now_ns = real_now_ns()};
	int err = home_list(o->folder, &p.list);

	o->removed = o->failed = o->kept = 0;
	o->removed_bytes = o->kept_bytes = 0;
	o->err = 0;
	if (err == 0 && !(p.items = calloc(p.list.count + 1, sizeof *p.items)))
		err = ENOMEM;
	if (err == 0) {
		const struct prune_question q = {
			.rules = o->rules, .now_ns = p.now_ns, .may_go = may_go, .context = &p};
		for (size_t i = 0; i < p.list.count; i++)
			look_at_item(&p, i);
		o->kept_bytes = prune_choose(&q, p.items, p.list.count);
		for (size_t i = 0; i < p.list.count; i++)
			if (p.items[i].goes)
				remove_item(&p, i);
	}
	free(p.items);
	home_list_release(&p.list);
	return err;
}
