#define _GNU_SOURCE
#include "expr/named.h"

#include <string.h>
#include "expr/match.h"
#include "filter/glob.h"

/* Is the whole word a number? */
static bool named_number(struct pl_text word, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < word.length; i++) {
		if (word.at[i] < '0' || word.at[i] > '9' || *number > UINT64_MAX / 10 - 1)
			return false;
		*number = *number * 10 + (uint64_t)(word.at[i] - '0');
	}
	return word.length > 0;
}

/* A number is that of the recording if there is one with it, else a pid: small numbers are the
 * former. */
bool named_process(const struct pl_recording *r, const struct pl_process *p, struct pl_text word)
{
	uint64_t number;

	if (!named_number(word, &number))
		return p->command && memmem(p->command, strlen(p->command), word.at, word.length);
	if (number <= UINT32_MAX && pl_recording_find_process(r, (uint32_t)number))
		return p->number == number;
	return p->pid == number;
}

bool named_thread(const struct pl_recording *r, const struct pl_thread *t, struct pl_text word)
{
	uint64_t number;

	if (!named_number(word, &number))
		return match_is_whole(t->name, word);
	if (number <= UINT32_MAX && pl_recording_thread(r, t->process, (uint32_t)number))
		return t->number == number;
	return t->native_id == number;
}

bool named_task(const struct pl_event *e, struct pl_text word)
{
	uint64_t number;

	return match_is_whole(e->task, word) ||
	       (named_number(word, &number) && number && e->task_id == number);
}

bool named_function(const struct pl_code *code, const char *pattern)
{
	const struct pl_view words = view_of(pattern, strlen(pattern));
	const char *name = pl_code_name(code), *dot = strrchr(name, '.');

	return glob_match(words, view_of(name, strlen(name)), 0) ||
	       (dot && glob_match(words, view_of(dot + 1, strlen(dot + 1)), 0));
}

void named_add_process(struct known_names *names, const struct pl_process *p)
{
	const char *at = p->command ? p->command : "";

	while (*at) {
		const size_t length = strcspn(at, " /");
		if (length)
			known_names_add(names, (struct pl_text){.at = at, .length = length}, 0);
		at += length + (at[length] != 0);
	}
}

void named_add_thread(struct known_names *names, const struct pl_thread *t)
{
	if (t && t->name && t->name[0])
		known_names_add(
			names, (struct pl_text){.at = t->name, .length = strlen(t->name)}, 0);
}
