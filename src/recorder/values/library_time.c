/* Dates, times and time zones. */
#include "recorder/compat/library.h"
#include "recorder/values/library_texts.h"

static bool is_a(PyObject *o, const char *name, Py_ssize_t bytes)
{
	return !strcmp(Py_TYPE(o)->tp_name, name) && Py_TYPE(o)->tp_basicsize == bytes;
}

/* Of a class of the program only the name is known, as its repr would run code. */
static void put_zone(struct repr *r, PyObject *zone)
{
	bool known = false;

	if (is_a(zone, "datetime.timezone", sizeof(struct timezone_layout)))
		known = text_of_timezone(r, zone);
	else if (is_a(zone, "zoneinfo.ZoneInfo", ZONEINFO_BYTES))
		known = text_of_zoneinfo(r, zone);
	if (!known) {
		repr_text(r, "<", 1);
		repr_name_of_type(r, zone);
		repr_text(r, ">", 1);
	}
}

bool text_of_date(struct repr *r, PyObject *o)
{
	repr_full_name_of_type(r, o);
	repr_format(r, "(%d, %d, %d)", PyDateTime_GET_YEAR(o), PyDateTime_GET_MONTH(o),
		PyDateTime_GET_DAY(o));
	return true;
}

/* Seconds and microseconds where they are not 0, as all of datetime's reprs do. */
static void put_seconds(struct repr *r, int second, int microsecond)
{
	if (microsecond)
		repr_format(r, ", %d, %d", second, microsecond);
	else if (second)
		repr_format(r, ", %d", second);
}

static void put_tzinfo(struct repr *r, PyObject *zone)
{
	repr_format(r, ", tzinfo=");
	put_zone(r, zone);
}

bool text_of_datetime(struct repr *r, PyObject *o)
{
	const PyDateTime_DateTime *d = (const PyDateTime_DateTime *)o;

	repr_full_name_of_type(r, o);
	repr_format(r, "(%d, %d, %d, %d, %d", PyDateTime_GET_YEAR(o), PyDateTime_GET_MONTH(o),
		PyDateTime_GET_DAY(o), PyDateTime_DATE_GET_HOUR(o), PyDateTime_DATE_GET_MINUTE(o));
	put_seconds(r, PyDateTime_DATE_GET_SECOND(o), PyDateTime_DATE_GET_MICROSECOND(o));
	if (d->fold)
		repr_format(r, ", fold=%d", d->fold);
	if (d->hastzinfo && d->tzinfo)
		put_tzinfo(r, d->tzinfo);
	repr_text(r, ")", 1);
	return true;
}

bool text_of_time(struct repr *r, PyObject *o)
{
	const PyDateTime_Time *t = (const PyDateTime_Time *)o;

	repr_full_name_of_type(r, o);
	repr_format(r, "(%d, %d", PyDateTime_TIME_GET_HOUR(o), PyDateTime_TIME_GET_MINUTE(o));
	put_seconds(r, PyDateTime_TIME_GET_SECOND(o), PyDateTime_TIME_GET_MICROSECOND(o));
	if (t->hastzinfo && t->tzinfo)
		put_tzinfo(r, t->tzinfo);
	if (t->fold)
		repr_format(r, ", fold=%d", t->fold);
	repr_text(r, ")", 1);
	return true;
}

bool text_of_timedelta(struct repr *r, PyObject *o)
{
	const PyDateTime_Delta *d = (const PyDateTime_Delta *)o;
	const char *between = "";

	repr_full_name_of_type(r, o);
	repr_text(r, "(", 1);
	if (d->days) {
		repr_format(r, "days=%d", d->days);
		between = ", ";
	}
	if (d->seconds) {
		repr_format(r, "%sseconds=%d", between, d->seconds);
		between = ", ";
	}
	if (d->microseconds)
		repr_format(r, "%smicroseconds=%d", between, d->microseconds);
	else if (!*between)
		repr_text(r, "0", 1);
	repr_text(r, ")", 1);
	return true;
}

/* An offset of 0 without a name is that of timezone.utc alone. */
bool text_of_timezone(struct repr *r, PyObject *o)
{
	const struct timezone_layout *t = (const struct timezone_layout *)o;

	if (!t->offset || !is_a(t->offset, "datetime.timedelta", sizeof(PyDateTime_Delta)))
		return false;
	const PyDateTime_Delta *d = (const PyDateTime_Delta *)t->offset;
	bool is_utc = !t->name && !d->days && !d->seconds && !d->microseconds;
	repr_full_name_of_type(r, o);
	if (is_utc) {
		repr_format(r, ".utc");
		return true;
	}
	repr_text(r, "(", 1);
	text_of_timedelta(r, t->offset);
	if (t->name && PyUnicode_Check(t->name)) {
		repr_text(r, ", ", 2);
		repr_str(r, t->name);
	}
	repr_text(r, ")", 1);
	return true;
}

bool text_of_zoneinfo(struct repr *r, PyObject *o)
{
	const struct zoneinfo_layout *z = (const struct zoneinfo_layout *)o;
	bool has_key = z->key && PyUnicode_Check(z->key);

	if (!has_key && !(z->file_repr && PyUnicode_Check(z->file_repr)))
		return false;
	repr_full_name_of_type(r, o);
	repr_format(r, has_key ? "(key=" : ".from_file(");
	if (has_key)
		repr_str(r, z->key);
	else
		repr_plain(r, z->file_repr);
	repr_text(r, ")", 1);
	return true;
}
