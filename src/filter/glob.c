#include "filter/glob.h"

/* Length of the class at the front of p, which begins with '['; 0: it is not closed. A ']' at its
 * front is one of it. */
static size_t class_length(struct pl_view p)
{
	size_t i = 1;

	if (i < p.left && (p.at[i] == '!' || p.at[i] == '^'))
		i++;
	for (size_t first = i; i < p.left; i++)
		if (p.at[i] == ']' && i > first)
			return i + 1;
	return 0;
}

/* "[a-z_]", "[!0-9]": ranges of bytes. */
static bool class_has(const uint8_t *class, size_t length, uint8_t c)
{
	bool not = class[1] == '!' || class[1] == '^', found = false;

	for (size_t i = not ? 2 : 1; i + 1 < length; i++) {
		bool range = i + 3 < length && class[i + 1] == '-';
		uint8_t low = class[i], high = class[range ? i + 2 : i];
		found = found || (low <= c && c <= high);
		i += range ? 2 : 0;
	}
	return found != not ;
}

bool glob_is_sound(struct pl_view pattern)
{
	for (size_t i = 0; i < pattern.left; i++) {
		if (pattern.at[i] != '[')
			continue;
		size_t n = class_length(view_of(pattern.at + i, pattern.left - i));
		if (!n)
			return false;
		i += n - 1;
	}
	return true;
}

/* How many bytes of the pattern at its front match c; 0: it does not. */
static size_t match_one(struct pl_view pattern, uint8_t c, char separator)
{
	size_t length = pattern.left && *pattern.at == '[' ? class_length(pattern) : 0;

	if (!pattern.left)
		return 0;
	if (*pattern.at == '?' || length)
		if (separator && c == (uint8_t)separator)
			return 0;
	if (*pattern.at == '?')
		return 1;
	if (length)
		return class_has(pattern.at, length, c) ? length : 0;
	return *pattern.at == c;
}

/* A star that was passed: what follows it in the pattern, and how far into the text it reaches. */
struct star {
	bool set;
	size_t rest;
	size_t reach;
};

/* Let the star take one character more; false: there is none, or the star does not match it. */
static bool star_takes(struct star *s, struct pl_view text, char separator)
{
	if (!s->set || s->reach >= text.left)
		return false;
	if (separator && text.at[s->reach] == (uint8_t)separator)
		return false;
	s->reach++;
	return true;
}

/* The last * and the last ** are all that need be gone back to: one before them could only take
 * what they can take, or what ends at a separator, which stands at a fixed place then. */
bool glob_match(struct pl_view pattern, struct pl_view text, char separator)
{
	struct star one = {0}, any = {0};
	size_t p = 0, t = 0;

	for (;;) {
		if (p < pattern.left && pattern.at[p] == '*') {
			bool both = p + 1 < pattern.left && pattern.at[p + 1] == '*';
			struct star *s = both ? &any : &one;
			p += both ? 2 : 1;
			*s = (struct star){.set = true, .rest = p, .reach = t};
			if (both)
				one.set = false;
			continue;
		}
		size_t n = t < text.left ? match_one(view_of(pattern.at + p, pattern.left - p),
						   text.at[t], separator)
					 : 0;
		if (n) {
			p += n;
			t++;
		} else if (p == pattern.left && t == text.left) {
			return true;
		} else if (star_takes(&one, text, separator)) {
			p = one.rest;
			t = one.reach;
		} else if (star_takes(&any, text, 0)) {
			one.set = false;
			p = any.rest;
			t = any.reach;
		} else {
			return false;
		}
	}
}
