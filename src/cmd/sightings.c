#include "cmd/sighting_place.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/values.h"
#include "expr/named.h"
#include "report/names.h"

#define ARGUMENTS_MAX 256 /* whose names are known */

const char *sighting_how_name(enum sighting_how how)
{
	static const char *const words[] = {
#define X(constant, word, meaning) word,
		SIGHTING_HOWS(X)
#undef X
	};

	return words[how];
}

/* One of its values. */
struct sighting_entry {
	struct pl_text name;
	struct pl_value value;
	const struct pl_values *all; /* of the event */
	size_t index;
};

/* ---- one value ---- */

static bool has_root(const struct sightings *s, const struct sighting_entry *entry)
{
	return value_text_is(entry->name, s->path.root);
}

/* To tell which names there are, if the one that was asked for is not. A result has none. */
static void note_name(const struct sighting_place *p, const struct sighting_entry *entry, bool root)
{
	struct sightings *s = p->s;

	if (root && !s->root_seen++)
		sighted_names_release(&s->names);
	if (!s->root_seen && (p->origin.written || p->origin.how == SIGHTING_ARGUMENT))
		s->failed |= !sighted_names_add(&s->names, entry->name);
}

/* What the path's last step is of. false: it does not lead there. */
static bool find_owner(struct sightings *s, const struct pl_value *value, struct pl_value *owner)
{
	struct pl_value part;

	*owner = *value;
	for (size_t i = 0; i < s->path.count; i++) {
		if (value_path_step(owner, &s->path.steps[i], &part) != VALUE_FOUND) {
			if (!s->written)
				s->failed |= !sighted_names_add_parts(&s->names, owner);
			return i + 1 == s->path.count;
		}
		if (i + 1 < s->path.count)
			*owner = part;
	}
	return true;
}

static void see_below(const struct sighting_place *p, const struct sighting_entry *entry)
{
	struct sightings *s = p->s;
	struct pl_value owner, part;

	if (!find_owner(s, &entry->value, &owner))
		return;
	if (owner.id) {
		if (!s->id)
			sighting_follow(p, &owner);
		return;
	}
	if (s->id || value_path_step(&owner, &s->path.steps[s->path.count - 1], &part))
		return;
	struct sighting row = sighting_row(p, &part);
	if (p->f)
		sighting_see(p, &row, &p->f->value);
	else
		sighting_see_of_code(p, &row, 0);
}

static void see_root(const struct sighting_place *p, const struct sighting_entry *entry)
{
	struct sighting row = sighting_row(p, &entry->value);

	if (p->s->id && entry->value.id != p->s->id)
		return;
	if (p->origin.written) {
		/* a line that writes the same value again writes it; what is told once more is not
		 * written */
		if (p->origin.how == SIGHTING_WROTE && !p->s->changes)
			sighted_value_reset(&p->f->value);
		sighting_see(p, &row, &p->f->value);
		return;
	}
	sighting_see_of_code(p, &row, 0);
	if (p->f && p->origin.how == SIGHTING_ARGUMENT)
		sighted_value_take(&p->f->value, &entry->value,
			sighting_text_hash(p->s, row.text.length), false);
}

/* Where a line is asked for, values are shown when it runs. */
static void keep_root(const struct sighting_place *p, const struct sighting_entry *entry)
{
	const struct sighted_kept kept = {.values = *entry->all,
		.index = entry->index,
		.how = (int)p->origin.how,
		.code = p->origin.code,
		.line = p->origin.line};

	p->s->failed |= !sighted_keep(p->f, &kept);
}

static void take_entry(const struct sighting_place *p, const struct sighting_entry *entry)
{
	struct sightings *s = p->s;
	const bool root = has_root(s, entry);

	note_name(p, entry, root);
	if (!root)
		return;
	if (s->line)
		keep_root(p, entry);
	else if (s->path.count)
		see_below(p, entry);
	else
		see_root(p, entry);
}

/* ---- the values of an event ---- */

/* The frame that called this one: its code. NULL: not known. */
static const struct pl_code *caller_of(const struct sighting_place *p)
{
	struct sightings *s = p->s;
	const size_t depth = p->e->depth;

	if (!depth)
		return NULL;
	if (s->stack_room < depth) {
		void *stack = realloc(s->stack, 2 * depth * sizeof *s->stack);
		if (!stack) {
			s->failed = true;
			return NULL;
		}
		s->stack = stack;
		s->stack_room = 2 * depth;
	}
	return pl_cursor_stack(p->c, s->stack, depth) >= depth ? s->stack[depth - 1].code : NULL;
}

/* What was passed came from the caller's line. */
static struct sighting_origin origin_of(const struct sighting_place *p)
{
	static const enum sighting_how hows[PL_EVENT_KIND_COUNT] = {
		[PL_EVENT_CALL] = SIGHTING_ARGUMENT,
		[PL_EVENT_RETURN] = SIGHTING_RETURN,
		[PL_EVENT_YIELD] = SIGHTING_YIELD,
		[PL_EVENT_RESUME] = SIGHTING_SEND,
		[PL_EVENT_THROW] = SIGHTING_RAISE,
		[PL_EVENT_RAISE] = SIGHTING_RAISE,
	};
	const struct pl_event *e = p->e;
	const bool passed =
		e->kind == PL_EVENT_CALL || e->kind == PL_EVENT_RESUME || e->kind == PL_EVENT_THROW;

	return (struct sighting_origin){.how = hows[e->kind],
		.code = passed ? caller_of(p) : e->code,
		.line = passed ? e->caller_line : e->line};
}

/* Names of arguments, or the word for what the event has. */
static size_t entry_names(const struct sighting_place *p, struct pl_argument *names)
{
	const char *word = sighting_how_name(p->origin.how);

	if (p->e->kind == PL_EVENT_CALL) {
		const size_t count = pl_code_arguments(p->e->code, names, ARGUMENTS_MAX);
		return count < ARGUMENTS_MAX ? count : ARGUMENTS_MAX;
	}
	names[0] = (struct pl_argument){.name = {word, strlen(word)}, .stars = ""};
	return 1;
}

/* All entries first, so that objects that become followed are seen in this event. */
static void take_values(struct sighting_place *p)
{
	struct pl_argument names[ARGUMENTS_MAX];
	struct sighting_entry entry = {.all = &p->e->values};
	struct pl_values rest = p->e->values;

	p->origin = origin_of(p);
	const size_t count = entry_names(p, names);
	for (; entry.index < count && pl_values_next(&rest, &entry.value) == 0; entry.index++) {
		entry.name = names[entry.index].name;
		take_entry(p, &entry);
	}
}

/* A line that is not known, as of variables of an enclosing function, wrote nothing here. */
static struct sighting_origin origin_of_variables(const struct sighting_place *p)
{
	const bool begins = p->e->kind == PL_EVENT_LINE || p->e->kind == PL_EVENT_AGAIN;
	const int32_t line = p->f->line ? p->f->line : begins ? 0 : p->e->line;

	return (struct sighting_origin){.how = line ? SIGHTING_WROTE : SIGHTING_SEEN,
		.code = p->e->code,
		.line = line,
		.written = true};
}

/* If all that are bound are there, the others are not bound. */
static void take_unbound(const struct sighting_place *p)
{
	static const unsigned char unset[] = {PL_VALUE_UNSET};
	const struct pl_values all = {.at = unset, .bytes = sizeof unset};
	const struct sighting_entry entry = {
		.name = p->s->path.root, .value = {.kind = PL_VALUE_UNSET}, .all = &all};

	if (p->s->line ? p->f->kept.values.at != NULL : p->f->value.text && !p->s->path.count)
		take_entry(p, &entry);
}

/* Did another line than the last one perhaps write it? Among all variables those that have changed
 * come first; one that had no room comes late. */
static bool is_old(const struct sighting_place *p, const struct sighting_entry *entry)
{
	const uint16_t flags = p->e->variables.flags;

	return p->f->late || (flags & PL_VALUES_ALL && entry->index >= PL_VALUES_CHANGED(flags));
}

static void take_variables(struct sighting_place *p)
{
	const struct sighting_origin origin = origin_of_variables(p);
	struct sighting_entry entry = {.all = &p->e->variables};
	struct pl_values rest = p->e->variables;
	bool root = false;

	for (; pl_values_next(&rest, &entry.value) == 0; entry.index++) {
		entry.name = entry.value.name;
		/* a comprehension's variable that is gone hid it: it is told once more */
		if (entry.value.kind == PL_VALUE_UNSET && value_name_is_among(rest, entry.name))
			continue;
		root |= has_root(p->s, &entry);
		p->origin = origin;
		if (is_old(p, &entry))
			p->origin.how = SIGHTING_SEEN;
		take_entry(p, &entry);
	}
	p->origin = origin;
	p->f->late = !root && PL_VALUES_MORE(p->e->variables.flags);
	if (!root && !rest.bytes && p->e->variables.flags & PL_VALUES_ALL)
		take_unbound(p);
}

static void look_into_all(struct sighting_place *p, struct pl_values rest)
{
	struct pl_value value;

	while (pl_values_next(&rest, &value) == 0)
		sighting_look_into(p, &value);
}

/* Variables first: they are of the line before. */
static void take_all(struct sighting_place *p)
{
	const bool follows = p->s->path.count && !p->s->line;

	if (p->e->variables.at && p->f) {
		p->s->event_id_count = 0;
		take_variables(p);
		if (follows && p->s->state.object_count)
			look_into_all(p, p->e->variables);
	}
	/* that an exception goes on is nothing new about it */
	if (p->e->values.at && p->e->kind != PL_EVENT_RERAISE) {
		p->s->event_id_count = 0;
		take_values(p);
		if (follows && p->s->state.object_count)
			look_into_all(p, p->e->values);
	}
}

/* ---- a line that was asked for ---- */

static bool is_at_line(const struct sightings *s, const struct pl_event *e)
{
	return e->line == s->line &&
	       (e->kind == PL_EVENT_LINE || e->kind == PL_EVENT_AGAIN || e->kind == PL_EVENT_CALL);
}

static void take_line(struct sighting_place *p)
{
	const struct sighted_kept *kept = &p->f->kept;
	struct pl_values rest = kept->values;
	struct pl_value value = {0}, owner, part;
	int code = kept->values.at ? 0 : PL_END;

	p->s->code_events++;
	for (size_t i = 0; i <= kept->index && code == 0; i++)
		code = pl_values_next(&rest, &value);
	if (code || !find_owner(p->s, &value, &owner))
		return;
	const enum value_found found = value_path_find(&p->s->path, 0, &value, &part);
	if (found == VALUE_NOT_KEPT)
		return;
	if (found == VALUE_ABSENT)
		part = (struct pl_value){.kind = PL_VALUE_UNSET};
	p->origin = (struct sighting_origin){
		.how = (enum sighting_how)kept->how, .code = kept->code, .line = kept->line};
	struct sighting row = sighting_row(p, &part);
	row.id = p->s->path.count ? owner.id : 0;
	row.class_name = p->s->path.count ? sighting_class_of(&owner) : row.class_name;
	if (!p->s->id || (row.id ? row.id : part.id) == p->s->id)
		sighting_see_of_code(p, &row, row.id);
}

/* ---- events ---- */

static bool wants_code(struct sightings *s, const struct pl_code *code)
{
	uint64_t *known = map_put(&s->codes, (uintptr_t)code);

	if (!known) {
		s->failed = true;
		return false;
	}
	if (!*known) {
		const bool wanted = (!s->file || name_is_file(pl_code_file(code), s->file)) &&
				    (!s->function || named_function(code, s->function));
		*known = wanted ? 1 : 2;
	}
	return *known == 1;
}

static bool is_of_frame(const struct pl_event *e)
{
	return e->code && e->kind != PL_EVENT_GAP && e->kind != PL_EVENT_MARK &&
	       e->kind != PL_EVENT_OUTSIDE && e->kind != PL_EVENT_POSSIBLE;
}

static void leave(struct sighting_place *p)
{
	if (p->e->kind == PL_EVENT_RETURN || p->e->kind == PL_EVENT_UNWIND)
		sighted_frame_end(&p->s->state, p->f);
	else if (p->e->kind != PL_EVENT_CALL)
		p->f->line = p->e->line;
}

int sightings_take(struct sightings *s, const struct pl_cursor *c, const struct pl_event *e)
{
	struct sighting_place p = {.s = s, .c = c, .e = e};

	if (!is_of_frame(e) || !wants_code(s, e->code))
		return s->failed ? PL_ERR_MEMORY : 0;
	if (s->lines || s->line) {
		p.f = sighted_frame_of(&s->state, e);
		if (!p.f)
			return PL_ERR_MEMORY;
	}
	s->code_events += e->kind == PL_EVENT_CALL && !s->line;
	s->value_events += e->values.at || e->variables.at;
	take_all(&p);
	if (s->line && is_at_line(s, e))
		take_line(&p);
	if (p.f)
		leave(&p);
	return s->failed ? PL_ERR_MEMORY : 0;
}

int sightings_begin(struct sightings *s)
{
	sighted_state_release(&s->state);
	map_release(&s->codes);
	map_release(&s->results);
	if (!s->buffer)
		s->buffer = malloc(VALUES_TEXT_BYTES);
	if (!s->buffer)
		return PL_ERR_MEMORY;
	if (!s->id || !s->path.count)
		return 0;
	return sighted_object_add(&s->state, s->id) ? 0 : PL_ERR_MEMORY;
}

void sightings_release(struct sightings *s)
{
	sighted_names_release(&s->names);
	sighted_state_release(&s->state);
	map_release(&s->codes);
	map_release(&s->results);
	free(s->stack);
	free(s->buffer);
	s->stack = NULL;
	s->buffer = NULL;
}
