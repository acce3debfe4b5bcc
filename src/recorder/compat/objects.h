/* Objects of the program, read in place: nothing of theirs is called, and nothing is made. */
#ifndef PL_RECORDER_COMPAT_OBJECTS_H
#define PL_RECORDER_COMPAT_OBJECTS_H

#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <internal/pycore_dict.h>
#include <internal/pycore_object.h>
#if PY_VERSION_HEX >= 0x030d0000
#include <internal/pycore_setobject.h>
#endif
#pragma GCC diagnostic pop

/* ---- frames ---- */

/* In the callback of a resume: what was sent; borrowed. */
static inline PyObject *frame_sent(const py_frame *f)
{
#if PY_VERSION_HEX >= 0x030e0000
	return PyStackRef_AsPyObjectBorrow(f->stackpointer[-1]);
#else
	return f->localsplus[f->stacktop - 1];
#endif
}

/* The value of a local variable, also of one that functions in each other share; borrowed, NULL: it
 * is not bound. */
static inline PyObject *frame_variable(py_frame *f, const PyCodeObject *code, int index)
{
	PyObject *value = frame_local(f, index);
	bool shared =
		_PyLocals_GetKind(code->co_localspluskinds, index) & (CO_FAST_CELL | CO_FAST_FREE);

	return value && shared && PyCell_Check(value) ? PyCell_GET(value) : value;
}

/* The dict that has the names of a module or a class body; borrowed. NULL: what has them is no
 * dict. */
static inline PyObject *frame_names(const py_frame *f)
{
	return f->f_locals && PyDict_Check(f->f_locals) ? f->f_locals : NULL;
}

/* ---- dicts ---- */

/* All of them are strs. */
static inline bool dict_has_plain_keys(PyObject *dict)
{
	return ((PyDictObject *)dict)->ma_keys->dk_kind != DICT_KEYS_GENERAL;
}

/* The value of a name in a dict: borrowed, NULL: there is none. Keys that are no strs have methods
 * of the program, by which a look-up would compare them. */
static inline PyObject *dict_find(PyObject *dict, const char *name)
{
	PyObject *key, *value;
	Py_ssize_t place = 0;

	if (dict_has_plain_keys(dict))
		return PyDict_GetItemString(dict, name);
	while (PyDict_Next(dict, &place, &key, &value))
		if (PyUnicode_CheckExact(key) && PyUnicode_CompareWithASCIIString(key, name) == 0)
			return value;
	return NULL;
}

/* Does it live for ever, so that nothing else will have its address? */
static inline bool object_is_kept(PyObject *o)
{
#if PY_VERSION_HEX >= 0x030c0000
	return _Py_IsImmortal(o);
#else
	(void)o;
	return false;
#endif
}

/* ---- ints ---- */

struct long_parts {
	const digit *digits; /* the lowest first, PyLong_SHIFT bits each */
	size_t count;
	bool negative;
};

static inline struct long_parts long_parts(const PyLongObject *l)
{
#if PY_VERSION_HEX >= 0x030c0000
	uintptr_t tag = l->long_value.lv_tag;

	return (struct long_parts){l->long_value.ob_digit, tag >> 3, (tag & 3) == 2};
#else
	Py_ssize_t size = Py_SIZE((const PyObject *)l);

	return (struct long_parts){l->ob_digit, (size_t)(size < 0 ? -size : size), size < 0};
#endif
}

/* ---- attributes ---- */

/* An object's attributes as its type keeps them: in a dict, or as values beside it whose names the
 * type has. Both NULL: there are none. */
struct attributes {
	PyObject *dict;	      /* borrowed, a dict or a subclass */
	PyDictValues *values; /* borrowed */
	PyDictKeysObject *keys;
};

static inline PyDictKeysObject *cached_keys(PyTypeObject *type)
{
	return ((PyHeapTypeObject *)type)->ht_cached_keys;
}

/* Of a type that lets the interpreter manage where they are. */
static inline struct attributes managed_attributes(PyObject *o)
{
	struct attributes a = {.keys = cached_keys(Py_TYPE(o))};

#if PY_VERSION_HEX >= 0x030d0000
	a.dict = (PyObject *)_PyObject_ManagedDictPointer(o)->dict;
	bool inside = Py_TYPE(o)->tp_flags & Py_TPFLAGS_INLINE_VALUES;
	if (!a.dict && inside && _PyObject_InlineValues(o)->valid)
		a.values = _PyObject_InlineValues(o);
#elif PY_VERSION_HEX >= 0x030c0000
	PyDictOrValues both = *_PyObject_DictOrValuesPointer(o);
	if (!_PyDictOrValues_IsValues(both))
		a.dict = both.dict;
	else
		a.values = _PyDictOrValues_GetValues(both);
#else
	a.values = *_PyObject_ValuesPointer(o);
	if (!a.values)
		a.dict = *_PyObject_ManagedDictPointer(o);
#endif
	return a;
}

static inline struct attributes object_attributes(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	struct attributes a = {0};

	if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
		a = managed_attributes(o);
	} else if (type->tp_dictoffset) {
		PyObject **place = _PyObject_GetDictPtr(o); /* computes an address */
		a.dict = place ? *place : NULL;
	}
	if (a.dict && !PyDict_Check(a.dict))
		a.dict = NULL;
	return a;
}

/* The words of memory that say which of both it has, and where. Returns their number. */
static inline int attributes_places(PyObject *o, const void *places[2])
{
	if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_MANAGED_DICT)) {
		places[0] = Py_TYPE(o)->tp_dictoffset ? _PyObject_GetDictPtr(o) : NULL;
		return places[0] != NULL;
	}
#if PY_VERSION_HEX >= 0x030d0000
	places[0] = &_PyObject_ManagedDictPointer(o)->dict;
	if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_INLINE_VALUES))
		return 1;
	places[1] = _PyObject_InlineValues(o); /* its first word: are they valid? */
	return 2;
#elif PY_VERSION_HEX >= 0x030c0000
	places[0] = _PyObject_DictOrValuesPointer(o);
	return 1;
#else
	places[0] = _PyObject_ValuesPointer(o);
	places[1] = _PyObject_ManagedDictPointer(o);
	return 2;
#endif
}

/* How many values there are beside the type's names, and which is the i-th that was set. */
static inline size_t values_count(PyDictValues *v)
{
#if PY_VERSION_HEX >= 0x030d0000
	return v->size;
#else
	return ((uint8_t *)v)[-2];
#endif
}

static inline size_t values_index(PyDictValues *v, size_t i)
{
#if PY_VERSION_HEX >= 0x030d0000
	return get_insertion_order_array(v)[i];
#else
	return ((uint8_t *)v)[-3 - (ptrdiff_t)i];
#endif
}

/* The words of memory that have their order, and how many there are. */
static inline const void *values_order(PyDictValues *v, size_t *words)
{
#if PY_VERSION_HEX >= 0x030d0000
	*words = ((size_t)v->size + 7) / 8;
	return get_insertion_order_array(v);
#else
	*words = (values_count(v) + 2 + 7) / 8;
	return (const char *)v - 8 * *words;
#endif
}

/* Its first word has their number, where values_order does not. */
static inline const void *values_head(PyDictValues *v)
{
#if PY_VERSION_HEX >= 0x030d0000
	return v;
#else
	return (const char *)v - 8;
#endif
}

/* The i-th attribute of `values`, in the order of binding: borrowed, NULL: it is unbound. */
static inline PyObject *values_at(const struct attributes *a, size_t i, PyObject **name)
{
	size_t index = values_index(a->values, i);

	*name = DK_UNICODE_ENTRIES(a->keys)[index].me_key;
	return a->values->values[index];
}

static inline const void *values_place(PyDictValues *v, size_t i)
{
	return &v->values[values_index(v, i)];
}

/* ---- where the items of a dict are ---- */

/* Of the i-th entry, as PyDict_Next counts: the word that has its value. *key: the one that has its
 * key; NULL: keys of many dicts, which stay as they are. */
static inline const void *dict_item_place(PyObject *dict, Py_ssize_t i, const void **key)
{
	const PyDictObject *d = (const PyDictObject *)dict;

	*key = NULL;
	if (d->ma_values)
		return values_place(d->ma_values, (size_t)i);
	if (DK_IS_UNICODE(d->ma_keys)) {
		PyDictUnicodeEntry *entry = &DK_UNICODE_ENTRIES(d->ma_keys)[i];
		*key = &entry->me_key;
		return &entry->me_value;
	}
	PyDictKeyEntry *entry = &DK_ENTRIES(d->ma_keys)[i];
	*key = &entry->me_key;
	return &entry->me_value;
}

/* The word that has the size and the kind of its table. */
static inline const void *dict_table_place(PyObject *dict)
{
	return &((const PyDictObject *)dict)->ma_keys->dk_log2_size;
}

#endif
