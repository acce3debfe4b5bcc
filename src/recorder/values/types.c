#include "recorder/values/types.h"

#include "recorder/compat/objects.h"
#include "recorder/names.h"
#include "recorder/values/library.h"

/* Kinds by the C layout of their instances, the exact types. What is compared here first is found
 * first, so a subclass is never above its base. */
static const struct {
	PyTypeObject *type;
	enum value_kind kind;
} BASES[] = {
	{&PyFloat_Type, VALUE_FLOAT},
	{&PyComplex_Type, VALUE_COMPLEX},
	{&PyByteArray_Type, VALUE_BYTEARRAY},
	{&PyMemoryView_Type, VALUE_MEMORYVIEW},
	{&PySet_Type, VALUE_SET},
	{&PyFrozenSet_Type, VALUE_FROZENSET},
	{&PyRange_Type, VALUE_RANGE},
	{&PySlice_Type, VALUE_SLICE},
	{&PyFunction_Type, VALUE_FUNCTION},
	{&PyCFunction_Type, VALUE_FUNCTION},
	{&PyMethod_Type, VALUE_METHOD},
	{&PyModule_Type, VALUE_MODULE},
};

/* A flag of a type says that instances have the layout of one of these. */
static const struct {
	unsigned long flag;
	PyTypeObject *type;
	enum value_kind kind;
} FLAGS[] = {
	{Py_TPFLAGS_LONG_SUBCLASS, &PyLong_Type, VALUE_INT},
	{Py_TPFLAGS_UNICODE_SUBCLASS, &PyUnicode_Type, VALUE_STR},
	{Py_TPFLAGS_BYTES_SUBCLASS, &PyBytes_Type, VALUE_BYTES},
	{Py_TPFLAGS_LIST_SUBCLASS, &PyList_Type, VALUE_LIST},
	{Py_TPFLAGS_TUPLE_SUBCLASS, &PyTuple_Type, VALUE_TUPLE},
	{Py_TPFLAGS_DICT_SUBCLASS, &PyDict_Type, VALUE_DICT},
};

/* A look-up compares a name with keys that are no strs, by methods of theirs. */
static bool has_plain_names(const PyTypeObject *type)
{
	PyObject *mro = type->tp_mro;

	for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
		PyObject *names = ((const PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_dict;
		if (names && !dict_has_plain_keys(names))
			return false;
	}
	return true;
}

/* An attribute of a class or its bases, as it is: borrowed, NULL: there is none. */
static PyObject *class_attribute(PyTypeObject *type, const char *name)
{
	PyObject *key = has_plain_names(type) ? PyUnicode_InternFromString(name) : NULL;
	PyObject *found = key ? _PyType_Lookup(type, key) : NULL;

	Py_XDECREF(key);
	PyErr_Clear();
	return found;
}

/* The names of a named tuple's fields: `_fields` of a class that derives from tuple, if it is a
 * tuple of strs, and none of them empty. */
static PyObject *named_fields(PyTypeObject *type)
{
	PyObject *fields = class_attribute(type, "_fields");

	if (!fields || !PyTuple_CheckExact(fields))
		return NULL;
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
		PyObject *name = PyTuple_GET_ITEM(fields, i);
		if (!PyUnicode_CheckExact(name) || !PyUnicode_GET_LENGTH(name))
			return NULL;
	}
	return fields;
}

static void set_kind(struct value_type *t, enum value_kind kind, bool exact)
{
	t->kind = (uint8_t)kind;
	t->exact = exact;
}

static bool set_kind_by_flag(struct value_type *t, PyTypeObject *type)
{
	for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
		if (type->tp_flags & FLAGS[i].flag) {
			set_kind(t, FLAGS[i].kind, type == FLAGS[i].type);
			return true;
		}
	return false;
}

/* `__dataclass_fields__` is a dict by the fields' names, `__attrs_attrs__` a tuple of objects with
 * a name. */
static PyObject *ordered_fields(PyTypeObject *type)
{
	PyObject *fields = class_attribute(type, "__dataclass_fields__");

	if (!fields || !PyDict_CheckExact(fields))
		fields = class_attribute(type, "__attrs_attrs__");
	return fields && (PyDict_CheckExact(fields) || PyTuple_Check(fields)) ? fields : NULL;
}

static void classify_by_library(struct value_type *t, PyTypeObject *type)
{
	bool exact = false;
	const struct library_type *row = library_type_of(type, &exact);

	if (row && row->kind)
		set_kind(t, row->kind, exact);
	if (row && row->text) {
		t->library = row;
		t->exact_text = exact || row->own_name;
	}
}

static void classify_by_layout(struct value_type *t, PyTypeObject *type)
{
	set_kind(t, VALUE_OBJECT, false);
	if (type->tp_flags & Py_TPFLAGS_TYPE_SUBCLASS) {
		set_kind(t, VALUE_CLASS, true);
	} else if (type->tp_flags & Py_TPFLAGS_BASE_EXC_SUBCLASS) {
		set_kind(t, VALUE_EXCEPTION, false);
	} else if (type == &_PyNone_Type) {
		set_kind(t, VALUE_NONE, true);
	} else if (type == &PyBool_Type) {
		set_kind(t, VALUE_TRUE, true);
	} else if (set_kind_by_flag(t, type)) {
		t->fields = t->kind == VALUE_TUPLE && !t->exact ? named_fields(type) : NULL;
		if (t->fields)
			t->kind = VALUE_NAMEDTUPLE;
	} else {
		for (size_t i = 0; i < sizeof BASES / sizeof *BASES; i++)
			if (PyType_IsSubtype(type, BASES[i].type)) {
				/* C functions are of several types, which nobody tells apart */
				set_kind(t, BASES[i].kind,
					type == BASES[i].type || BASES[i].kind == VALUE_FUNCTION);
				return;
			}
	}
}

static void classify(struct value_type *t, PyTypeObject *type)
{
	classify_by_layout(t, type);
	if (!t->exact && t->kind != VALUE_EXCEPTION)
		classify_by_library(t, type);
	if (t->kind == VALUE_OBJECT && type->tp_flags & Py_TPFLAGS_HEAPTYPE)
		t->fields = ordered_fields(type);
}

#define KNOWN_TYPES 512
static struct value_type known_types[KNOWN_TYPES]; /* a newer one replaces an older one */

/* A type's version tag is never used twice, so address and tag identify a type; tag 0 is none. */
static bool is_known(const struct value_type *t, const PyTypeObject *type)
{
	bool changes = type->tp_flags & Py_TPFLAGS_HEAPTYPE;

	return t->type == type && (!changes || (t->tag && t->tag == type->tp_version_tag));
}

const struct value_type *value_type_of(PyTypeObject *type)
{
	struct value_type *t = &known_types[((uintptr_t)type >> 5) % KNOWN_TYPES];

	if (is_known(t, type))
		return t;
	*t = (struct value_type){.type = type};
	size_t length = type_name(type, t->name, sizeof t->name);
	t->name_length = (uint8_t)(length < sizeof t->name ? length : sizeof t->name - 1);
	classify(t, type);
	if (!type->tp_version_tag)
		named_fields(type); /* a look-up gives it one, if there can be one */
	t->tag = type->tp_version_tag;
	return t;
}
