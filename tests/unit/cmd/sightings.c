/* Sightings: rows of values from events that are made here, as `record --values lines` gives them.
 * A code is its name; the cursor is not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "cmd/sightings.h"
#include "expr/named.h"
#include "format/value_table.h"
#include "report/names.h"

#define SEEN_BYTES 1024

/* ---- what it asks of the library ---- */

const char *pl_code_name(const struct pl_code *code)
{
	return (const char *)code;
}

const char *pl_code_file(const struct pl_code *code)
{
	(void)code;
	return "/app/shop.py";
}

/* Each has one argument, x. */
size_t pl_code_arguments(const struct pl_code *code, struct pl_argument *arguments, size_t max)
{
	(void)code;
	if (max)
		arguments[0] = (struct pl_argument){.name = {"x", 1}, .stars = ""};
	return 1;
}

size_t pl_cursor_stack(const struct pl_cursor *c, struct pl_frame *frames, size_t max)
{
	(void)c;
	for (size_t i = 0; i < max; i++)
		frames[i] = (struct pl_frame){.code = (const void *)"caller"};
	return max;
}

bool name_is_file(const char *file, const char *word)
{
	return strstr(file, word) != NULL;
}

bool named_function(const struct pl_code *code, const char *pattern)
{
	return !strcmp(pattern, (const char *)code);
}

/* ---- rows ---- */

struct seen {
	struct sightings s;
	char text[SEEN_BYTES]; /* "3 wrote f:2; " for each row */
	uint64_t seq;
};

static bool write_row(void *context, const struct sighting *row)
{
	struct seen *seen = context;
	const size_t used = strlen(seen->text);

	snprintf(seen->text + used, SEEN_BYTES - used, "%s%s %s %s:%d", used ? "; " : "",
		row->text.at, sighting_how_name(row->how), (const char *)row->code, row->line);
	return true;
}

static void begin(struct seen *seen, const char *path)
{
	*seen = (struct seen){.s = {.write = write_row, .lines = true}};
	seen->s.context = seen;
	assert_int_equal(value_path_read(&seen->s.path, path, NULL), 0);
	assert_int_equal(sightings_begin(&seen->s), 0);
}

static void end(struct seen *seen, const char *expected)
{
	assert_string_equal(seen->text, expected);
	sightings_release(&seen->s);
}

/* ---- events ---- */

static struct pl_event event_of(enum pl_event_kind kind, const char *code, int32_t line)
{
	return (struct pl_event){.kind = kind,
		.position = {.process = 1},
		.code = (const void *)code,
		.depth = 1,
		.line = line,
		.caller_line = 9};
}

static void take(struct seen *seen, struct pl_event e)
{
	e.seq = seen->seq++;
	assert_int_equal(sightings_take(&seen->s, NULL, &e), 0);
}

static void line(struct seen *seen, int32_t number)
{
	take(seen, event_of(PL_EVENT_LINE, "f", number));
}

/* | name | INT number | */
struct variable_bytes {
	unsigned char at[8];
};

static struct variable_bytes variable(char name, int number)
{
	return (struct variable_bytes){
		{1, (unsigned char)name, VALUE_INT, (unsigned char)(2 * number)}};
}

/* A line of f begins, and the line before has made x this; `all`: no other variable is bound. */
static void line_after(struct seen *seen, int32_t number, char name, int value, bool all)
{
	const struct variable_bytes bytes = variable(name, value);
	struct pl_event e = event_of(PL_EVENT_LINE, "f", number);

	e.variables = (struct pl_values){.at = bytes.at,
		.bytes = 4,
		.flags = (uint16_t)(all ? PL_VALUES_ALL : 0),
		.of = PL_VALUE_NAMEDTUPLE};
	take(seen, e);
}

static void call(struct seen *seen, int value)
{
	const unsigned char bytes[] = {VALUE_INT, (unsigned char)(2 * value)};
	struct pl_event e = event_of(PL_EVENT_CALL, "f", 1);

	e.values = (struct pl_values){.at = bytes, .bytes = sizeof bytes};
	take(seen, e);
}

/* An object with one attribute, total; as variable or argument. */
static void object_event(struct seen *seen, struct pl_event e, unsigned char id, int total)
{
	unsigned char bytes[] = {1, 'x', VALUE_TYPED, 1, 'C', VALUE_OBJECT, id, 1, 5, 't', 'o', 't',
		'a', 'l', VALUE_INT, (unsigned char)(2 * total), VALUE_END};
	const size_t name = e.kind == PL_EVENT_CALL ? 2 : 0;
	struct pl_values *to = name ? &e.values : &e.variables;

	*to = (struct pl_values){.at = bytes + name,
		.bytes = (uint32_t)(sizeof bytes - name),
		.of = name ? 0 : PL_VALUE_NAMEDTUPLE};
	take(seen, e);
}

/* ---- tests ---- */

static void lines_that_write(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen, "x");
	call(&seen, 1);
	line_after(&seen, 2, 'x', 1, true); /* the argument: no write */
	line(&seen, 3);
	line_after(&seen, 4, 'x', 5, false);
	line_after(&seen, 5, 'y', 7, false);
	line_after(&seen, 6, 'x', 5, true); /* as known */
	line_after(&seen, 7, 'y', 7, true); /* x is gone */
	struct pl_event e = event_of(PL_EVENT_RETURN, "f", 7);
	const struct variable_bytes bytes = variable('x', 8);
	e.variables = (struct pl_values){.at = bytes.at, .bytes = 4, .of = PL_VALUE_NAMEDTUPLE};
	take(&seen, e);
	call(&seen, 1);
	end(&seen, "1 argument caller:9; 5 wrote f:3; <unset> wrote f:6; 8 wrote f:7; "
		   "1 argument caller:9");
}

static void variables_of_nobody(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen, "y");
	call(&seen, 1);
	line_after(&seen, 2, 'y', 3, true); /* of an enclosing function */
	line_after(&seen, 3, 'y', 4, false);
	end(&seen, "3 seen f:0; 4 wrote f:2");
}

static void changes_alone(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen, "x");
	seen.s.changes = true;
	call(&seen, 1);
	line_after(&seen, 2, 'x', 1, false);
	line_after(&seen, 3, 'x', 2, false);
	line_after(&seen, 4, 'x', 2, false);
	take(&seen, event_of(PL_EVENT_UNWIND, "f", 4));
	call(&seen, 1);
	call(&seen, 3);
	end(&seen, "1 argument caller:9; 2 wrote f:2; 3 argument caller:9");
}

static void values_at_a_line(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen, "x");
	seen.s.file = "shop.py";
	seen.s.line = 3;
	call(&seen, 1);
	line(&seen, 3);
	line_after(&seen, 4, 'x', 2, false);
	line(&seen, 3);
	line(&seen, 3);
	line_after(&seen, 3, 'y', 2, true);
	end(&seen, "1 argument caller:9; 2 wrote f:3; 2 wrote f:3; <unset> wrote f:3");
}

static void parts_of_objects(void **state)
{
	struct seen seen;

	(void)state;
	begin(&seen, "x.total");
	object_event(&seen, event_of(PL_EVENT_CALL, "f", 1), 5, 1);
	line(&seen, 2);
	object_event(&seen, event_of(PL_EVENT_LINE, "f", 3), 5, 1); /* another attribute changed */
	object_event(&seen, event_of(PL_EVENT_LINE, "f", 4), 5, 4);
	object_event(&seen, event_of(PL_EVENT_LINE, "f", 5), 6, 4); /* another object */
	take(&seen, event_of(PL_EVENT_RETURN, "f", 5));
	object_event(&seen, event_of(PL_EVENT_CALL, "g", 1), 5, 4); /* seen again */
	end(&seen, "1 argument caller:9; 4 wrote f:3; 4 wrote f:4; 4 argument caller:9");
}

static void names_that_there_are(void **state)
{
	struct seen seen;
	char text[64];

	(void)state;
	begin(&seen, "yy");
	call(&seen, 1);
	line_after(&seen, 2, 'y', 1, false);
	sighted_names_say(&seen.s.names, "yy", text, sizeof text);
	assert_string_equal(text, "x, y");
	sighted_names_say(&seen.s.names, "z", text, 10);
	assert_true(strlen(text) < 10);
	end(&seen, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_write),
		cmocka_unit_test(variables_of_nobody),
		cmocka_unit_test(changes_alone),
		cmocka_unit_test(values_at_a_line),
		cmocka_unit_test(parts_of_objects),
		cmocka_unit_test(names_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
