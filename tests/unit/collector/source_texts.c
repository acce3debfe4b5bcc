/* Each text is stored once; units share it; what cannot be kept has its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "collector/source_texts.h"
#include "format/record.h"

/* What is written, instead of a file. */
static size_t source_records, unit_records;
static char reason[256];
static size_t text_bytes;

void store_put(struct store *s, enum record_kind kind, const struct pl_buf *payload)
{
	struct pl_view v = buf_view(payload), file = {0}, why = {0}, text = {0};
	uint64_t number;

	(void)s;
	if (kind == RECORD_UNITS) {
		unit_records++;
		return;
	}
	assert_int_equal(kind, RECORD_SOURCE);
	source_records++;
	assert_int_equal(view_varint(&v, &number), 0);
	assert_int_equal(view_string(&v, &file), 0);
	assert_int_equal(view_string(&v, &why), 0);
	assert_int_equal(view_string(&v, &text), 0);
	assert_true(why.left < sizeof reason);
	memcpy(reason, why.at, why.left);
	reason[why.left] = 0;
	text_bytes = text.left;
}

static int none_written(void **state)
{
	(void)state;
	source_records = unit_records = text_bytes = 0;
	reason[0] = 0;
	return 0;
}

static struct pl_view view(const char *text)
{
	return view_of(text, strlen(text));
}

static void open_unit(struct source_texts *s, struct store *out, uint32_t unit, const char *file,
	struct pl_view text)
{
	const struct text_place place = {.pid = 1, .stdlib_dir = ""};
	const struct code_text t = {
		.unit = unit, .how = CODE_TEXT_DECODED, .file = view(file), .text = text};

	source_texts_open(s, out, &place, &t);
}

static void each_text_once(void **state)
{
	struct source_texts s = {0};
	struct store out = {0};

	(void)state;
	open_unit(&s, &out, 10, "a.py", view("x = 1\n"));
	assert_int_equal(text_bytes, 6);
	open_unit(&s, &out, 11, "a.py", view("x = 1\n"));
	assert_int_equal(source_records, 1);
	open_unit(&s, &out, 12, "a.py", view("x = 2\n"));
	assert_int_equal(source_records, 2);
	assert_int_equal(source_texts_number(&s, &out, 10, view("a.py")), 1);
	assert_int_equal(source_texts_number(&s, &out, 11, view("a.py")), 1);
	assert_int_equal(source_texts_number(&s, &out, 12, view("a.py")), 2);
	assert_int_equal(source_records, 2);
	source_texts_flush(&s, &out);
	assert_int_equal(unit_records, 1);
	source_texts_flush(&s, &out); /* nothing is new */
	assert_int_equal(unit_records, 1);
	source_texts_release(&s);
	source_texts_release(&s);
}

static void unknown_units(void **state)
{
	struct source_texts s = {0};
	struct store out = {0};

	(void)state;
	assert_int_equal(source_texts_number(&s, &out, 77, view("a.py")), 1);
	assert_string_equal(reason, "its text was lost: a.py");
	assert_int_equal(source_texts_number(&s, &out, 0, view("<string>")), 2);
	assert_string_equal(reason, "no file: <string>");
	assert_int_equal(source_texts_number(&s, &out, 77, view("a.py")), 1);
	assert_int_equal(source_records, 2);
	source_texts_release(&s);
}

static void limits(void **state)
{
	struct source_texts s = {0};
	struct store out = {.limit_bytes = 100};
	char *large = calloc(1, SOURCE_TEXT_MAX + 1);

	(void)state;
	assert_non_null(large);
	memset(large, 'x', SOURCE_TEXT_MAX + 1);
	open_unit(&s, &out, 1, "a.py", view_of(large, 51));
	assert_string_equal(reason, "limit: texts would take more than half of --limit");
	assert_int_equal(text_bytes, 0);
	open_unit(&s, &out, 2, "b.py", view_of(large, 52));
	assert_int_equal(source_records, 1); /* one record for all that the limit leaves out */
	out.limit_bytes = 0;
	open_unit(&s, &out, 3, "c.py", view_of(large, SOURCE_TEXT_MAX));
	assert_string_equal(reason, "");
	open_unit(&s, &out, 4, "d.py", view_of(large, SOURCE_TEXT_MAX + 1));
	assert_string_equal(reason, "limit: the text is larger than 4 MiB");
	free(large);
	source_texts_release(&s);
}

/* Another collector goes on with the numbers of the first. */
static void goes_on(void **state)
{
	struct source_texts s = {0};
	struct store out = {0};
	struct pl_buf record = {0}, units = {0};

	(void)state;
	buf_varint(&record, 5);
	buf_string(&record, "a.py", 4);
	buf_string(&record, "", 0);
	buf_string(&record, "x = 1\n", 6);
	source_texts_load(&s, buf_view(&record));
	buf_varint(&units, 10);
	buf_varint(&units, 6); /* number + 1 */
	source_texts_load_units(&s, buf_view(&units));
	assert_int_equal(source_texts_number(&s, &out, 10, view("a.py")), 5);
	open_unit(&s, &out, 11, "a.py", view("x = 1\n"));
	assert_int_equal(source_texts_number(&s, &out, 11, view("a.py")), 5);
	assert_int_equal(source_records, 0);
	open_unit(&s, &out, 12, "b.py", view("y\n"));
	assert_int_equal(source_texts_number(&s, &out, 12, view("b.py")), 6);
	buf_release(&record);
	buf_release(&units);
	source_texts_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_text_once, none_written),
		cmocka_unit_test_setup(unknown_units, none_written),
		cmocka_unit_test_setup(limits, none_written),
		cmocka_unit_test_setup(goes_on, none_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
