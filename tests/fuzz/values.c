/* Fuzz the values of an event, and the variables: all are read, and each is written as text of
 * several sizes. */
#include <stdlib.h>
#include <string.h>
#include "format/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void write_text(const struct pl_value *v, size_t max)
{
	char *text = malloc(max);
	size_t length = text ? pl_value_text(v, text, max) : 0;

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort();
	if (text && (length >= max || strlen(text) != length))
		abort();
	free(text);
}

/* Members were checked with the value that has them. */
static void read_all(struct pl_values rest, bool checked)
{
	struct pl_value v;
	int code;

	while ((code = pl_values_next(&rest, &v)) == 0) {
		write_text(&v, 8);
		write_text(&v, 40);
		write_text(&v, 65536);
		read_all(v.members, true);
	}
	if (checked && code != PL_END)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pl_values values;

	values_check(view_of(bytes, n));
	if (values_open(view_of(bytes, n), &values) == 0)
		read_all(values, false);
	variables_check(view_of(bytes, n));
	if (variables_open(view_of(bytes, n), &values) == 0)
		read_all(values, false);
	return 0;
}
