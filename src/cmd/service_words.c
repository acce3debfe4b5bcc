#define _GNU_SOURCE
#include "cmd/service_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "PATHLINE_"

/* How the value of a variable becomes words. */
enum setting_kind { SETTING_TEXT, SETTING_LIST, SETTING_FLAG, SETTING_OTHER };

static const struct setting {
	const char *name, *option;
	enum setting_kind kind;
} settings[] = {
	{"LIMIT", "--limit", SETTING_TEXT},
	{"KEEP", "--keep", SETTING_TEXT},
	{"FLIGHT", "--flight", SETTING_TEXT},
	{"VALUES", "--values", SETTING_TEXT},
	{"VALUES_OF", "--values-of", SETTING_LIST},
	{"VALUES_LIMIT", "--values-limit", SETTING_TEXT},
	{"INCLUDE", "--include", SETTING_LIST},
	{"EXCLUDE", "--exclude", SETTING_LIST},
	{"ONLY_MINE", "--only-mine", SETTING_FLAG},
	{"REDACT", "--redact", SETTING_LIST},
	{"NO_REDACT", "--no-redact", SETTING_FLAG},
	{"CLOCK", "--clock", SETTING_TEXT},
	{"TIMING", "--timing", SETTING_TEXT},
	{"ORDER", "--order", SETTING_TEXT},
	{"PASSES", "--passes", SETTING_TEXT},
	{"HOT", "--hot", SETTING_TEXT},
	{"ON_FULL", "--on-full", SETTING_TEXT},
	/* of other parts of Pathline */
	{"DIR", NULL, SETTING_OTHER},
	{"ARENA", NULL, SETTING_OTHER},
	{"PAGER", NULL, SETTING_OTHER},
	{"DEFAULT_PYTHON", NULL, SETTING_OTHER},
};

static const struct setting *find_setting(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strlen(settings[i].name) == length && !memcmp(settings[i].name, name, length))
			return &settings[i];
	return NULL;
}

static bool add_word(struct service_words *w, const char *at, size_t length)
{
	if (w->count >= SERVICE_WORDS_MAX || !(w->words[w->count] = strndup(at, length)))
		return false;
	w->count++;
	return true;
}

static bool add_option(struct service_words *w, const char *option, const char *at, size_t length)
{
	return add_word(w, option, strlen(option)) && add_word(w, at, length);
}

/* The parts of a list stand between blanks or commas. */
static bool add_list(struct service_words *w, const char *option, const char *value)
{
	static const char between[] = " \t\n,";

	for (const char *at = value + strspn(value, between); *at; at += strspn(at, between)) {
		const size_t length = strcspn(at, between);
		if (!add_option(w, option, at, length))
			return false;
		at += length;
	}
	return true;
}

static bool add_setting(struct service_words *w, const struct setting *s, const char *value)
{
	if (!*value || s->kind == SETTING_OTHER)
		return true;
	if (s->kind == SETTING_LIST)
		return add_list(w, s->option, value);
	if (s->kind == SETTING_TEXT)
		return add_option(w, s->option, value, strlen(value));
	return !strcmp(value, "0") || add_word(w, s->option, strlen(s->option));
}

bool service_words_read(struct service_words *w, char *const *environment)
{
	const size_t prefix = strlen(PREFIX);

	*w = (struct service_words){0};
	for (; *environment; environment++) {
		const char *name = *environment + prefix;
		const char *equals = strchr(*environment, '=');
		if (strncmp(*environment, PREFIX, prefix) != 0 || !equals)
			continue;
		const struct setting *s = find_setting(name, (size_t)(equals - name));
		if (!s)
			snprintf(w->unknown, sizeof w->unknown, "%.*s",
				(int)(equals - *environment), *environment);
		else if (!add_setting(w, s, equals + 1))
			return false;
	}
	return true;
}

void service_words_release(struct service_words *w)
{
	for (int i = 0; i < w->count; i++)
		free(w->words[i]);
	*w = (struct service_words){0};
}
