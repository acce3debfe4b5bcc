#include "recorder/values/members.h"

#include <string.h>
#include <structmember.h>

#include "recorder/compat/library.h"
#include "recorder/values/reads.h"

/* ---- attributes ---- */

/* The slots that a class statement made: the interpreter has them as members of the type. */
static const PyMemberDef *slots_of_type(const PyTypeObject *type)
{
	return type->tp_flags & Py_TPFLAGS_HEAPTYPE ? type->tp_members : NULL;
}

static bool is_slot(const PyMemberDef *d)
{
	return d->type == T_OBJECT_EX && d->offset > 0;
}

static PyObject *slot_value(PyObject *o, const PyMemberDef *d)
{
	return *(PyObject **)((char *)o + d->offset);
}

static size_t count_slots(PyObject *o, const PyTypeObject *type)
{
	const PyMemberDef *d = slots_of_type(type);
	size_t count = 0;

	for (; d && d->name; d++)
		count += is_slot(d) && slot_value(o, d);
	return count;
}

PyObject *object_slot(PyObject *o, const char *name)
{
	for (PyTypeObject *t = Py_TYPE(o); t; t = t->tp_base) {
		const PyMemberDef *d = slots_of_type(t);
		for (; d && d->name; d++)
			if (is_slot(d) && !strcmp(d->name, name))
				return slot_value(o, d);
	}
	return NULL;
}

/* All of them, also those without a value, which can come. */
static void note_slots(const struct members *m, const PyTypeObject *type)
{
	const PyMemberDef *d = slots_of_type(type);

	for (; m->reads && d && d->name; d++)
		if (is_slot(d))
			reads_note(m->reads, (char *)m->of + d->offset);
}

static void find_slots(struct members *m)
{
	PyTypeObject *types[sizeof m->slots_of / sizeof *m->slots_of];
	size_t count = 0;

	for (PyTypeObject *t = Py_TYPE(m->of); t; t = t->tp_base) {
		note_slots(m, t);
		if (count < sizeof types / sizeof *types && slots_of_type(t) &&
			count_slots(m->of, t)) {
			types[count++] = t;
			m->length += count_slots(m->of, t);
		}
	}
	m->slot_types = count;
	for (size_t i = 0; i < count; i++)
		m->slots_of[i] = types[count - 1 - i];
}

static bool next_slot(const struct members *m, struct attribute_place *at, struct member *out)
{
	while (at->slot_type < m->slot_types) {
		const PyMemberDef *d = &slots_of_type(m->slots_of[at->slot_type])[at->slot];
		if (!d->name) {
			at->slot_type++;
			at->slot = 0;
			continue;
		}
		at->slot++;
		if (is_slot(d) && slot_value(m->of, d)) {
			*out = (struct member){.slot = d->name, .value = slot_value(m->of, d)};
			return true;
		}
	}
	return false;
}

static void note_order(struct reads *r, PyDictValues *values)
{
	size_t words;
	const void *order = values_order(values, &words);

	reads_note(r, values_head(values));
	reads_note_words(r, order, words);
}

static void note_table(struct reads *r, PyObject *dict)
{
	const PyDictObject *d = (const PyDictObject *)dict;

	if (!r)
		return;
	reads_note_type(r, dict);
	reads_note(r, &d->ma_used);
	reads_note(r, &d->ma_keys);
	reads_note(r, &d->ma_values);
	if (d->ma_values)
		note_order(r, d->ma_values);
	else
		reads_note(r, dict_table_place(dict));
}

/* Those from `from` on, which PyDict_Next went through. Of all but the last the value is missing.
 */
static void note_items(struct reads *r, PyObject *dict, Py_ssize_t from, Py_ssize_t end)
{
	const void *key = NULL;

	for (; r && from < end && !r->failed; from++) {
		reads_note(r, dict_item_place(dict, from, &key));
		if (key)
			reads_note(r, key);
	}
}

/* As PyDict_Next. */
static bool next_in_dict(
	struct reads *r, PyObject *dict, Py_ssize_t *place, struct member *out, bool named)
{
	const Py_ssize_t from = *place;

	if (!PyDict_Next(dict, place, named ? &out->name : &out->key, &out->value))
		return false;
	note_items(r, dict, from, *place);
	if (r && named && PyUnicode_Check(out->name))
		reads_note(r, &((const PyASCIIObject *)out->name)->hash);
	return true;
}

static void note_attributes(const struct members *m)
{
	const void *places[2];

	if (!m->reads)
		return;
	if (Py_TYPE(m->of)->tp_itemsize) /* what it has lies behind its items */
		reads_note(m->reads, &((const PyVarObject *)m->of)->ob_size);
	const int count = attributes_places(m->of, places);
	for (int i = 0; i < count; i++)
		reads_note(m->reads, places[i]);
	if (m->attributes.dict)
		note_table(m->reads, m->attributes.dict);
	else if (m->attributes.values)
		note_order(m->reads, m->attributes.values);
}

static size_t count_attributes(const struct attributes *a)
{
	if (a->dict)
		return (size_t)PyDict_GET_SIZE(a->dict);
	return a->values ? values_count(a->values) : 0;
}

/* An object's dict can have names that are no strs, or empty, which the format cannot tell from the
 * end; they are passed over. */
static bool is_attribute_name(PyObject *name)
{
	return PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name);
}

static bool next_attribute(const struct members *m, struct attribute_place *at, struct member *out)
{
	const struct attributes *a = &m->attributes;

	*out = (struct member){0};
	if (next_slot(m, at, out))
		return true;
	while (a->dict && next_in_dict(m->reads, a->dict, &at->place, out, true))
		if (is_attribute_name(out->name))
			return true;
	while (a->values && at->value < values_count(a->values)) {
		reads_note(m->reads, values_place(a->values, at->value));
		out->value = values_at(a, at->value++, &out->name);
		if (out->value && out->name && is_attribute_name(out->name))
			return true;
	}
	return false;
}

/* ---- attributes in the order of a class's fields ---- */

/* The next name that a dataclass, or a class of attrs, gives to a field. NULL: there are no more.
 */
static PyObject *next_field(PyObject *fields, Py_ssize_t *place)
{
	PyObject *name = NULL, *value = NULL;

	if (PyDict_CheckExact(fields)) {
		if (!PyDict_Next(fields, place, &name, &value))
			return NULL;
	} else if (*place < PyTuple_GET_SIZE(fields)) {
		PyObject *attribute = PyTuple_GET_ITEM(fields, (*place)++);
		name = object_slot(attribute, "name");
	}
	return name && PyUnicode_Check(name) ? name : NULL;
}

static bool has_name(const struct member *m, PyObject *name)
{
	if (m->slot)
		return !PyUnicode_CompareWithASCIIString(name, m->slot);
	return m->name == name || !PyUnicode_Compare(m->name, name);
}

static bool is_of_field(const struct members *m, const struct member *attribute)
{
	Py_ssize_t place = 0;

	for (PyObject *name; (name = next_field(m->fields, &place));)
		if (has_name(attribute, name))
			return true;
	return false;
}

static bool find_attribute(const struct members *m, PyObject *name, struct member *out)
{
	struct attribute_place at = {0};

	while (next_attribute(m, &at, out))
		if (has_name(out, name))
			return true;
	return false;
}

/* The fields, then what else there is. Mostly the attributes have that order already; slots are
 * sorted by their names. */
static bool next_in_order(struct members *m, struct member *out)
{
	for (PyObject *name; m->fields && (name = next_field(m->fields, &m->field));) {
		struct attribute_place at = m->at;
		if (!m->strayed && next_attribute(m, &at, out) && has_name(out, name)) {
			m->at = at;
			return true;
		}
		if (find_attribute(m, name, out)) {
			m->strayed = true;
			return true;
		}
	}
	while (next_attribute(m, &m->at, out))
		if (!m->strayed || !is_of_field(m, out))
			return true;
	return false;
}

/* ---- items ---- */

static bool next_of_array(struct members *m, PyObject *const *items, struct member *out)
{
	if (m->next >= m->length)
		return false;
	reads_note(m->reads, &items[m->next]);
	*out = (struct member){.value = items[m->next]};
	if (m->kind == VALUE_NAMEDTUPLE)
		out->name = PyTuple_GET_ITEM(m->fields, m->next);
	m->next++;
	return true;
}

static bool next_of_set(struct members *m, struct member *out)
{
	Py_hash_t hash;

	const Py_ssize_t from = m->place;
	const setentry *table = ((const PySetObject *)m->of)->table;

	*out = (struct member){0};
	if (!_PySet_NextEntry(m->of, &m->place, &out->value, &hash))
		return false;
	for (Py_ssize_t i = from; m->reads && i < m->place && !m->reads->failed; i++)
		reads_note(m->reads, &table[i].key);
	return true;
}

static void note_set(struct reads *r, PyObject *set)
{
	const PySetObject *s = (const PySetObject *)set;

	reads_note(r, &s->used);
	reads_note(r, &s->mask);
	reads_note(r, &s->table);
}

static bool next_of_dict(struct members *m, struct member *out)
{
	*out = (struct member){0};
	return next_in_dict(m->reads, m->of, &m->place, out, false);
}

static void begin_deque(struct members *m)
{
	const struct deque_layout *d = (const struct deque_layout *)m->of;

	reads_note(m->reads, &d->head.ob_size);
	reads_note(m->reads, &d->leftblock);
	reads_note(m->reads, &d->leftindex);
	m->length = (size_t)Py_SIZE(m->of);
	m->block = d->leftblock;
	m->block_place = (size_t)d->leftindex;
}

static bool next_of_deque(struct members *m, struct member *out)
{
	if (m->next++ >= m->length || !m->block || m->block_place >= DEQUE_BLOCK_ITEMS)
		return false;
	reads_note(m->reads, &m->block->items[m->block_place]);
	*out = (struct member){.value = m->block->items[m->block_place++]};
	if (m->block_place == DEQUE_BLOCK_ITEMS && m->next < m->length) {
		reads_note(m->reads, &m->block->right);
		m->block = m->block->right;
		m->block_place = 0;
	}
	return out->value;
}

/* ---- OrderedDict ---- */

#define LOOKED_THROUGH_MAX 4096 /* items of an OrderedDict whose order is not that of its dict */

static void begin_ordered(struct members *m)
{
	reads_fail(m->reads);
	if (PyODict_Type.tp_basicsize == (Py_ssize_t)sizeof(struct odict_layout))
		m->node = ((const struct odict_layout *)m->of)->first;
}

/* Without a look-up, which could call __eq__: mostly the dict has the key next, too. */
static bool find_item(struct members *m, PyObject *key, struct member *out)
{
	*out = (struct member){0};
	if (next_of_dict(m, out) && out->key == key)
		return true;
	m->place = 0;
	for (unsigned i = 0; i < LOOKED_THROUGH_MAX && next_of_dict(m, out); i++)
		if (out->key == key)
			return true;
	return false;
}

static bool next_of_ordered(struct members *m, struct member *out)
{
	while (m->node) {
		PyObject *key = m->node->key;
		m->node = m->node->next;
		if (find_item(m, key, out))
			return true;
		if (m->length > LOOKED_THROUGH_MAX)
			return false;
	}
	return false;
}

void members_begin(struct members *m, PyObject *of, enum value_kind kind, PyObject *fields,
	struct reads *reads)
{
	*m = (struct members){.of = of, .reads = reads, .kind = kind, .fields = fields};
	switch (kind) {
	case VALUE_LIST:
		reads_note(reads, &((const PyListObject *)of)->ob_item);
		/* fallthrough */
	case VALUE_TUPLE:
	case VALUE_NAMEDTUPLE:
		reads_note(reads, &((const PyVarObject *)of)->ob_size);
		m->length = (size_t)Py_SIZE(of);
		if (fields && (size_t)PyTuple_GET_SIZE(fields) != m->length)
			m->kind = VALUE_TUPLE;
		break;
	case VALUE_SET:
	case VALUE_FROZENSET:
		note_set(reads, of);
		m->length = (size_t)PySet_GET_SIZE(of);
		break;
	case VALUE_DICT:
		note_table(reads, of);
		m->length = (size_t)PyDict_GET_SIZE(of);
		if (PyODict_Check(of))
			begin_ordered(m);
		break;
	case VALUE_DEQUE:
		begin_deque(m);
		break;
	default:
		m->attributes = object_attributes(of);
		note_attributes(m);
		m->length = count_attributes(&m->attributes);
		find_slots(m);
	}
}

bool members_next(struct members *m, struct member *out)
{
	switch (m->kind) {
	case VALUE_LIST:
		return next_of_array(m, ((PyListObject *)m->of)->ob_item, out);
	case VALUE_TUPLE:
	case VALUE_NAMEDTUPLE:
		return next_of_array(m, ((PyTupleObject *)m->of)->ob_item, out);
	case VALUE_SET:
	case VALUE_FROZENSET:
		return next_of_set(m, out);
	case VALUE_DICT:
		return PyODict_Check(m->of) ? next_of_ordered(m, out) : next_of_dict(m, out);
	case VALUE_DEQUE:
		return next_of_deque(m, out);
	default:
		return next_in_order(m, out);
	}
}
