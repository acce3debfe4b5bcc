#define _GNU_SOURCE
#include "expr/known_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/units.h"

#define KNOWN_NAMES_SHOWN 3

static bool known_names_begin(struct known_names *names)
{
	if (!names->words)
		names->words = calloc(KNOWN_NAMES_MAX + 1, sizeof *names->words);
	if (!names->calls)
		names->calls = calloc(KNOWN_NAMES_MAX, sizeof *names->calls);
	return names->words && names->calls;
}

void known_names_add(struct known_names *names, struct pl_text name, uint64_t calls)
{
	uint64_t *place = known_names_begin(names)
				  ? map_put(&names->places, hash_bytes(name.at, name.length))
				  : NULL;

	if (!place)
		return;
	if (*place) {
		names->calls[*place - 1] += calls;
		return;
	}
	char *word = names->count < KNOWN_NAMES_MAX ? strndup(name.at, name.length) : NULL;
	if (!word)
		return;
	names->words[names->count] = word;
	names->calls[names->count++] = calls;
	*place = names->count;
}

bool known_names_has(const struct known_names *names, struct pl_text name)
{
	return map_find(&names->places, hash_bytes(name.at, name.length)) != NULL;
}

void known_names_release(struct known_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->words[i]);
	map_release(&names->places);
	free(names->words);
	free(names->calls);
	*names = (struct known_names){0};
}

void known_names_plain(struct pl_text given, char word[PLAIN_WORD_BYTES])
{
	size_t used = 0;

	for (size_t i = 0; i < given.length && used < PLAIN_WORD_BYTES - 1; i++)
		if (given.at[i] != '%' && given.at[i] != '\\')
			word[used++] = given.at[i];
	word[used] = 0;
}

/* ---- saying it ---- */

static size_t say_name(const struct known_names *names, size_t index, char *text, size_t room)
{
	char count[UNITS_BYTES];
	int used;

	units_count(count, names->calls[index]);
	if (names->calls[index])
		used = snprintf(text, room, "%.60s, %s call%s", names->words[index], count,
			names->calls[index] == 1 ? "" : "s");
	else
		used = snprintf(text, room, "%.60s", names->words[index]);
	return used > 0 && (size_t)used < room ? (size_t)used : 0;
}

static int by_calls(const void *a, const void *b, void *context)
{
	const struct known_names *names = context;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	if (names->calls[i] != names->calls[k])
		return names->calls[i] < names->calls[k] ? 1 : -1;
	return i < k ? -1 : i > k;
}

static void say_most(const struct known_names *names, char text[KNOWN_NAMES_BYTES])
{
	size_t *order = calloc(names->count, sizeof *order);
	size_t used = (size_t)snprintf(text, KNOWN_NAMES_BYTES, "; there is: ");

	for (size_t i = 0; order && i < names->count; i++)
		order[i] = i;
	if (order)
		qsort_r(order, names->count, sizeof *order, by_calls, (void *)(uintptr_t)names);
	for (size_t i = 0; order && i < names->count && i < KNOWN_NAMES_SHOWN; i++) {
		used += (size_t)snprintf(
			text + used, KNOWN_NAMES_BYTES - used, "%s", i ? "; " : "");
		used += say_name(names, order[i], text + used, KNOWN_NAMES_BYTES - used);
	}
	if (names->count > KNOWN_NAMES_SHOWN)
		snprintf(text + used, KNOWN_NAMES_BYTES - used, "; …");
	free(order);
}

const char *known_names_nearest(const struct known_names *names, struct pl_text given)
{
	char word[PLAIN_WORD_BYTES];

	known_names_plain(given, word);
	return names->count ? nearest_word(word, (const char *const *)names->words) : NULL;
}

void known_names_say(
	const struct known_names *names, struct pl_text given, char text[KNOWN_NAMES_BYTES])
{
	const char *nearest = known_names_nearest(names, given);

	text[0] = 0;
	if (!nearest) {
		if (names->count)
			say_most(names, text);
		return;
	}
	const size_t used = (size_t)snprintf(text, KNOWN_NAMES_BYTES, "; nearest: ");
	for (size_t i = 0; i < names->count; i++)
		if (names->words[i] == nearest)
			say_name(names, i, text + used, KNOWN_NAMES_BYTES - used);
}
