/* Decimal, Fraction and UUID. */
#include <inttypes.h>

#include "recorder/compat/library.h"
#include "recorder/compat/objects.h"
#include "recorder/values/library_texts.h"
#include "recorder/values/members.h"

/* ---- Decimal ---- */

#define DECIMAL_WORDS_MAX  28 /* longer ones have no text */
#define DECIMAL_DIGITS_MAX (DECIMAL_WORDS_MAX * DECIMAL_WORD_DIGITS)

/* The digits of the coefficient, the highest first. false: they are too many, or not as expected.
 */
static bool put_digits(struct repr *digits, const struct decimal_layout *d)
{
	if (d->words < 1 || d->words > DECIMAL_WORDS_MAX || d->words > d->allocated ||
		!d->coefficient)
		return false;
	repr_format(digits, "%" PRIu64, d->coefficient[d->words - 1]);
	for (Py_ssize_t i = d->words - 1; i-- > 0;)
		repr_format(digits, "%0*" PRIu64, DECIMAL_WORD_DIGITS, d->coefficient[i]);
	return !digits->cut;
}

static void put_zeros(struct repr *r, Py_ssize_t count)
{
	for (; count > 0; count--)
		repr_text(r, "0", 1);
}

/* As the standard's to-scientific-string: with an exponent if there would be zeros at the end, or
 * more than five after the point. */
static void put_finite(struct repr *r, const struct repr *digits, Py_ssize_t exponent)
{
	const Py_ssize_t count = (Py_ssize_t)digits->length;
	const Py_ssize_t adjusted = exponent + count - 1;
	bool plain = exponent <= 0 && adjusted >= -6;
	const Py_ssize_t before = plain ? count + exponent : 1; /* digits before the point */

	if (before <= 0) {
		repr_text(r, "0.", 2);
		put_zeros(r, -before);
		repr_text(r, digits->text, (size_t)count);
	} else {
		repr_text(r, digits->text, (size_t)before);
		if (count > before) {
			repr_text(r, ".", 1);
			repr_text(r, digits->text + before, (size_t)(count - before));
		}
	}
	if (!plain)
		repr_format(r, "E%+zd", adjusted);
}

static bool put_special(struct repr *r, const struct decimal_layout *d)
{
	if (d->flags & DECIMAL_INFINITE) {
		repr_format(r, "Infinity");
		return true;
	}
	repr_format(r, d->flags & DECIMAL_SIGNALING_NAN ? "sNaN" : "NaN");
	return !d->digits || put_digits(r, d); /* what a NaN carries */
}

bool text_of_decimal(struct repr *r, PyObject *o)
{
	const struct decimal_layout *d = (const struct decimal_layout *)o;
	char text[DECIMAL_DIGITS_MAX + 1];
	struct repr digits = {.text = text, .room = sizeof text};

	repr_format(r, "Decimal('%s", d->flags & DECIMAL_NEGATIVE ? "-" : "");
	if (d->flags & (DECIMAL_INFINITE | DECIMAL_NAN | DECIMAL_SIGNALING_NAN)) {
		if (!put_special(r, d))
			return false;
	} else {
		if (!put_digits(&digits, d))
			return false;
		put_finite(r, &digits, d->exponent);
	}
	repr_text(r, "')", 2);
	return true;
}

/* ---- classes with slots ---- */

static PyObject *int_slot(PyObject *o, const char *name)
{
	PyObject *number = object_slot(o, name);

	return number && PyLong_CheckExact(number) ? number : NULL;
}

bool text_of_fraction(struct repr *r, PyObject *o)
{
	PyObject *numerator = int_slot(o, "_numerator");
	PyObject *denominator = int_slot(o, "_denominator");

	if (!numerator || !denominator)
		return false;
	repr_name_of_type(r, o);
	repr_text(r, "(", 1);
	if (!repr_int(r, numerator))
		return false;
	repr_text(r, ", ", 2);
	if (!repr_int(r, denominator))
		return false;
	repr_text(r, ")", 1);
	return true;
}

#define UUID_BITS 128

/* The half of a UUID's number with these bits. */
static uint64_t bits_from(const struct long_parts *l, unsigned lowest)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < l->count; i++) {
		const unsigned at = (unsigned)i * PyLong_SHIFT;
		if (at >= lowest && at - lowest < 64)
			bits |= (uint64_t)l->digits[i] << (at - lowest);
		else if (at < lowest && lowest - at < PyLong_SHIFT)
			bits |= l->digits[i] >> (lowest - at);
	}
	return bits;
}

#define UUID_CHARS 36

static void put_uuid(struct repr *r, uint64_t high, uint64_t low)
{
	static const char HEX[] = "0123456789abcdef";
	char text[UUID_CHARS];
	unsigned shift = UUID_BITS;

	for (int i = 0; i < UUID_CHARS; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			text[i] = '-';
			continue;
		}
		shift -= 4;
		text[i] = HEX[(shift >= 64 ? high >> (shift - 64) : low >> shift) & 15];
	}
	repr_text(r, text, sizeof text);
}

bool text_of_uuid(struct repr *r, PyObject *o)
{
	PyObject *number = int_slot(o, "int");

	if (!number)
		return false;
	const struct long_parts l = long_parts((const PyLongObject *)number);
	if (l.negative || l.count > UUID_BITS / PyLong_SHIFT + 1)
		return false;
	repr_name_of_type(r, o);
	repr_text(r, "('", 2);
	put_uuid(r, bits_from(&l, 64), bits_from(&l, 0));
	repr_text(r, "')", 2);
	return true;
}
