#define _GNU_SOURCE
#include "expr/pattern.h"

#include <stdlib.h>
#include <string.h>

void pattern_release(struct pattern *p)
{
	if (p->text)
		regfree(&p->regex);
	free(p->text);
	free(p->needed);
	p->text = p->needed = NULL;
}

/* The longest run of characters that stand for themselves, at the top level: regexec takes some ten
 * times as long as a look for them. */
static char *find_needed(const char *text)
{
	const char *best_at = text;
	size_t best = 0, n;

	for (const char *at = text; *at; at += *at == '\\' && at[1] ? 2 : 1)
		if (strchr("|([{", *at))
			return strdup("");
	for (const char *at = text; *at; at += n ? n : *at == '\\' && at[1] ? 2 : 1) {
		n = 0;
		while (at[n] && !(at[n] & 0x80) && !strchr(".^$*+?\\)]}", at[n]))
			n++;
		const size_t sure = n && at[n] && strchr("*?+", at[n]) ? n - 1 : n;
		if (sure <= best)
			continue;
		best = sure;
		best_at = at;
	}
	return strndup(best_at, best);
}

int pattern_read(struct pattern *p, const char *text, bool any_case, char why[PATTERN_WHY_BYTES])
{
	struct pattern next = {
		.text = strdup(text), .needed = any_case ? strdup("") : find_needed(text)};

	if (!next.text || !next.needed) {
		free(next.text);
		free(next.needed);
		return PL_ERR_MEMORY;
	}
	const int code = regcomp(&next.regex, text, REG_EXTENDED | (any_case ? REG_ICASE : 0));
	if (code) {
		if (why)
			regerror(code, &next.regex, why, PATTERN_WHY_BYTES);
		free(next.text);
		free(next.needed);
		return PL_ERR_ARGUMENT;
	}
	next.plain = !any_case && !strpbrk(text, ".[]()*+?{}^$|\\");
	pattern_release(p);
	*p = next;
	if (!*text)
		pattern_release(p);
	return 0;
}

bool pattern_is_in(const struct pattern *p, struct pl_text text)
{
	regmatch_t match = {.rm_eo = (regoff_t)text.length};

	if (!p->text)
		return true;
	if (p->needed[0] && !memmem(text.at, text.length, p->needed, strlen(p->needed)))
		return false;
	return p->plain ||
	       regexec(&p->regex, text.length ? text.at : "", 1, &match, REG_STARTEND) == 0;
}

bool pattern_has(const struct pattern *p, const char *text)
{
	return pattern_is_in(p, (struct pl_text){.at = text, .length = strlen(text)});
}
