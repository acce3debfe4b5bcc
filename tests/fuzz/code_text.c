/* Fuzz what the recorder says of a text: what is read can be written and read again. */
#include <stdlib.h>
#include <string.h>
#include "format/code_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_same(struct pl_view a, struct pl_view b)
{
	if (a.left != b.left || (a.left && memcmp(a.at, b.at, a.left) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct code_text t, again;
	struct pl_buf written = {0};

	if (code_text_read(view_of(bytes, n), &t))
		return 0;
	if (t.archive > t.file.left)
		abort();
	code_text_write(&written, &t);
	if (code_text_read(buf_view(&written), &again) || again.unit != t.unit ||
		again.how != t.how)
		abort();
	check_same(t.file, again.file);
	check_same(t.directory, again.directory);
	check_same(t.text, again.text);
	buf_release(&written);
	return 0;
}
