#include "recorder/values/members.h"

#include <structmember.h>

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

static void find_slots(struct members *m)
{
	PyTypeObject *types[sizeof m->slots_of / sizeof *m->slots_of];
	size_t count = 0;

	for (PyTypeObject *t = Py_TYPE(m->of); t; t = t->tp_base)
		if (count < sizeof types / sizeof *types && slots_of_type(t) &&
			count_slots(m->of, t)) {
			types[count++] = t;
			m->length += count_slots(m->of, t);
		}
	m->slot_types = count;
	for (size_t i = 0; i < count; i++)
		m->slots_of[i] = types[count - 1 - i];
}

static bool next_slot(struct members *m, struct member *out)
{
	while (m->slot_type < m->slot_types) {
		const PyMemberDef *d = &slots_of_type(m->slots_of[m->slot_type])[m->slot];
		if (!d->name) {
			m->slot_type++;
			m->slot = 0;
			continue;
		}
		m->slot++;
		if (is_slot(d) && slot_value(m->of, d)) {
			*out = (struct member){.slot = d->name, .value = slot_value(m->of, d)};
			return true;
		}
	}
	return false;
}

static size_t count_attributes(const struct attributes *a)
{
	if (a->dict)
		return (size_t)PyDict_GET_SIZE(a->dict);
	return a->values ? values_count(a->values) : 0;
}

/* Names that are no strs can be put into an object's dict; they are passed over. */
static bool next_attribute(struct members *m, struct member *out)
{
	*out = (struct member){0};
	if (next_slot(m, out))
		return true;
	while (m->attributes.dict &&
		PyDict_Next(m->attributes.dict, &m->place, &out->name, &out->value))
		if (PyUnicode_Check(out->name))
			return true;
	while (m->attributes.values && m->next < values_count(m->attributes.values)) {
		out->value = values_at(&m->attributes, m->next++, &out->name);
		if (out->value && out->name)
			return true;
	}
	return false;
}

/* ---- items ---- */

static bool next_of_array(struct members *m, PyObject *const *items, struct member *out)
{
	if (m->next >= m->length)
		return false;
	*out = (struct member){.value = items[m->next]};
	if (m->kind == VALUE_NAMEDTUPLE)
		out->name = PyTuple_GET_ITEM(m->fields, m->next);
	m->next++;
	return true;
}

static bool next_of_set(struct members *m, struct member *out)
{
	Py_hash_t hash;

	*out = (struct member){0};
	return _PySet_NextEntry(m->of, &m->place, &out->value, &hash);
}

static bool next_of_dict(struct members *m, struct member *out)
{
	*out = (struct member){0};
	return PyDict_Next(m->of, &m->place, &out->key, &out->value);
}

void members_begin(struct members *m, PyObject *of, enum value_kind kind, PyObject *fields)
{
	*m = (struct members){.of = of, .kind = kind, .fields = fields};
	switch (kind) {
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_NAMEDTUPLE:
		m->length = (size_t)Py_SIZE(of);
		if (fields && (size_t)PyTuple_GET_SIZE(fields) != m->length)
			m->kind = VALUE_TUPLE;
		break;
	case VALUE_SET:
	case VALUE_FROZENSET:
		m->length = (size_t)PySet_GET_SIZE(of);
		break;
	case VALUE_DICT:
		m->length = (size_t)PyDict_GET_SIZE(of);
		break;
	default:
		m->attributes = object_attributes(of);
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
		return next_of_dict(m, out);
	default:
		return next_attribute(m, out);
	}
}
