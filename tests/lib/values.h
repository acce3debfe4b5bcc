/* Values as the recorder writes them, one after another into a buffer.
 *
 *	value_exception(&b, "SoldOut");
 *	value_container(&b, VALUE_TUPLE, 0, 1);
 *	value_str(&b, "anvil", 5);
 *	value_tag(&b, VALUE_END);
 */
#ifndef TEST_VALUES_H
#define TEST_VALUES_H

#include <string.h>
#include "base/buf.h"
#include "base/varint.h"
#include "format/value.h"

static inline void value_tag(struct pl_buf *b, enum value_kind kind)
{
	buf_u8(b, (uint8_t)kind);
}

static inline void value_string(struct pl_buf *b, const char *text)
{
	buf_string(b, text, strlen(text));
}

static inline void value_typed(struct pl_buf *b, const char *type)
{
	value_tag(b, VALUE_TYPED);
	value_string(b, type);
}

static inline void value_number(struct pl_buf *b, int64_t v)
{
	value_tag(b, VALUE_INT);
	buf_varint(b, zigzag(v));
}

static inline void value_real(struct pl_buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof v);
	value_tag(b, VALUE_FLOAT);
	buf_u64(b, bits);
}

static inline void value_str(struct pl_buf *b, const char *text, uint64_t length)
{
	value_tag(b, VALUE_STR);
	buf_varint(b, length);
	value_string(b, text);
}

static inline void value_container(
	struct pl_buf *b, enum value_kind kind, uint64_t id, uint64_t length)
{
	value_tag(b, kind);
	buf_varint(b, id);
	buf_varint(b, length);
}

static inline void value_named(struct pl_buf *b, enum value_kind kind, const char *name)
{
	value_tag(b, kind);
	buf_varint(b, 5);
	value_string(b, name);
}

/* Its args follow; its cause is a KeyError. */
static inline void value_exception(struct pl_buf *b, const char *type)
{
	value_typed(b, type);
	value_tag(b, VALUE_EXCEPTION);
	buf_varint(b, 1);
	value_string(b, "KeyError");
	value_string(b, "");
}

#endif
