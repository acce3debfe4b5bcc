/* Does a text fit code? For code of which it is not known when it was compiled (source.c).
 *
 * Code has the columns of most of its instructions. The text at these places must be possible:
 *
 *	it neither begins nor ends inside a word
 *	a name, or the last of a.b.c     is one of the code's names, or a keyword
 *	a number, a plain string         is one of its constants; a string ends where it should
 *	def and class                    have the code's name, at its first line or below
 *
 * This is not a proof: two texts that differ in an operator or a comment fit the same code. But a
 * text that does not fit is a different one; the right text rarely fails to fit (things that a
 * compiler folds, such as `2 * 3`, are not checked).
 */
#include "recorder/fits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/view.h"
#include "bytecode/table.h"
#include "recorder/compat/python.h"

#define DEPTH_MAX  100 /* of nested code, and nested tuples */
#define NAME_LINES 64  /* after the last line: that of a function may be its decorator's */

struct lines {
	struct pl_view text;
	uint32_t *begins; /* owned: where each line begins, and at the end the text's length */
	size_t count;
};

/* A code, with those around it. */
struct level {
	PyCodeObject *code;
	const struct level *outer;
	const struct lines *lines;
	int depth;
};

static struct pl_view line_at(const struct lines *l, int32_t line)
{
	uint32_t at = l->begins[line - 1];
	size_t n = l->begins[line] - at;

	while (n && (l->text.at[at + n - 1] == '\n' || l->text.at[at + n - 1] == '\r'))
		n--;
	return view_of(l->text.at + at, n);
}

static bool lines_init(struct lines *l, struct pl_view text)
{
	size_t count = 1;

	for (size_t i = 0; i < text.left; i++)
		count += text.at[i] == '\n' || text.at[i] == '\r';
	*l = (struct lines){.text = text, .begins = malloc((count + 1) * sizeof *l->begins)};
	if (!l->begins)
		return false;
	l->begins[l->count++] = 0;
	for (size_t i = 0; i < text.left; i++) {
		bool pair = text.at[i] == '\r' && i + 1 < text.left && text.at[i + 1] == '\n';
		if (!pair && (text.at[i] == '\n' || text.at[i] == '\r'))
			l->begins[l->count++] = (uint32_t)i + 1;
	}
	l->begins[l->count] = (uint32_t)text.left;
	return true;
}

/* ---- what is in the text ---- */

static bool is_word_byte(uint8_t c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

static bool begins_word(struct pl_view v, size_t at)
{
	return at == 0 || at >= v.left || !is_word_byte(v.at[at - 1]) || !is_word_byte(v.at[at]);
}

static bool line_is_plain(struct pl_view v)
{
	for (size_t i = 0; i < v.left; i++)
		if (v.at[i] >= 0x80)
			return false;
	return true;
}

/* The name at the end of `name` or `a.b.name`. */
static bool last_name(struct pl_view v, struct pl_view *name)
{
	size_t from = 0;

	for (size_t i = 0; i < v.left; i++) {
		if (!is_word_byte(v.at[i]) && v.at[i] != '.')
			return false;
		if (v.at[i] == '.')
			from = i + 1;
	}
	*name = view_of(v.at + from, v.left - from);
	return name->left && !isdigit(*name->at) && !isdigit(*v.at) && *v.at != '.';
}

static bool number_in_text(struct pl_view v, long long *number)
{
	*number = 0;
	for (size_t i = 0; i < v.left; i++) {
		if (!isdigit(v.at[i]) || i >= 18)
			return false;
		*number = *number * 10 + (v.at[i] - '0');
	}
	return v.left && (v.left == 1 || *v.at != '0');
}

/* Does each string end in this text, which begins with a quote? Text with a backslash is not
 * checked. */
static bool ends_strings(struct pl_view v)
{
	uint8_t quote = 0;

	if (!v.left || (*v.at != '"' && *v.at != '\'') || memchr(v.at, '\\', v.left))
		return true;
	for (size_t i = 0; i < v.left; i++) {
		if (quote ? v.at[i] == quote : v.at[i] == '"' || v.at[i] == '\'')
			quote = quote ? 0 : v.at[i];
	}
	return !quote;
}

/* What is inside the quotes of a plain string literal. */
static bool string_of(struct pl_view v, struct pl_view *inside)
{
	if (v.left && memchr("rbuRBU", *v.at, 6))
		v = view_of(v.at + 1, v.left - 1);
	if (v.left < 2 || (*v.at != '"' && *v.at != '\'') || v.at[v.left - 1] != *v.at)
		return false;
	*inside = view_of(v.at + 1, v.left - 2);
	return !memchr(inside->at, *v.at, inside->left) && !memchr(inside->at, '\\', inside->left);
}

/* ---- what is in the code ---- */

static bool object_equals(PyObject *object, struct pl_view v)
{
	if (PyBytes_CheckExact(object))
		return (size_t)PyBytes_GET_SIZE(object) == v.left &&
		       !memcmp(PyBytes_AS_STRING(object), v.at, v.left);
	return PyUnicode_CheckExact(object) && PyUnicode_IS_COMPACT_ASCII(object) &&
	       (size_t)PyUnicode_GET_LENGTH(object) == v.left &&
	       !memcmp(PyUnicode_DATA(object), v.at, v.left);
}

/* In a class, names that begin with "__" are prefixed with the class's name. */
static bool name_ends_with(PyObject *name, struct pl_view v)
{
	if (!PyUnicode_CheckExact(name) || !PyUnicode_IS_COMPACT_ASCII(name))
		return false;
	size_t n = (size_t)PyUnicode_GET_LENGTH(name);
	return n > v.left && !memcmp((char *)PyUnicode_DATA(name) + n - v.left, v.at, v.left);
}

static bool has_name(PyObject *names, struct pl_view v)
{
	bool hidden = v.left > 2 && v.at[0] == '_' && v.at[1] == '_';

	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (object_equals(PyTuple_GET_ITEM(names, i), v) ||
			(hidden && name_ends_with(PyTuple_GET_ITEM(names, i), v)))
			return true;
	return false;
}

static bool has_text(PyObject *constants, struct pl_view v, int depth)
{
	for (Py_ssize_t i = 0; depth < DEPTH_MAX && i < PyTuple_GET_SIZE(constants); i++) {
		PyObject *c = PyTuple_GET_ITEM(constants, i);
		if (object_equals(c, v) || (PyTuple_CheckExact(c) && has_text(c, v, depth + 1)))
			return true;
	}
	return false;
}

static bool has_number(PyObject *constants, long long number, int depth)
{
	for (Py_ssize_t i = 0; depth < DEPTH_MAX && i < PyTuple_GET_SIZE(constants); i++) {
		PyObject *c = PyTuple_GET_ITEM(constants, i);
		int over = 0;
		if (PyLong_CheckExact(c) && PyLong_AsLongLongAndOverflow(c, &over) == number &&
			!over)
			return true;
		if (PyTuple_CheckExact(c) && has_number(c, number, depth + 1))
			return true;
	}
	return false;
}

static bool is_python_keyword(struct pl_view v)
{
	static const char *const words[] = {"_", "False", "None", "True", "and", "as", "assert",
		"async", "await", "break", "class", "continue", "def", "del", "elif", "else",
		"except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
		"nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with",
		"yield"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == v.left && !memcmp(words[i], v.at, v.left))
			return true;
	return false;
}

/* In a comprehension some instructions have the place of the code around it. */
static bool is_name_of(const struct level *l, struct pl_view v)
{
	for (; l; l = l->outer) {
		if (has_name(l->code->co_names, v) || has_name(l->code->co_localsplusnames, v) ||
			has_text(l->code->co_consts, v, 0))
			return true;
		if (!PyUnicode_GET_LENGTH(l->code->co_name) ||
			PyUnicode_READ_CHAR(l->code->co_name, 0) != '<')
			break;
	}
	return is_python_keyword(v);
}

/* ---- both ---- */

static bool is_dunder(struct pl_view v)
{
	return v.left > 4 && !memcmp(v.at, "__", 2) && !memcmp(v.at + v.left - 2, "__", 2);
}

/* `while 1`, `if 0`: no constant has the number. */
static bool is_condition(struct pl_view before)
{
	while (before.left &&
		(before.at[before.left - 1] == ' ' || before.at[before.left - 1] == '('))
		before.left--;
	return before.left && islower(before.at[before.left - 1]);
}

static bool text_is_blank(struct pl_view v)
{
	for (size_t i = 0; i < v.left; i++)
		if (v.at[i] != ' ' && v.at[i] != '\t')
			return false;
	return true;
}

static bool number_fits(
	const struct level *l, struct pl_view before, long long number, uint32_t unit)
{
	const uint8_t *units = (const uint8_t *)l->code->co_code_adaptive;

	return has_number(l->code->co_consts, number, 0) || (number < 2 && is_condition(before)) ||
	       (PYTHON_VERSION >= 0x030e && unit < (uint32_t)Py_SIZE(l->code) &&
		       units[2 * (size_t)unit + 1] == number);
}

/* A string that is a statement has no constant; one with % may be taken apart. */
static bool string_fits(
	const struct level *l, struct pl_view before, struct pl_view whole, struct pl_view inside)
{
	if (text_is_blank(before) || memchr(inside.at, '%', inside.left) ||
		has_text(l->code->co_consts, inside, 0) || has_text(l->code->co_consts, whole, 0))
		return true;
	while (inside.left && *inside.at == ' ')
		inside = view_of(inside.at + 1, inside.left - 1);
	return has_text(l->code->co_consts, inside, 0);
}

static bool position_fits(const struct level *l, const struct position_row *p, uint32_t unit)
{
	struct pl_view name;
	long long number;

	if (p->line < 1 || p->line != p->end_line || p->column < 0 || p->end_column <= p->column)
		return true;
	if ((size_t)p->line > l->lines->count)
		return false;
	const struct pl_view line = line_at(l->lines, p->line);
	if (!line_is_plain(line))
		return true; /* not UTF-8: its columns are different */
	if ((size_t)p->end_column > line.left || !begins_word(line, (size_t)p->column) ||
		!begins_word(line, (size_t)p->end_column))
		return false;
	const struct pl_view before = view_of(line.at, (size_t)p->column);
	const struct pl_view here =
		view_of(line.at + p->column, (size_t)(p->end_column - p->column));
	if (last_name(here, &name))
		return is_dunder(name) || is_name_of(l, name) ||
		       has_text(l->code->co_consts, here, 0);
	if (number_in_text(here, &number))
		return number_fits(l, before, number, unit);
	if (!ends_strings(here))
		return has_text(l->code->co_consts, here, 0);
	return !string_of(here, &name) || string_fits(l, before, here, name);
}

static bool positions_fit(const struct level *l, int32_t *last)
{
	PyCodeObject *code = l->code;
	struct line_reader r = {.v = view_of(PyBytes_AS_STRING(code->co_linetable),
					(size_t)PyBytes_GET_SIZE(code->co_linetable)),
		.line = code->co_firstlineno};
	struct position_row p;
	uint32_t unit = 0;
	int err;

	*last = code->co_firstlineno;
	while ((err = position_read(&r, &p)) == 0) {
		if (!position_fits(l, &p, unit))
			return false;
		if (p.line > *last)
			*last = p.line;
		unit += p.units;
	}
	return err == PL_END && (size_t)(*last > 0 ? *last : 0) <= l->lines->count;
}

static bool line_has_word(struct pl_view line, PyObject *word)
{
	const size_t n = (size_t)PyUnicode_GET_LENGTH(word);

	for (size_t at = 0; at + n <= line.left; at++)
		if (!memcmp(line.at + at, PyUnicode_DATA(word), n) && begins_word(line, at) &&
			begins_word(line, at + n))
			return true;
	return false;
}

/* The name is after "def" or "class"; codes of other kinds have made-up names. */
static bool name_fits(const struct level *l, int32_t last)
{
	PyObject *name = l->code->co_name;

	if (!PyUnicode_IS_COMPACT_ASCII(name) || !PyUnicode_IsIdentifier(name) ||
		PyUnicode_EqualToUTF8(name, "__annotate__"))
		return true;
	for (int32_t i = l->code->co_firstlineno; i <= last + NAME_LINES; i++)
		if (i > 0 && (size_t)i <= l->lines->count &&
			line_has_word(line_at(l->lines, i), name))
			return true;
	return false;
}

static bool level_fits(const struct level *l)
{
	int32_t last;

	if (l->depth > DEPTH_MAX || !positions_fit(l, &last) || !name_fits(l, last))
		return false;
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(l->code->co_consts); i++) {
		PyObject *c = PyTuple_GET_ITEM(l->code->co_consts, i);
		if (PyCode_Check(c) &&
			!level_fits(&(struct level){(PyCodeObject *)c, l, l->lines, l->depth + 1}))
			return false;
	}
	return true;
}

bool code_fits(PyCodeObject *code, struct pl_view bytes)
{
	struct lines lines;

	if (bytes.left >= 3 && !memcmp(bytes.at, "\xef\xbb\xbf", 3))
		bytes = view_of(bytes.at + 3, bytes.left - 3);
	if (bytes.left > UINT32_MAX || !lines_init(&lines, bytes))
		return false;
	bool fits = level_fits(&(struct level){code, NULL, &lines, 0});
	free(lines.begins);
	PyErr_Clear();
	return fits;
}
