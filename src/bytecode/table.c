#include "bytecode/table.h"

#include <stdbool.h>
#include <string.h>
#include "pathline/error.h"

#define GROUP_BITS  6
#define GROUP_MASK  0x3f
#define GROUP_MORE  0x40
#define ENTRY_FIRST 0x80

/* The last of the kinds whose line is that before, and of those whose line is near it. */
#define KIND_SAME_LINE 10
#define KIND_NEAR_LINE 12

/* Groups with the lowest bits first. Bytes after the end read as 0, as they do for the
 * interpreter. */
static int read_low_first(struct pl_view v, uint32_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 36; shift += GROUP_BITS) {
		uint8_t byte = 0;
		(void)view_u8(&v, &byte);
		value |= (uint64_t)(byte & GROUP_MASK) << shift;
		if (byte & GROUP_MORE)
			continue;
		*out = (uint32_t)value;
		return value <= UINT32_MAX ? 0 : PL_ERR_FORMAT;
	}
	return PL_ERR_FORMAT;
}

/* Groups with the highest bits first. */
static int read_high_first(struct pl_view *v, uint32_t *out)
{
	uint64_t value = 0;
	uint8_t byte;

	do {
		if (view_u8(v, &byte) < 0)
			return PL_ERR_FORMAT;
		value = value << GROUP_BITS | (byte & GROUP_MASK);
		if (value > UINT32_MAX)
			return PL_ERR_FORMAT;
	} while (byte & GROUP_MORE);
	*out = (uint32_t)value;
	return 0;
}

static unsigned entry_kind(uint8_t first)
{
	return first >> 3 & 15;
}

static uint32_t entry_units(uint8_t first)
{
	return (first & 7u) + 1;
}

/* Skip the columns: whatever its kind, an entry ends before the next byte with the top bit. */
static const uint8_t *entry_end(const uint8_t *at, const uint8_t *end)
{
	while (at < end && !(*at & ENTRY_FIRST))
		at++;
	return at;
}

/* By how much the entry changes the line; its first byte was read already. */
static int line_delta(unsigned kind, struct pl_view rest, int64_t *out)
{
	uint32_t value;

	*out = 0;
	if (kind >= 10 && kind <= 12)
		*out = kind - 10;
	if (kind != 13 && kind != 14)
		return 0;
	if (read_low_first(rest, &value) < 0)
		return PL_ERR_FORMAT;
	*out = value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
	return 0;
}

/* `line` is kept over entries without a line: the next delta counts from it. */
int line_read(struct line_reader *r, struct line_row *out)
{
	uint8_t first;
	int64_t delta;

	if (view_u8(&r->v, &first) < 0)
		return PL_END;
	unsigned kind = entry_kind(first);
	if (line_delta(kind, r->v, &delta) < 0)
		return PL_ERR_FORMAT;
	if (r->line + delta > INT32_MAX || r->line + delta < INT32_MIN)
		return PL_ERR_FORMAT;
	const uint8_t *end = r->v.at + r->v.left, *at = entry_end(r->v.at, end);
	r->v = view_of(at, (size_t)(end - at));
	r->line = (int32_t)(r->line + delta);
	out->units = entry_units(first);
	out->line = kind == 15 ? LINE_NONE : r->line;
	return 0;
}

/* Columns are stored plus one; 0: none. */
static int long_form(struct pl_view v, struct position_row *out)
{
	uint32_t part[4]; /* line delta, end line delta, column, end column */

	for (int i = 0; i < 4; i++) {
		const uint8_t *at = v.at;
		if (read_low_first(v, &part[i]) < 0)
			return PL_ERR_FORMAT;
		while (v.left && *v.at & GROUP_MORE)
			v = view_of(v.at + 1, v.left - 1);
		if (!v.left || v.at - at > 5)
			return PL_ERR_FORMAT;
		v = view_of(v.at + 1, v.left - 1);
	}
	if (part[1] > INT32_MAX - (uint32_t)(out->line > 0 ? out->line : 0) ||
		part[2] > INT32_MAX || part[3] > INT32_MAX)
		return PL_ERR_FORMAT;
	out->end_line = out->line + (int32_t)part[1];
	out->column = (int32_t)part[2] - 1;
	out->end_column = (int32_t)part[3] - 1;
	return 0;
}

int position_read(struct line_reader *r, struct position_row *out)
{
	struct pl_view v = r->v;
	struct line_row row;
	int err = line_read(r, &row);

	if (err)
		return err;
	const unsigned kind = entry_kind(*v.at);
	const uint8_t first = *v.at;
	v = view_of(v.at + 1, (size_t)(r->v.at - v.at) - 1);
	*out = (struct position_row){row.units, row.line, row.line, -1, -1};
	if (kind == 14)
		return long_form(v, out);
	if (kind > 12)
		return 0;
	if (v.left < (kind < 10 ? 1u : 2u))
		return PL_ERR_FORMAT;
	out->column = kind < 10 ? (first & 0x78) | v.at[0] >> 4 : v.at[0];
	out->end_column = kind < 10 ? out->column + (v.at[0] & 15) : v.at[1];
	return 0;
}

uint32_t line_read_same(struct line_reader *r)
{
	const uint8_t *at = r->v.at, *end = at + r->v.left;
	uint32_t units = 0;

	while (at < end && entry_kind(*at) <= KIND_SAME_LINE) {
		units += entry_units(*at);
		at = entry_end(at + 1, end);
	}
	r->v = view_of(at, (size_t)(end - at));
	return units;
}

#define ONES	   0x0101010101010101u /* a byte of each of eight */
#define WORD_UNITS (sizeof(uint64_t) * 8)
#define WORD_LINES (sizeof(uint64_t) * 2)

static inline uint32_t sum_of_bytes(uint64_t word)
{
	return (uint32_t)(word * ONES >> 56);
}

/* 1 in each byte that has a higher kind. */
static inline uint64_t are_above(uint64_t kinds, unsigned kind)
{
	return (kinds + (15 - kind) * ONES) >> 4 & ONES;
}

/* The entries that begin in a word, all together: large code has thousands of them. false: one of
 * them is not near. */
static inline bool add_word(uint64_t word, uint32_t *units, int32_t *line)
{
	const uint64_t firsts = word >> 7 & ONES, whole = firsts * UINT8_MAX;
	const uint64_t kinds = word >> 3 & 15 * ONES & whole;

	if (are_above(kinds, KIND_NEAR_LINE))
		return false;
	*units += sum_of_bytes((word & 7 * ONES & whole) + firsts);
	*line += (int32_t)sum_of_bytes(
		are_above(kinds, KIND_SAME_LINE) + are_above(kinds, KIND_SAME_LINE + 1));
	return true;
}

/* The same for whole words, as long as nothing in them can be too much. */
static inline const uint8_t *add_words(
	const struct line_reader *r, uint32_t units_most, uint32_t *units, int32_t *line)
{
	const uint8_t *at = r->v.at, *end = at + r->v.left;
	uint64_t word;

	while (end - at >= (ptrdiff_t)sizeof word && *units + WORD_UNITS <= units_most &&
		*line <= INT32_MAX - (int32_t)WORD_LINES) {
		memcpy(&word, at, sizeof word);
		if (!add_word(word, units, line))
			break;
		at += sizeof word;
	}
	return at;
}

uint32_t line_read_near(struct line_reader *r, uint32_t units_most)
{
	const uint8_t *end = r->v.at + r->v.left;
	uint32_t units = 0;
	int32_t line = r->line;
	const uint8_t *at = entry_end(add_words(r, units_most, &units, &line), end);

	while (at < end && units < units_most && entry_kind(*at) <= KIND_NEAR_LINE &&
		line <= INT32_MAX - (int32_t)WORD_LINES) {
		const unsigned kind = entry_kind(*at);
		units += entry_units(*at);
		line += kind > KIND_SAME_LINE ? (int32_t)(kind - KIND_SAME_LINE) : 0;
		at = entry_end(at + 1, end);
	}
	*r = (struct line_reader){.v = view_of(at, (size_t)(end - at)), .line = line};
	return units;
}

int handler_read(struct pl_view *v, struct handler_row *out)
{
	uint32_t depth;

	if (!v->left)
		return PL_END;
	if (read_high_first(v, &out->start) < 0 || read_high_first(v, &out->length) < 0 ||
		read_high_first(v, &out->target) < 0 || read_high_first(v, &depth) < 0)
		return PL_ERR_FORMAT;
	return 0;
}
