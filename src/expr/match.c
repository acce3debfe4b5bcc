#define _GNU_SOURCE
#include "expr/match.h"

bool match_is_pattern(struct pl_text pattern)
{
	for (size_t i = 0; i < pattern.length; i++) {
		if (pattern.at[i] == '%')
			return true;
		i += pattern.at[i] == '\\';
	}
	return false;
}

static unsigned char folded(char c, enum match_how how)
{
	return (unsigned char)(how == MATCH_LIKE && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* A character of UTF-8 is its first byte with those that continue it. */
static size_t character_length(struct pl_text text, size_t at)
{
	size_t n = 1;

	while (at + n < text.length && ((unsigned char)text.at[at + n] & 0xc0) == 0x80)
		n++;
	return n;
}

static bool is_escape(struct pl_text pattern, size_t p)
{
	return pattern.at[p] == '\\' && p + 1 < pattern.length &&
	       (pattern.at[p + 1] == '%' || pattern.at[p + 1] == '_' || pattern.at[p + 1] == '\\');
}

/* At each place only the last % needs to be tried again. */
bool match_text(struct pl_text pattern, struct pl_text text, enum match_how how)
{
	size_t p = 0, t = 0, again_p = SIZE_MAX, again_t = 0;

	while (t < text.length || p < pattern.length) {
		if (p < pattern.length && pattern.at[p] == '%') {
			again_p = ++p;
			again_t = t;
			continue;
		}
		if (p < pattern.length && t < text.length) {
			const size_t escape = is_escape(pattern, p);
			const bool any = how == MATCH_LIKE && !escape && pattern.at[p] == '_';
			if (any || folded(pattern.at[p + escape], how) == folded(text.at[t], how)) {
				t += any ? character_length(text, t) : 1;
				p += 1 + escape;
				continue;
			}
		}
		if (again_p == SIZE_MAX || again_t >= text.length)
			return false;
		p = again_p;
		t = ++again_t;
	}
	return true;
}

struct pl_text match_module(const char *file, struct pl_buf *room)
{
	static const char init[] = "/__init__.py";
	size_t length = strlen(file);

	file += *file == '/';
	length = strlen(file);
	if (length > sizeof init - 1 && !strcmp(file + length - (sizeof init - 1), init))
		length -= sizeof init - 1;
	else if (length > 3 && !strcmp(file + length - 3, ".py"))
		length -= 3;
	buf_reset(room);
	for (size_t i = 0; i < length; i++)
		buf_u8(room, file[i] == '/' ? '.' : (uint8_t)file[i]);
	return (struct pl_text){.at = room->failed ? "" : (const char *)room->at,
		.length = room->failed ? 0 : room->used};
}
