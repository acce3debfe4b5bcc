#include "base/json_escape.h"

#include "base/utf8.h"

/* Returns how many bytes were taken. */
static size_t put_character(struct pl_buf *out, const unsigned char *at, size_t left)
{
	if (*at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\') {
		buf_u8(out, *at);
		return 1;
	}
	if (utf8_is_surrogate(at, left)) {
		buf_printf(out, "\\u%04x", utf8_surrogate(at));
		return 3;
	}
	const size_t bytes = utf8_bytes(at, left);
	if (bytes)
		buf_put(out, at, bytes);
	else if (*at == '"' || *at == '\\')
		buf_printf(out, "\\%c", *at);
	else
		buf_printf(out, "\\u%04x", *at < 0x80 ? *at : 0xdc00u + *at);
	return bytes ? bytes : 1;
}

void json_escape(struct pl_buf *out, const char *at, size_t length)
{
	for (size_t i = 0; i < length;)
		i += put_character(out, (const unsigned char *)at + i, length - i);
}

void json_escape_name(struct pl_buf *out, const char *at, size_t length)
{
	for (size_t i = 0; i < length;) {
		if (length - i > 1 && at[i] == '\xc0' && at[i + 1] == '\x80') {
			buf_printf(out, "\\u0000");
			i += 2;
		} else
			i += put_character(out, (const unsigned char *)at + i, length - i);
	}
}
