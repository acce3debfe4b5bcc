#include "recorder/values/library.h"

#include <string.h>

#include "recorder/compat/library.h"
#include "recorder/compat/objects.h"
#include "recorder/values/library_texts.h"
#include "recorder/values/members.h"

/* Classes first: an enum's layout can be that of a type of C. A derived type of C is before its
 * base. */
static const struct library_type TYPES[] = {
	{"enum", "Enum", .text = text_of_member, .own_name = true},
	{"pathlib", "PureWindowsPath"},
	{"pathlib", "PurePath", .text = text_of_path, .is_free = true, .own_name = true},
	{"pathlib._local", "PureWindowsPath"}, /* 3.13 */
	{"pathlib._local", "PurePath", .text = text_of_path, .is_free = true, .own_name = true},
	{"uuid", "UUID", .text = text_of_uuid},
	{"fractions", "Fraction", .text = text_of_fraction},
	{"collections.deque", .bytes = sizeof(struct deque_layout), .kind = VALUE_DEQUE},
	{"datetime.datetime", .bytes = sizeof(PyDateTime_DateTime), .text = text_of_datetime},
	{"datetime.date", .bytes = sizeof(PyDateTime_Date), .text = text_of_date},
	{"datetime.time", .bytes = sizeof(PyDateTime_Time), .text = text_of_time},
	{"datetime.timedelta", .bytes = sizeof(PyDateTime_Delta), .text = text_of_timedelta},
	{"datetime.timezone", .bytes = sizeof(struct timezone_layout), .text = text_of_timezone},
	{"zoneinfo.ZoneInfo", .bytes = ZONEINFO_BYTES, .text = text_of_zoneinfo},
	{"decimal.Decimal", .bytes = sizeof(struct decimal_layout), .text = text_of_decimal},
	{"re.Pattern", .bytes = sizeof(struct pattern_layout), .text = text_of_pattern,
		.is_free = true},
	{"re.Match", .bytes = sizeof(struct match_layout), .text = text_of_match, .is_free = true},
	{"weakref.ReferenceType", .bytes = sizeof(PyWeakReference), .text = text_of_weakref},
	{"numpy.ndarray", .bytes = sizeof(struct ndarray_layout), .may_be_longer = true,
		.text = text_of_array},
	{"numpy.generic", .bytes = sizeof(PyObject), .text = text_of_scalar, .own_name = true},
};
#define TYPE_COUNT (sizeof TYPES / sizeof *TYPES)

/* By its names and not by what the module has with that name: while a module is being imported, its
 * classes are seen before they are bound. One that only claims to be it has other slots. */
static bool is_class(const struct library_type *row, PyTypeObject *type)
{
	if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
		PyUnicode_CompareWithASCIIString(
			((PyHeapTypeObject *)type)->ht_qualname, row->class_name))
		return false;
	PyObject *module = type->tp_dict ? dict_find(type->tp_dict, "__module__") : NULL;
	return module && PyUnicode_Check(module) &&
	       !PyUnicode_CompareWithASCIIString(module, row->name);
}

static bool is_of_class(const struct library_type *row, PyTypeObject *type, bool *exact)
{
	PyObject *bases = type->tp_mro;

	for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); i++) {
		PyObject *base = PyTuple_GET_ITEM(bases, i);
		if (PyType_Check(base) && is_class(row, (PyTypeObject *)base)) {
			*exact = i == 0;
			return true;
		}
	}
	return false;
}

/* No class of a program has this flag. */
static bool is_type_of_c(const struct library_type *row, const PyTypeObject *type)
{
	bool fits = type->tp_basicsize == row->bytes ||
		    (row->may_be_longer && type->tp_basicsize > row->bytes);

	return fits && type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE &&
	       !strcmp(type->tp_name, row->name);
}

/* tp_base leads to the type that has the layout. */
static bool is_of_layout(const struct library_type *row, const PyTypeObject *type, bool *exact)
{
	for (const PyTypeObject *base = type; base; base = base->tp_base)
		if (is_type_of_c(row, base)) {
			*exact = base == type;
			return true;
		}
	return false;
}

const struct library_type *library_type_of(PyTypeObject *type, bool *exact)
{
	for (size_t i = 0; i < TYPE_COUNT; i++)
		if (TYPES[i].class_name ? is_of_class(&TYPES[i], type, exact)
					: is_of_layout(&TYPES[i], type, exact))
			return &TYPES[i];
	return NULL;
}

/* A member of an enum, by its name. Flags that are together have one too, but for those without
 * names. */
bool text_of_member(struct repr *r, PyObject *o)
{
	struct members attributes;
	struct member m;

	members_begin(&attributes, o, VALUE_OBJECT, NULL, NULL);
	while (members_next(&attributes, &m)) {
		if (!m.name || PyUnicode_CompareWithASCIIString(m.name, "_name_"))
			continue;
		if (!PyUnicode_Check(m.value))
			return false;
		repr_name_of_type(r, o);
		repr_text(r, ".", 1);
		repr_plain(r, m.value);
		return true;
	}
	return false; /* its class is being made */
}

/* Without the addresses that its repr has. */
bool text_of_weakref(struct repr *r, PyObject *o)
{
	PyObject *to = ((const PyWeakReference *)o)->wr_object;

	if (!to || to == Py_None || Py_REFCNT(to) <= 0) {
		repr_format(r, "<weakref; dead>");
		return true;
	}
	repr_format(r, "<weakref; to '");
	repr_name_of_type(r, to);
	repr_format(r, "'>");
	return true;
}
