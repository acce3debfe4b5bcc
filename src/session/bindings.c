#include "session/bindings.h"

#include <stdlib.h>
#include "base/array.h"
#include "session/value_path.h"

#define FRAMES_MAX    16384 /* then all are forgotten: they can be gone back in */
#define ARGUMENTS_MAX 256
/* To look for the line that wrote a value takes long, and nobody asks for it. */
#define PATIENCE 1

struct bound_name {
	struct pl_text text;
	const struct pl_code *code; /* for which `index` is known */
	size_t index;		    /* of the code's arguments; SIZE_MAX: of none */
};

/* What a frame binds to one of the names. */
struct binding {
	struct pl_buf room;    /* owned: the bytes of the value */
	struct pl_value value; /* in the room */
	bool bound;
	uint64_t seq; /* of the last event that had a value of it, and 1 */
};

struct bound_frame {
	const struct pl_code *code;
	uint64_t epoch;
	struct pl_buf room;    /* owned: the bytes of the arguments */
	struct pl_values args; /* in the room; at NULL: not known */
	size_t count;	       /* of the bindings */
	struct binding all[];  /* by number of the name */
};

uint32_t bindings_kinds(bool lines)
{
	const uint32_t begins = 1u << PL_EVENT_CALL | 1u << PL_EVENT_RESUME | 1u << PL_EVENT_THROW |
				1u << PL_EVENT_GAP;
	const uint32_t changes = 1u << PL_EVENT_LINE | 1u << PL_EVENT_AGAIN |
				 1u << PL_EVENT_RETURN | 1u << PL_EVENT_YIELD |
				 1u << PL_EVENT_RAISE | 1u << PL_EVENT_RERAISE |
				 1u << PL_EVENT_HANDLED | 1u << PL_EVENT_UNWIND;

	return begins | (lines ? changes : 0);
}

/* ---- memory ---- */

static void free_bound_frame(struct bound_frame *f)
{
	for (size_t i = 0; f && i < f->count; i++)
		buf_release(&f->all[i].room);
	if (f)
		buf_release(&f->room);
	free(f);
}

static void forget_frames(struct bindings *b)
{
	for (size_t i = 0; i < b->frames.room; i++)
		if (b->frames.slots[i].used)
			free_bound_frame((struct bound_frame *)(uintptr_t)b->frames.slots[i].value);
	map_release(&b->frames);
}

void bindings_begin(struct bindings *b)
{
	forget_frames(b);
	b->name_count = 0;
	b->seq = 0;
	b->epoch++;
}

void bindings_release(struct bindings *b)
{
	forget_frames(b);
	free(b->names);
	variables_release(&b->before);
	frame_path_release(&b->path);
	*b = (struct bindings){.r = b->r, .stop = b->stop};
}

int bindings_name(struct bindings *b, struct pl_text name)
{
	for (size_t i = 0; i < b->name_count; i++)
		if (value_text_is(b->names[i].text, name))
			return 0;
	struct bound_name *names =
		array_room(b->names, b->name_count, &b->name_room, sizeof *names);
	if (!names)
		return PL_ERR_MEMORY;
	b->names = names;
	b->names[b->name_count++] = (struct bound_name){.text = name, .index = SIZE_MAX};
	return 0;
}

/* A generator keeps its frame where it is suspended, wherever that is on the stack. */
static uint64_t frame_key(const struct pl_event *e)
{
	const uint64_t words[] = {e->greenlet, e->depth};

	return e->generator ? e->generator << 1 | 1 : hash_bytes(words, sizeof words) << 1;
}

static struct bound_frame *find_frame(struct bindings *b, const struct pl_event *e)
{
	const uint64_t *kept = map_find(&b->frames, frame_key(e));
	struct bound_frame *f = kept ? (struct bound_frame *)(uintptr_t)*kept : NULL;

	return f && f->epoch == b->epoch && f->code == e->code ? f : NULL;
}

/* A frame of which nothing is known yet. NULL: no memory. */
static struct bound_frame *begin_frame(struct bindings *b, const struct pl_event *e)
{
	if (b->frames.used >= FRAMES_MAX)
		forget_frames(b);
	uint64_t *kept = map_put(&b->frames, frame_key(e));
	if (!kept)
		return NULL;
	struct bound_frame *f = (struct bound_frame *)(uintptr_t)*kept;
	if (!f)
		f = calloc(1, sizeof *f + b->name_count * sizeof *f->all);
	if (!f) {
		map_remove(&b->frames, frame_key(e));
		return NULL;
	}
	*kept = (uint64_t)(uintptr_t)f;
	f->code = e->code;
	f->epoch = b->epoch;
	f->count = b->name_count;
	f->args = (struct pl_values){0};
	for (size_t i = 0; i < f->count; i++) {
		f->all[i].bound = false;
		f->all[i].seq = 0;
	}
	return f;
}

/* ---- values ---- */

/* The first value of these. A variable's has its name in front. */
static int keep_binding(struct binding *to, const struct pl_values *from, size_t length)
{
	buf_reset(&to->room);
	buf_put(&to->room, from->at, length);
	struct pl_values rest = {.at = to->room.at, .bytes = (uint32_t)length, .of = from->of};
	to->bound = !to->room.failed && pl_values_next(&rest, &to->value) == 0 &&
		    to->value.kind != PL_VALUE_UNSET;
	return to->room.failed ? PL_ERR_MEMORY : 0;
}

/* Of a name that an event tells twice, the first value counts; but one that was deleted may have
 * hidden another: a comprehension's. */
static int put_variable(
	struct bindings *b, struct bound_frame *f, const struct pl_values *one, uint64_t mark)
{
	struct pl_values rest = *one;
	struct pl_value value;
	size_t i = 0;

	if (pl_values_next(&rest, &value))
		return 0;
	while (i < f->count && !value_text_is(b->names[i].text, value.name))
		i++;
	if (i == f->count || f->all[i].seq == mark)
		return 0;
	if (value.kind != PL_VALUE_UNSET)
		f->all[i].seq = mark;
	return keep_binding(&f->all[i], one, (size_t)(rest.at - one->at));
}

static int put_variables(struct bindings *b, struct bound_frame *f, const struct pl_event *e)
{
	struct pl_values rest = e->variables;
	struct pl_value value;
	int code = 0;

	if (!rest.at)
		return 0;
	for (size_t i = 0; e->variables.flags & PL_VALUES_ALL && i < f->count; i++)
		f->all[i].bound = false;
	while (code == 0) {
		const struct pl_values one = rest;
		if (pl_values_next(&rest, &value))
			break;
		code = put_variable(b, f, &one, e->seq + 1);
	}
	return code;
}

static size_t argument_number(struct bound_name *name, const struct pl_code *code)
{
	struct pl_argument names[ARGUMENTS_MAX];

	if (name->code == code)
		return name->index;
	const size_t count = pl_code_arguments(code, names, ARGUMENTS_MAX);
	name->code = code;
	name->index = SIZE_MAX;
	for (size_t i = 0; i < count && i < ARGUMENTS_MAX; i++)
		if (value_text_is(names[i].name, name->text))
			name->index = i;
	return name->index;
}

static int keep_arguments(struct bound_frame *f, const struct pl_values *args)
{
	if (!args->at)
		return 0;
	buf_reset(&f->room);
	buf_put(&f->room, args->at, args->bytes);
	buf_u8(&f->room, 0); /* not even of none is the room NULL */
	f->args = *args;
	f->args.at = f->room.at;
	return f->room.failed ? PL_ERR_MEMORY : 0;
}

/* The arguments are its first variables. */
static int put_call(struct bindings *b, struct bound_frame *f, const struct pl_event *e)
{
	struct pl_values rest = e->values;
	struct pl_value value;
	int code = keep_arguments(f, &e->values);

	for (size_t number = 0; code == 0; number++) {
		const struct pl_values one = rest;
		if (pl_values_next(&rest, &value))
			break;
		for (size_t i = 0; i < f->count && code == 0; i++)
			if (argument_number(&b->names[i], e->code) == number)
				code = keep_binding(&f->all[i], &one, (size_t)(rest.at - one.at));
	}
	return code;
}

int bindings_put(struct bindings *b, const struct pl_event *e)
{
	struct bound_frame *f;

	if (e->seq < b->seq || e->kind == PL_EVENT_GAP)
		b->epoch++;
	b->seq = e->seq;
	if (!e->code)
		return 0;
	if (e->kind == PL_EVENT_CALL) {
		f = begin_frame(b, e);
		return f ? put_call(b, f, e) : PL_ERR_MEMORY;
	}
	f = find_frame(b, e);
	return f ? put_variables(b, f, e) : 0;
}

/* ---- a frame that was there before ---- */

static int go_back_to_variables(
	struct bindings *b, struct bound_frame *f, const struct pl_event *e, struct pl_err *err)
{
	b->before.r = b->r;
	b->before.stop = b->stop;
	b->before.patience = PATIENCE;
	int code = variables_at(&b->before, e, e->depth, err);
	for (size_t i = 0; code == 0 && i < f->count; i++) {
		const struct pl_text name = b->names[i].text;
		const struct variable *v = variables_find(&b->before, name.at, name.length);
		const struct pl_values one = {
			.at = v ? v->bytes : NULL,
			.of = v && v->value.name.at ? PL_VALUE_OBJECT : 0,
		};
		if (v)
			code = keep_binding(&f->all[i], &one, v->value_bytes);
	}
	return code;
}

static int go_back_to_call(
	struct bindings *b, struct bound_frame *f, const struct pl_event *e, struct pl_err *err)
{
	const struct pl_event *at = e;
	int code = 0;

	b->path.r = b->r;
	b->path.stop = b->stop;
	frame_path_begin(&b->path, e, e->depth);
	b->path.to_begin = true;
	while (code == 0 && (at == e || at->kind != PL_EVENT_CALL))
		code = frame_path_back(&b->path, &at, err);
	if (code == 0)
		code = keep_arguments(f, &at->values);
	return code < 0 || (b->stop && *b->stop) ? code : 0;
}

static int go_back(
	struct bindings *b, struct bound_frame *f, const struct pl_event *e, struct pl_err *err)
{
	const int code = go_back_to_variables(b, f, e, err);

	return code ? code : go_back_to_call(b, f, e, err);
}

int bindings_ask(struct bindings *b, const struct pl_event *e, bool lasting,
	const struct bound_frame **frame, struct pl_err *err)
{
	struct bound_frame *f = lasting ? find_frame(b, e) : NULL;
	int code = 0;

	if (!f) {
		f = begin_frame(b, e);
		code = !f			  ? PL_ERR_MEMORY
		       : e->kind == PL_EVENT_CALL ? put_call(b, f, e)
						  : go_back(b, f, e, err);
	}
	if (f && (code || !lasting))
		f->epoch = 0; /* it is not kept up */
	*frame = f;
	return code == PL_ERR_MEMORY
		       ? pl_err_cause(err, code, "no memory for the variables of a frame")
		       : code;
}

const struct pl_value *bindings_find(
	const struct bindings *b, const struct bound_frame *frame, struct pl_text name)
{
	for (size_t i = 0; i < frame->count; i++)
		if (value_text_is(b->names[i].text, name))
			return frame->all[i].bound ? &frame->all[i].value : NULL;
	return NULL;
}

const struct pl_values *bindings_arguments(const struct bound_frame *frame)
{
	return frame->args.at ? &frame->args : NULL;
}
