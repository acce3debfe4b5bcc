#define _GNU_SOURCE
#include "cmd/sighted_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"

bool sighted_names_add(struct sighted_names *names, struct pl_text name)
{
	const uint64_t hash = hash_bytes(name.at, name.length);

	if (!name.length || names->count == SIGHTED_NAMES_MAX || map_find(&names->known, hash))
		return true;
	char *word = strndup(name.at, name.length);
	if (!word || !map_put(&names->known, hash)) {
		free(word);
		return false;
	}
	names->words[names->count++] = word;
	return true;
}

bool sighted_names_add_parts(struct sighted_names *names, const struct pl_value *value)
{
	const bool pairs = value->kind == PL_VALUE_DICT;
	struct pl_values rest = value->members;
	struct pl_value member;
	bool added = true, key = true;

	while (added && pl_values_next(&rest, &member) == 0) {
		if (!pairs)
			added = sighted_names_add(names, member.name);
		else if (key && member.kind == PL_VALUE_STR)
			added = sighted_names_add(names, member.text);
		key = !key;
	}
	return added;
}

/* The nearest one alone, or the first ones that fit. */
void sighted_names_say(const struct sighted_names *names, const char *word, char *text, size_t max)
{
	const char *nearest = nearest_word(word, names->words);
	size_t used = 0;

	text[0] = 0;
	if (nearest) {
		snprintf(text, max, "%s", nearest);
		return;
	}
	for (size_t i = 0; i < names->count; i++) {
		const size_t length = strlen(names->words[i]);
		if (used + length + 8 > max) {
			snprintf(text + used, max - used, ", …");
			break;
		}
		used += (size_t)snprintf(
			text + used, max - used, "%s%s", used ? ", " : "", names->words[i]);
	}
}

void sighted_names_release(struct sighted_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free((char *)names->words[i]);
	map_release(&names->known);
	*names = (struct sighted_names){0};
}
