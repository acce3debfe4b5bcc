#include "source/rust_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define HASH_CHARS 16

/* "::h" and 16 digits at the end. */
static char *find_hash(char *name)
{
	const size_t n = strlen(name);
	char *at = n > HASH_CHARS + 3 ? name + n - HASH_CHARS - 3 : NULL;

	if (!at || strncmp(at, "::h", 3) != 0)
		return NULL;
	for (const char *c = at + 3; *c; c++)
		if (!isxdigit((unsigned char)*c) || isupper((unsigned char)*c))
			return NULL;
	return at;
}

static const struct {
	const char *word;
	const char *text;
} escapes[] = {
	{"$LT$", "<"},
	{"$GT$", ">"},
	{"$RF$", "&"},
	{"$BP$", "*"},
	{"$LP$", "("},
	{"$RP$", ")"},
	{"$C$", ","},
	{"$SP$", "@"},
	{"$u20$", " "},
	{"$u27$", "'"},
	{"$u5b$", "["},
	{"$u5d$", "]"},
	{"$u7b$", "{"},
	{"$u7d$", "}"},
	{"$u7e$", "~"},
	{"..", "::"},
};
#define ESCAPES (sizeof escapes / sizeof *escapes)

void rust_name(char *name)
{
	char *end = find_hash(name), *to = name;

	if (!end)
		return;
	*end = 0;
	const char *from = name;
	/* it stands before an escape that would begin the name */
	if (!strncmp(from, "_$", 2))
		from++;
	while (*from) {
		bool found = false;
		for (size_t i = 0; i < ESCAPES && !found; i++) {
			const size_t n = strlen(escapes[i].word);
			found = !strncmp(from, escapes[i].word, n);
			if (found) {
				memmove(to, escapes[i].text, strlen(escapes[i].text));
				to += strlen(escapes[i].text);
				from += n;
			}
		}
		if (!found)
			*to++ = *from++;
	}
	*to = 0;
}
