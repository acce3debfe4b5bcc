#include "tui/pattern.h"

#include <stdio.h>
#include <string.h>

void pattern_release(struct pattern *p)
{
	if (p->text[0])
		regfree(&p->regex);
	p->text[0] = 0;
}

/* The longest run of characters that stand for themselves, at the top level: regexec takes some ten
 * times as long as a look for them. */
static void find_needed(struct pattern *p)
{
	size_t best = 0, n;

	p->needed[0] = 0;
	for (const char *at = p->text; *at; at += *at == '\\' && at[1] ? 2 : 1)
		if (strchr("|([{", *at))
			return;
	for (const char *at = p->text; *at; at += n ? n : *at == '\\' && at[1] ? 2 : 1) {
		n = 0;
		while (at[n] && !(at[n] & 0x80) && !strchr(".^$*+?\\)]}", at[n]))
			n++;
		const size_t sure = n && at[n] && strchr("*?+", at[n]) ? n - 1 : n;
		if (sure <= best)
			continue;
		best = sure;
		snprintf(p->needed, sizeof p->needed, "%.*s", (int)sure, at);
	}
}

bool pattern_set(struct pattern *p, const char *text)
{
	regex_t regex;

	if (*text && regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return false;
	pattern_release(p);
	if (*text)
		p->regex = regex;
	snprintf(p->text, sizeof p->text, "%s", text);
	find_needed(p);
	p->plain = !strpbrk(text, ".[]()*+?{}^$|\\");
	return true;
}

bool pattern_has(const struct pattern *p, const char *text)
{
	if (!p->text[0])
		return true;
	if (!strstr(text, p->needed))
		return false;
	return p->plain ? strstr(text, p->text) != NULL : regexec(&p->regex, text, 0, NULL, 0) == 0;
}
