/* The check: read everything as if for the first time, and decode it to the last byte.
 *
 *	record        its head and checks (meta.c and index.c report these on the way)
 *	block         its payload; its codes and strings are there; each event decodes and has its
 *	              frame, and values; the head's counts, times and depth are those of events
 *	block, next   numbers follow; the stack at the end of one is that at the start of the other
 *	thread        all its events are there, as THREAD_END counts them
 *	loss          none says that the collector found bytes that it could not decode
 *	code          its body decodes, even if no block names it
 *
 * It uses a guest, a second opening of the same files, so that what was read before does not hide
 * anything. After damage is reported, the check continues.
 */
#include "trace/samples.h"
#include "trace/event_sources.h"
#include "trace/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "format/value.h"
#include "trace/load.h"

struct check {
	struct pl_recording *r; /* a guest: opened anew, with the caller's report */
	struct pl_check_result *result;
	struct block block;
	struct stream stream;
	struct pl_buf room; /* for sections */
	struct stack end;   /* as it was after the thread's block before */
	bool end_known;
	uint32_t gone; /* the newest segment that was not there any more; 0: none */
	/* blocks that name codes whose bodies are missing */
	struct {
		struct block_ref first;
		uint64_t blocks;
		struct pl_map bodies; /* which of them are missing */
	} nameless;
	char words[120]; /* of a damage */
};

static void note_damage(struct check *k, const struct block_ref *ref, const char *what)
{
	recording_damage(k->r, ref->file, ref->off, what);
}

/* Every code that a block names has a body, and the body decodes; code_open reports it if not. */
static void check_codes(struct check *k, const struct block_ref *ref)
{
	const struct pl_map *bodies = &k->block.bodies;
	bool missing = false;

	for (size_t i = 0; i < bodies->room; i++) {
		const uint64_t body = bodies->slots[i].used ? bodies->slots[i].value : 0;
		if (!body)
			continue;
		if (map_find(&k->r->bodies, body - 1)) {
			code_open(k->r, body);
			continue;
		}
		map_put(&k->nameless.bodies, body);
		missing = true;
	}
	if (missing && !k->nameless.blocks++)
		k->nameless.first = *ref;
}

/* One damaged record of meta describes many codes, and each is named by many blocks: that is told
 * once. */
static void tell_nameless(struct check *k)
{
	if (k->nameless.blocks > 1 || k->nameless.bodies.used > 1)
		snprintf(k->words, sizeof k->words,
			"the block names a code that is missing; in all, %" PRIu64
			" block%s name %zu such code%s",
			k->nameless.blocks, k->nameless.blocks == 1 ? "" : "s",
			k->nameless.bodies.used, k->nameless.bodies.used == 1 ? "" : "s");
	else
		snprintf(k->words, sizeof k->words, "the block names a code that is missing");
	if (k->nameless.blocks)
		note_damage(k, &k->nameless.first, k->words);
}

static void note_gone(struct check *k, uint32_t file)
{
	k->gone = file > k->gone ? file : k->gone;
}

/* What was dropped while it was checked is not damage. The oldest are dropped first, and meta says
 * so before they are gone. */
static int check_gone(struct check *k, struct pl_err *err)
{
	bool news = false;
	int code = k->gone ? meta_read(k->r, &news, err) : 0;

	if (code == 0 && k->gone && k->gone >= k->r->first_segment)
		recording_damage(k->r, k->gone, 0, "the segment is missing");
	return code;
}

/* Do both have the same frames? Their places are not compared: a gap can make these unknown in one
 * of the two. */
static bool same_stack(const struct stack *a, const struct stack *b)
{
	if (a->depth != b->depth || a->greenlet != b->greenlet || a->task_count != b->task_count)
		return false;
	for (uint32_t i = 0; i < a->depth; i++)
		if (a->frames[i].code != b->frames[i].code || a->frames[i].gen != b->frames[i].gen)
			return false;
	return true;
}

/* Compare the counts of the head with the events. */
static const char *compare_heads(const struct block_head *head, const struct block_head *found)
{
	if (head->events != found->events ||
		memcmp(head->counts, found->counts, sizeof head->counts) != 0)
		return "the block's counts are not those of its events";
	if (head->close_ticks != found->close_ticks)
		return "the block's end in time is not that of its events";
	if (head->min_depth != found->min_depth)
		return "the block's least depth is not that of its events";
	return NULL;
}

/* A follow_find for the block: only codes that it names are asked for. */
static struct follow_code *find_follow(void *context, uint32_t code)
{
	struct check *k = context;
	const uint64_t *body = map_find(&k->block.bodies, code);
	struct pl_code *c = body ? code_open(k->r, *body) : NULL;

	return c ? &c->follow : NULL;
}

/* A LINE names a line start by its index in the table of the frame's code. */
static bool line_has_start(struct check *k, const struct stack *stack, const struct event *e)
{
	const struct stack_frame *f = stack_top(stack);
	const uint64_t *body = f ? map_find(&k->block.bodies, f->code) : NULL;
	const struct pl_code *c = body ? code_open(k->r, *body) : NULL;

	return !c || code_has_start(c, e->index);
}

/* NULL, or what is damaged in an event of a further kind. */
static const char *check_further(uint64_t kind, struct pl_view bytes)
{
	if (kind == EVENT_VALUES && values_check(bytes) == PL_ERR_FORMAT)
		return "the values of an event cannot be decoded";
	if (kind == EVENT_VARIABLES && variables_check(bytes) == PL_ERR_FORMAT)
		return "the variables of an event cannot be decoded";
	return NULL;
}

/* One event: what it names is there, and the frame that it needs. Counts it in `found` and applies
 * it to the stack. NULL, or what is damaged. */
static const char *check_event(
	struct check *k, struct stack *stack, const struct event *e, struct block_head *found)
{
	if (e->kind == EVENT_FURTHER && !EVENT_FURTHER_KNOWN(e->a))
		k->result->unknown++;
	if (e->kind == EVENT_FURTHER && check_further(e->a, e->text))
		return check_further(e->a, e->text);
	if (event_has_field(e->kind, EVENT_FIELD_type) && !map_find(&k->r->strings, e->type)) {
		snprintf(k->words, sizeof k->words,
			"an event names a string that is missing: %" PRIu32, e->type);
		return k->words;
	}
	if (e->kind == EVENT_LINE && !line_has_start(k, stack, e))
		return "an event names a line start that its code does not have";
	struct follow_rows rows;
	const struct follow_codes codes = {.find = find_follow, .context = k};
	if (follow_apply(stack, e, &codes, &rows))
		return "an event needs a frame that is not there";
	block_count_rows(found, &rows);
	block_count(found, e);
	return NULL;
}

/* Each event of a section, and each of its values. Values of kinds that a later version has are not
 * damage. */
static const char *check_section_of(struct check *k, uint32_t kind, int *code)
{
	const char *name = kind == EVENT_VALUES ? "values" : "variables";
	struct block_section section;
	struct pl_view bytes;

	*code = block_open_section(&k->block, kind, &k->room, &section);
	if (*code == PL_ERR_FORMAT) {
		snprintf(k->words, sizeof k->words, "the block's section of %s cannot be decoded",
			name);
		return k->words;
	}
	while (*code == 0 && block_section_next(&section, &bytes))
		if (check_further(kind, bytes))
			return check_further(kind, bytes);
	return NULL;
}

/* All events of a block, from its own stack on. They must end exactly at the end of the payload. */
static const char *check_events(struct check *k, struct stack *stack)
{
	struct block_head found = {.close_ticks = k->block.head.open_ticks};
	struct pl_view v = k->block.events;
	struct event e;

	stack_mark(stack);
	while (v.left) {
		if (event_read(&v, &stack->calls, &e))
			return "the block holds bytes that are no events";
		const char *what = check_event(k, stack, &e, &found);
		if (what)
			return what;
		if (e.kind == EVENT_TIME)
			found.close_ticks += e.a;
	}
	found.min_depth = stack->min_depth;
	return compare_heads(&k->block.head, &found);
}

/* Is one block the continuation of the other, without a gap between them? */
static bool continues_block(const struct block_ref *before, const struct block_ref *ref)
{
	return before->number + 1 == ref->number &&
	       before->first_seq + before->events == ref->first_seq && !ref->gap_before;
}

/* 0 also if the block is damaged: that is reported, and the next one is checked by itself.
 * Negative: the check cannot continue (memory, I/O). */
static int check_block(struct check *k, const struct thread_entry *t,
	const struct block_ref *before, struct block_ref *ref, struct pl_err *err)
{
	struct block_ref *damaged = ref;
	int code = load_block(&k->block, &k->stream, t, &damaged, err);

	if (code == PL_ERR_NOT_FOUND)
		note_gone(k, ref->file);
	if (code == PL_ERR_FORMAT && damaged == ref) /* if not, it was already reported */
		note_damage(k, ref, "the block is damaged");
	if (code == PL_ERR_FORMAT || code == PL_ERR_NOT_FOUND) {
		k->end_known = false;
		return 0;
	}
	if (code == PL_ERR_VERSION) {
		k->end_known = false; /* correct, as far as this version can tell */
		return 0;
	}
	if (code)
		return code;
	if (before && k->end_known && continues_block(before, ref) &&
		!same_stack(&k->end, &k->block.stack))
		note_damage(k, ref,
			"the block's stack is not the one that the block before ended with");
	check_codes(k, ref);
	const char *what = check_section_of(k, EVENT_VALUES, &code);
	if (!what && code == 0)
		what = check_section_of(k, EVENT_VARIABLES, &code);
	if (code && code != PL_ERR_FORMAT)
		return code;
	if (!what)
		what = check_events(k, &k->block.stack);
	if (what)
		note_damage(k, ref, what);
	else
		k->result->blocks++;
	k->result->events += what ? 0 : k->block.head.events;
	k->result->unknown += k->block.sections.unknown;
	k->end_known = !what && stack_copy(&k->end, &k->block.stack) == 0;
	return 0;
}

/* A block that is missing in the middle is damage, if no gap was announced. At the beginning it is
 * damage only if no segment was dropped: else it was dropped with that. */
static int check_thread(struct check *k, const struct thread_entry *t, struct pl_err *err)
{
	const struct block_ref *before = NULL;
	int code = 0;

	k->end_known = false;
	for (size_t i = 0; i < t->block_count && code == 0; i++) {
		struct block_ref *ref = &t->blocks[i];
		bool lost = before ? ref->number != before->number + 1 && !ref->gap_before
				   : ref->number && k->r->first_segment <= 1;
		if (lost)
			note_damage(k, ref, "the blocks before it are missing");
		code = check_block(k, t, before, ref, err);
		before = ref;
	}
	if (t->ended && before && before->first_seq + before->events < t->end_seq)
		note_damage(k, before, "the thread's last blocks are missing");
	return code;
}

static int check_threads(struct check *k, struct pl_err *err)
{
	int code = 0;

	for (size_t i = 0; i < k->r->process_list.count; i++) {
		const struct process_entry *p = k->r->process_list.at[i];
		for (size_t j = 0; j < p->thread_count && code == 0; j++)
			code = check_thread(k, p->threads[j], err);
	}
	return code;
}

static int check_samples(struct check *k, struct pl_err *err)
{
	int code = 0;

	for (size_t i = 0; i < k->r->sample_count && code == 0; i++) {
		struct pl_err why = {0};
		code = samples_check(k->r, &k->r->samples[i], &why);
		if (code == PL_ERR_NOT_FOUND)
			note_gone(k, k->r->samples[i].file);
		if (code == PL_ERR_FORMAT)
			recording_samples_damage(k->r, &k->r->samples[i]);
		if (code == PL_ERR_FORMAT || code == PL_ERR_NOT_FOUND)
			code = 0;
		if (code)
			recording_failed(err, code, &why);
	}
	return code;
}

static int check_source_events(struct check *k, struct pl_err *err)
{
	int code = 0;

	for (size_t i = 0; i < k->r->source_ref_count && code == 0; i++) {
		struct pl_err why = {0};
		code = source_events_check(k->r, &k->r->source_refs[i], &why);
		if (code == PL_ERR_NOT_FOUND)
			note_gone(k, k->r->source_refs[i].file);
		if (code == PL_ERR_FORMAT)
			source_events_damage(k->r, &k->r->source_refs[i]);
		if (code == PL_ERR_FORMAT || code == PL_ERR_NOT_FOUND)
			code = 0;
		if (code)
			recording_failed(err, code, &why);
	}
	return code;
}

/* Bytes that the collector could not decode are in no block. */
static void check_losses(struct check *k)
{
	const size_t count = k->r->losses.count; /* reporting damage adds one */

	for (size_t i = 0; i < count; i++) {
		const struct loss_entry *l = k->r->losses.at[i];
		if (l->off && l->public.reason == PL_GAP_DAMAGED)
			recording_damage(k->r, FILE_META, l->off, l->public.text);
	}
}

/* Bodies that no block names are decoded too. */
static void check_bodies(struct check *k)
{
	const struct pl_map *bodies = &k->r->bodies;

	for (size_t i = 0; i < bodies->room; i++)
		if (bodies->slots[i].used)
			code_open(k->r, bodies->slots[i].key + 1);
}

/* The check opens the same files again, so it counts damage from zero, and changes nothing of what
 * the caller knows of its recording. */
int pl_recording_check(struct pl_recording *r, void (*report)(void *arg, const struct pl_damage *d),
	void *arg, struct pl_check_result *result, struct pl_err *err)
{
	struct pl_check_result none;
	struct check k = {.result = result ? result : &none};
	int code = recording_open_guest(&k.r, r, report, arg, err);

	*k.result = (struct pl_check_result){0};
	if (code)
		return code;
	k.stream.files = k.r->files;
	code = check_threads(&k, err);
	if (code == 0)
		code = check_samples(&k, err);
	if (code == 0)
		code = check_source_events(&k, err);
	if (code == 0)
		code = check_gone(&k, err);
	tell_nameless(&k);
	check_bodies(&k);
	check_losses(&k);
	k.result->records = k.r->records;
	k.result->damaged = k.r->damaged;
	if (code == 0 && k.r->damaged)
		code = pl_err_cause(err, PL_ERR_FORMAT, "%" PRIu64 " damaged places", k.r->damaged);
	block_release(&k.block);
	stream_release(&k.stream);
	buf_release(&k.room);
	stack_release(&k.end);
	map_release(&k.nameless.bodies);
	pl_recording_close(k.r);
	return code;
}
