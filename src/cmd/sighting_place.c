#include "cmd/sighting_place.h"

#include <string.h>
#include "cmd/values.h"

/* Codes and objects whose last values are kept; then all are forgotten. */
#define RESULTS_MAX (1u << 20)

/* ---- what is written ---- */

uint64_t sighting_text_hash(const struct sightings *s, size_t length)
{
	return hash_bytes(s->buffer, length);
}

static void emit(const struct sighting_place *p, struct sighting *row)
{
	struct sightings *s = p->s;

	row->event = p->e;
	s->written++;
	s->stopped |= !s->write(s->context, row);
}

struct sighting sighting_row(const struct sighting_place *p, const struct pl_value *value)
{
	return (struct sighting){.how = p->origin.how,
		.value = *value,
		.code = p->origin.code,
		.line = p->origin.line};
}

void sighting_see(const struct sighting_place *p, struct sighting *row, struct sighted_value *known)
{
	struct sightings *s = p->s;
	const size_t length = pl_value_text(&row->value, s->buffer, VALUES_TEXT_BYTES);
	const bool equal =
		sighted_value_take(known, &row->value, sighting_text_hash(s, length), s->changes);

	row->text = (struct text){.at = s->buffer, .length = length};
	if (!equal || (!s->changes && !p->origin.written))
		emit(p, row);
}

void sighting_see_of_code(const struct sighting_place *p, struct sighting *row, uint64_t id)
{
	const uint64_t words[] = {(uintptr_t)p->e->code, id};
	if (p->s->results.used >= RESULTS_MAX)
		map_release(&p->s->results);
	uint64_t *last = map_put(&p->s->results, hash_bytes(words, sizeof words));
	struct sighted_value known = {.text = last ? *last : 0, .id = row->value.id};

	if (!last) {
		p->s->failed = true;
		return;
	}
	sighting_see(p, row, &known);
	*last = known.text;
	sighted_value_reset(&known);
}

/* ---- objects that are followed ---- */

static bool is_same_class(struct sighted_object *o, const struct pl_value *v)
{
	const uint64_t words[] = {v->kind, hash_bytes(v->type.at, v->type.length)};
	const uint64_t class_hash = hash_bytes(words, sizeof words);

	if (!o->class_hash)
		o->class_hash = class_hash;
	return o->class_hash == class_hash;
}

/* Once in an event: it can be in several of its values. */
static bool is_new_in_event(struct sightings *s, uint64_t id)
{
	for (size_t i = 0; i < s->event_id_count; i++)
		if (s->event_ids[i] == id)
			return false;
	if (s->event_id_count < SIGHTINGS_EVENT_IDS)
		s->event_ids[s->event_id_count++] = id;
	return true;
}

/* Of a list it is the kind, as it is no subclass of it. */
struct pl_text sighting_class_of(const struct pl_value *object)
{
	const char *kind = pl_value_kind_name(object->kind);

	return object->type.length ? object->type : (struct pl_text){kind, strlen(kind)};
}

/* A bit for each key or attribute; of a list, which has none, all. */
static uint64_t parts_of(const struct pl_value *object)
{
	struct pl_values rest = object->members;
	struct pl_value member;
	uint64_t parts = 0;

	if (object->kind != PL_VALUE_DICT && object->kind != PL_VALUE_OBJECT)
		return UINT64_MAX;
	for (bool key = true; pl_values_next(&rest, &member) == 0; key = !key) {
		const struct pl_text t =
			object->kind == PL_VALUE_OBJECT ? member.name : member.text;
		const uint64_t word =
			t.length ? hash_bytes(t.at, t.length) : (uint64_t)member.integer;
		if (key || object->kind == PL_VALUE_OBJECT)
			parts |= UINT64_C(1) << (word & 63);
	}
	return parts;
}

/* What has no parts at all, or none of those that it had, is a new object at the address of one
 * that is gone. So is what an __init__ begins with. */
static bool is_new_object(
	const struct sighting_place *p, const struct sighted_object *known, uint64_t parts)
{
	const char *name = pl_code_name(p->e->code), *dot = strrchr(name, '.');

	return !(parts & known->parts) ||
	       (p->e->kind == PL_EVENT_CALL && dot && !strcmp(dot, ".__init__"));
}

/* A part that is not there is news if it was there. */
static void see_part(
	const struct sighting_place *p, const struct pl_value *object, struct sighted_object *known)
{
	const struct value_step *last = &p->s->path.steps[p->s->path.count - 1];
	struct pl_value part;
	const enum value_found found = value_path_step(object, last, &part);
	const uint64_t parts = parts_of(object);

	if (found == VALUE_ABSENT && is_new_object(p, known, parts))
		sighted_value_reset(&known->value);
	else if (found == VALUE_ABSENT && known->value.text)
		part = (struct pl_value){.kind = PL_VALUE_UNSET};
	known->parts = parts;
	if ((found == VALUE_ABSENT && !known->value.text) || found == VALUE_NOT_KEPT)
		return;
	/* of which only the type was kept may be what it was */
	if (found == VALUE_FOUND && part.kind == PL_VALUE_CUT && !part.id)
		return;
	if (!is_new_in_event(p->s, object->id))
		return;
	struct sighting row = sighting_row(p, &part);
	row.id = object->id;
	row.class_name = sighting_class_of(object);
	sighting_see(p, &row, &known->value);
}

void sighting_look_into(const struct sighting_place *p, const struct pl_value *value)
{
	struct pl_values rest = value->members;
	struct sighted_object *known =
		value->id ? sighted_object_find(&p->s->state, value->id) : NULL;
	struct pl_value member;

	if (known && is_same_class(known, value))
		see_part(p, value, known);
	while (pl_values_next(&rest, &member) == 0)
		sighting_look_into(p, &member);
}

void sighting_follow(const struct sighting_place *p, const struct pl_value *owner)
{
	struct sighted_object *o = sighted_object_add(&p->s->state, owner->id);

	if (!o) {
		p->s->failed = true;
		return;
	}
	if (owner->kind != PL_VALUE_SEEN && !is_same_class(o, owner)) {
		sighted_value_reset(&o->value);
		*o = (struct sighted_object){0};
		is_same_class(o, owner);
	}
}
