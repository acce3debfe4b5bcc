#include "trace/parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "trace/code.h"

/* Each worker opens the recording again, with its own decoded codes and transitions: more of them
 * take memory, and then the joining takes longer than what they save. */
#define WORKERS_MAX  8u
#define WORTH_EVENTS 20000000u /* fewer take no time worth saving */

/* ---- who does what ---- */

uint32_t parts_count(const struct pl_recording *r, const struct pl_profile_wanted *wanted)
{
	const struct process_entry *process = recording_find_process(r, wanted->range.process);
	uint64_t events = 0;

	/* What connects one event to the next cannot be divided; a recording that is being written
	 * would look different to each worker. */
	if (wanted->tasks || wanted->exceptions || wanted->blocking_ns || wanted->range.from_ns ||
		wanted->range.to_ns || !r->info.finished || !r->info.directory[0] || r->guest)
		return 1;
	if (wanted->workers)
		return wanted->workers < WORKERS_MAX ? wanted->workers : WORKERS_MAX;
	for (size_t i = 0; i < process->thread_count; i++)
		events += process->threads[i]->public.events;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (events < WORTH_EVENTS || cores < 2)
		return 1;
	return (uint32_t)cores < WORKERS_MAX ? (uint32_t)cores : WORKERS_MAX;
}

/* A gap between two blocks belongs to the part that has both. */
static bool is_same_part(const struct block_ref *before, const struct block_ref *b)
{
	return b->number == before->number + 1 && !b->gap_before &&
	       b->first_seq == before->first_seq + before->events;
}

/* Edges are computed from the list of blocks alone, so each worker finds the same ones without
 * asking the others. An edge moves to the next two blocks without a gap between them: a gap is told
 * by the walk when it comes from the block before, so each gap is told by one worker. A thread with
 * few blocks belongs to one worker, another one for each such thread. */
size_t parts_edge(const struct thread_entry *t, uint32_t part, uint32_t parts)
{
	const size_t count = t->block_count;
	size_t edge = count / parts * part + count % parts * part / parts;

	if (part == 0 || part >= parts)
		return part ? count : 0;
	if (count < 2 * (size_t)parts) /* short lists are not divided */
		return part <= t->public.number % parts ? 0 : count;
	while (edge && edge < count && !is_same_part(&t->blocks[edge - 1], &t->blocks[edge]))
		edge++;
	return edge;
}

/* ---- borders ---- */

static struct profile_border *add_border(struct profile_borders *b)
{
	if (b->count == b->room) {
		uint32_t room = b->room ? b->room * 2 : 64;
		struct profile_border *at = realloc(b->at, room * sizeof *at);
		if (!at)
			return NULL;
		b->at = at;
		b->room = room;
	}
	b->at[b->count] = (struct profile_border){0};
	return &b->at[b->count++];
}

/* The frames at the end of this part: the next one goes on with them. */
void parts_keep_open(struct pl_profile *p)
{
	for (uint32_t i = 0; i < p->contexts.depth; i++) {
		struct profile_border *b = add_border(&p->open_frames);
		if (!b)
			return; /* unknown times are not counted */
		b->thread = p->thread->public.number;
		b->depth = i;
		b->since = p->contexts.frames[i].since;
		b->entered = p->contexts.frames[i].entered;
		b->since_idle = p->contexts.frames[i].since_idle;
		b->entered_idle = p->contexts.frames[i].entered_idle;
	}
}

/* Without memory, the pass that ends here is not a candidate for the longest: times are not
 * wrong. */
void parts_note_end(struct pl_profile *p, const struct profile_border *end)
{
	struct profile_border *b = add_border(&p->ended);

	if (!b)
		return;
	*b = *end;
	b->thread = p->thread->public.number;
	b->code = code_first(end->code);
}

/* ---- together ---- */

/* Maps the codes of one recording to those of another recording of the same files. */
struct same_codes {
	struct pl_recording *to;
	struct pl_map bodies; /* address of a code -> number of its body + 1 */
};

static int same_codes_init(
	struct same_codes *s, struct pl_recording *to, const struct pl_recording *from)
{
	s->to = to;
	for (size_t i = 0; i < from->bodies.room; i++) {
		const struct pl_map_slot *slot = &from->bodies.slots[i];
		uint64_t *place = slot->used ? map_put(&s->bodies, slot->value) : NULL;
		if (slot->used && !place)
			return PL_ERR_MEMORY;
		if (place)
			*place = slot->key + 1;
	}
	return 0;
}

/* Numbers of bodies are those of the file, so they are the same in both; addresses are not. */
static const struct pl_code *same_code(struct same_codes *s, const struct pl_code *c)
{
	const uint64_t *body = c ? map_find(&s->bodies, (uintptr_t)c) : NULL;
	const struct pl_code *same = body ? code_open(s->to, *body) : NULL;

	return !c ? NULL : same ? code_first(same) : s->to->unknown_code;
}

static void join_longest(struct pl_longest *to, const struct pl_longest *from)
{
	if (from->ns > to->ns)
		*to = *from;
}

static void join_doubt(struct share_doubt *to, const struct share_doubt *from)
{
	to->hidden_ns += from->hidden_ns;
	to->apart_ns2 += from->apart_ns2;
}

/* `rows`, `seen`, and `samples` are not joined: each worker counted them over the whole recording,
 * because the cost of a row must be the same in all parts. */
static int join_lines(struct pl_profile *p, const struct pl_profile *q, struct same_codes *codes)
{
	for (uint32_t i = 0; i < q->share.line_count; i++) {
		const struct shared_line *from = &q->share.lines[i];
		struct shared_line *to =
			share_line(&p->share, same_code(codes, from->code), from->line);
		if (!to)
			return PL_ERR_MEMORY;
		to->hits += from->hits;
		to->ns[0] += from->ns[0];
		to->ns[1] += from->ns[1];
		to->sure_ns += from->sure_ns;
		join_doubt(&to->doubt, &from->doubt);
		to->unsure_ns += from->unsure_ns;
		to->possible |= from->possible;
		join_longest(&to->longest, &from->longest);
	}
	for (uint32_t i = 0; i < q->share.code_count; i++) {
		const struct shared_code *from = &q->share.codes[i];
		uint32_t to = share_code(&p->share, same_code(codes, from->code));
		if (to == UINT32_MAX)
			return PL_ERR_MEMORY;
		join_longest(&p->share.codes[to].longest, &from->longest);
		join_doubt(&p->share.codes[to].doubt, &from->doubt);
		p->share.codes[to].unsure_ns += from->unsure_ns;
		p->share.codes[to].owed_ns[0] += from->owed_ns[0];
		p->share.codes[to].owed_ns[1] += from->owed_ns[1];
	}
	return 0;
}

/* Nodes have other numbers in each tree. They are made again in p, edge by edge from the root, and
 * nodes[i] is then the node in p of q's node i. */
static int join_contexts(struct pl_profile *p, const struct pl_profile *q, struct same_codes *codes)
{
	const struct contexts *from = &q->contexts;
	struct contexts *to = &p->contexts;
	uint32_t *nodes = calloc(from->node_count, sizeof *nodes);
	int code = nodes ? 0 : PL_ERR_MEMORY;

	/* an edge leads to its node once that is made, and comes from a node that was made
	 * before */
	for (uint32_t i = 0; i < from->edge_count && code == 0; i++) {
		const struct context_edge *e = &from->edges[i];
		const struct context_site *s = &from->sites[e->site];
		const struct context_site site = {.callee = same_code(codes, s->callee),
			.caller = same_code(codes, s->caller),
			.line = s->line};
		uint32_t edge = contexts_edge(to, nodes[e->from], &site);
		if (edge == UINT32_MAX) {
			code = PL_ERR_MEMORY;
			break;
		}
		nodes[e->to] = to->edges[edge].to;
		for (int k = 0; k < ENTRY_COUNT; k++)
			to->edges[edge].entries[k] += e->entries[k];
	}
	for (uint32_t i = 0; i < from->node_count && code == 0; i++) {
		for (int k = 0; k < 2; k++)
			to->nodes[nodes[i]].ns[k] += from->nodes[i].ns[k];
		to->nodes[nodes[i]].sure_ns += from->nodes[i].sure_ns;
	}
	to->folded |= from->folded;
	free(nodes);
	return code;
}

/* Note the damage that another worker found in this recording. */
static void join_damage(struct pl_recording *r, uint32_t process, const struct pl_recording *other)
{
	const struct process_entry *from = recording_find_process(other, process);

	for (size_t i = 0; i < from->thread_count; i++) {
		const struct thread_entry *t = from->threads[i];
		struct thread_entry *to = recording_find_thread(r, process, t->public.number);
		for (size_t k = 0; to && k < t->block_count && k < to->block_count; k++) {
			if (!t->blocks[k].told || to->blocks[k].told)
				continue;
			to->blocks[k].told = true;
			recording_damage(
				r, to->blocks[k].file, to->blocks[k].off, "the block is damaged");
		}
	}
}

static int join_profiles(struct pl_profile *p, struct pl_profile *q)
{
	struct same_codes codes = {0};
	int code = same_codes_init(&codes, p->r, q->r);

	if (code == 0)
		code = join_lines(p, q, &codes);
	if (code == 0)
		code = join_contexts(p, q, &codes);
	for (uint32_t i = 0; i < q->ended.count; i++)
		q->ended.at[i].code = same_code(&codes, q->ended.at[i].code);
	join_damage(p->r, p->wanted.range.process, q->r);
	p->share.sure_all_ns += q->share.sure_all_ns;
	p->share.sure_calls_all_ns += q->share.sure_calls_all_ns;
	p->idle_ns += q->idle_ns;
	p->lost_ns += q->lost_ns;
	p->tick_ns = q->tick_ns > p->tick_ns ? q->tick_ns : p->tick_ns;
	map_release(&codes.bodies);
	return code;
}

/* ---- across borders ---- */

static void join_pass(struct pl_profile *p, struct pl_longest *l, const struct profile_pass *pass,
	uint32_t thread)
{
	if (profile_longest(p, l, pass))
		l->thread = thread;
}

/* Join what ended in a part with what was open at the end of the parts before. */
static void join_ended(struct pl_profile *p, const struct profile_border *b,
	const struct profile_border *open, uint32_t count)
{
	uint64_t from = b->depth < count
				? b->of_frame ? open[b->depth].entered : open[b->depth].since
				: CONTEXT_UNKNOWN;

	if (from == CONTEXT_UNKNOWN || from >= b->since)
		return;
	const uint64_t idle = b->of_frame ? open[b->depth].entered_idle : open[b->depth].since_idle;
	const struct profile_pass pass = {from, b->since, idle + b->since_idle};
	if (b->of_frame) {
		uint32_t code = share_code(&p->share, b->code);
		if (code != UINT32_MAX)
			join_pass(p, &p->share.codes[code].longest, &pass, b->thread);
	} else {
		struct shared_line *l = share_line(&p->share, b->code, b->line);
		if (l)
			join_pass(p, &l->longest, &pass, b->thread);
	}
}

/* What began in an earlier part goes on in this one. */
static void join_open(struct profile_border *b, const struct profile_border *before)
{
	if (b->since == CONTEXT_UNKNOWN) {
		b->since = before->since;
		b->since_idle += before->since_idle;
	}
	if (b->entered == CONTEXT_UNKNOWN) {
		b->entered = before->entered;
		b->entered_idle += before->entered_idle;
	}
}

/* For one thread, part by part; each part's lists have the threads in order. */
struct seam {
	uint32_t ended, open; /* where the thread's rows begin */
};

/* Part by part, `open` has the frames at the end of the parts so far, with the times since when
 * they are there, if any of these parts knew. A part in which the thread has no rows changes
 * nothing. */
static void join_thread(struct pl_profile *p, struct pl_profile *const *parts, uint32_t count,
	uint32_t thread, struct seam *seams)
{
	struct profile_borders open = {0};

	for (uint32_t k = 0; k < count; k++) {
		const struct profile_borders *ended = &parts[k]->ended,
					     *kept = &parts[k]->open_frames;
		uint32_t frames = 0;
		for (; seams[k].ended < ended->count && ended->at[seams[k].ended].thread == thread;
			seams[k].ended++)
			join_ended(p, &ended->at[seams[k].ended], open.at, open.count);
		for (; seams[k].open < kept->count && kept->at[seams[k].open].thread == thread;
			seams[k].open++, frames++) {
			struct profile_border b = kept->at[seams[k].open];
			struct profile_border *to =
				frames < open.count ? &open.at[frames] : add_border(&open);
			if (!to)
				break;
			const struct profile_border before = *to;
			bool known = frames < open.count && before.since;
			*to = b;
			if (known)
				join_open(to, &before);
		}
		open.count = frames ? frames : open.count;
	}
	free(open.at);
}

static int join_borders(struct pl_profile *p, struct pl_profile *const *parts, uint32_t count)
{
	const struct process_entry *process = recording_find_process(p->r, p->wanted.range.process);
	struct seam *seams = calloc(count, sizeof *seams);

	if (!seams)
		return PL_ERR_MEMORY;
	for (size_t i = 0; i < process->thread_count; i++)
		join_thread(p, parts, count, process->threads[i]->public.number, seams);
	free(seams);
	return 0;
}

/* ---- workers ---- */

/* A part that is gathered in a thread of its own. Nothing is shared but `stop`, and what nobody
 * changes: first->wanted, and the directory's name. */
struct worker {
	struct pl_profile *p;	/* that of the first worker is the caller's, the others are owned */
	struct pl_recording *r; /* owned, except that of the first */
	const struct pl_profile *first;
	uint32_t part, parts;
	pthread_t thread;
	bool running;
	bool *stop; /* shared: any worker sets it, once */
	int code;
	struct pl_err err;
};

/* Progress is told by the caller's thread only, for its own part; the others just look whether to
 * stop. */
static bool tell_progress(void *context, double done)
{
	const struct worker *w = context;

	(void)done;
	return !__atomic_load_n(w->stop, __ATOMIC_RELAXED);
}

/* Runs in its own thread, or in the caller's if that could not be started. */
static void *do_part(void *context)
{
	struct worker *w = context;
	struct pl_profile_wanted wanted = w->first->wanted;

	wanted.progress = tell_progress;
	wanted.context = w;
	w->code = pl_recording_open(&w->r, w->first->r->info.directory, &w->err);
	if (w->code == 0)
		w->code = profile_begin(&w->p, w->r, &wanted, &w->err);
	if (w->code == 0) {
		w->p->part = w->part;
		w->p->parts = w->parts;
		w->code = profile_gather(w->p, &w->err);
	}
	if (w->code)
		__atomic_store_n(w->stop, true, __ATOMIC_RELAXED);
	return NULL;
}

/* When no more threads can be started, this thread does the rest. */
static void start_workers(struct worker *all, uint32_t parts)
{
	for (uint32_t k = 1; k < parts; k++)
		all[k].running = pthread_create(&all[k].thread, NULL, do_part, &all[k]) == 0;
}

/* All are waited for, also after an error: they use what the caller owns. The first error is
 * returned. */
static int finish_workers(struct worker *all, uint32_t parts, struct pl_err *err)
{
	int code = all[0].code;

	for (uint32_t k = 1; k < parts; k++) {
		if (all[k].running)
			pthread_join(all[k].thread, NULL);
		else
			do_part(&all[k]);
		if (all[k].code && code == 0) {
			code = all[k].code;
			if (err && code < 0)
				*err = all[k].err;
		}
	}
	return code;
}

static int join_all(struct worker *all, uint32_t parts)
{
	struct pl_profile *profiles[WORKERS_MAX];
	int code = 0;

	for (uint32_t k = 0; k < parts; k++)
		profiles[k] = all[k].p;
	for (uint32_t k = 1; k < parts && code == 0; k++)
		code = join_profiles(all[0].p, all[k].p);
	return code == 0 ? join_borders(all[0].p, profiles, parts) : code;
}

/* p gathers part 0 itself, and the others are added to it: p is then the profile of the whole. */
int parts_gather(struct pl_profile *p, uint32_t parts, struct pl_err *err)
{
	struct worker all[WORKERS_MAX] = {0};
	bool stop = false;

	for (uint32_t k = 0; k < parts; k++)
		all[k] = (struct worker){.first = p, .part = k, .parts = parts, .stop = &stop};
	all[0].p = p;
	p->parts = parts;
	start_workers(all, parts);
	all[0].code = profile_gather(p, err);
	if (all[0].code)
		__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	int code = finish_workers(all, parts, err);
	if (code == 0)
		code = join_all(all, parts);
	for (uint32_t k = 1; k < parts; k++) {
		pl_profile_free(all[k].p);
		pl_recording_close(all[k].r);
	}
	return code;
}
