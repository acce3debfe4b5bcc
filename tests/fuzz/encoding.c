/* Fuzz the decoding of source files: what comes out is UTF-8, and no longer than four bytes for
 * each that came in. */
#include <stdlib.h>
#include "base/utf8.h"
#include "collector/encoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_utf8(const struct pl_buf *text)
{
	for (size_t i = 0; i < text->used;) {
		size_t length = text->at[i] < 0x80 ? 1 : utf8_bytes(text->at + i, text->used - i);
		if (!length)
			abort();
		i += length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pl_buf text = {0};
	const char *why = text_decode(view_of(bytes, n), &text);

	if (!why) {
		check_utf8(&text);
		if (text.used > 4 * n)
			abort();
	} else if (!*why) {
		abort();
	}
	text_hash(n, view_of(bytes, n));
	buf_release(&text);
	return 0;
}
