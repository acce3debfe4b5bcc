#define _GNU_SOURCE
#include "preload/env.h"

#include <stdint.h>
#include <string.h>
#include "preload/preload.h"
#include "preload/slot.h"

#define PRELOAD_NAME "LD_PRELOAD="
#define ARENA_NAME   ARENA_VARIABLE "="
#define USER_MAX     4096u
#define NUMBER_MAX   10u

/* The value, if the variable has this name (which ends in '='); else NULL. */
static char *variable_value(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return strncmp(variable, name, n) == 0 ? (char *)variable + n : NULL;
}

/* Where `path` stands in a list as ld.so splits it, or NULL. */
static char *find_in_list(char *list, const char *path)
{
	size_t n = strlen(path);

	for (char *at = list; n && *at;) {
		size_t length = strcspn(at, ": ");
		if (length == n && memcmp(at, path, n) == 0)
			return at;
		at += length + (at[length] != 0);
	}
	return NULL;
}

/* Cut it out with one separator. false: there was nothing else. */
static bool cut_entry(char *list, char *entry, size_t n)
{
	if (entry[n])
		n++;
	else if (entry > list)
		entry--, n++;
	else
		return false;
	memmove(entry, entry + n, strlen(entry + n) + 1);
	return true;
}

/* Is there a further LD_PRELOAD, without ours? The environment may have a name twice, and programs
 * put one in front of ours. */
static bool has_users(char **env, const char *own_path)
{
	for (; *env; env++) {
		char *list = variable_value(*env, PRELOAD_NAME);
		if (list && !find_in_list(list, own_path))
			return true;
	}
	return false;
}

/* The hooks of native functions, which stand after ours; ours stays. */
static void cut_native(char *list, const char *native_path)
{
	char *entry = find_in_list(list, native_path);

	if (entry)
		cut_entry(list, entry, strlen(native_path));
}

/* Is this variable one to take out? An LD_PRELOAD that has more than ours in it is repaired
 * instead, unless the user's own stands beside it. */
static bool variable_is_ours(char *variable, const char *own_path, bool beside)
{
	char *list = variable_value(variable, PRELOAD_NAME);

	if (list && find_in_list(list, own_path))
		cut_native(list, preload.native_path);
	char *entry = list ? find_in_list(list, own_path) : NULL;

	if (variable_value(variable, ARENA_NAME))
		return true;
	return entry && (beside || !cut_entry(list, entry, strlen(own_path)));
}

void env_find(char *const *env, char *arena, size_t size)
{
	arena[0] = 0;
	for (; *env; env++) {
		const char *value = variable_value(*env, ARENA_NAME);
		if (value && strlen(value) < size)
			strcpy(arena, value);
	}
}

bool env_has_native(char *const *env, const char *native_path)
{
	for (; *env; env++) {
		char *list = variable_value(*env, PRELOAD_NAME);
		if (list && find_in_list(list, native_path))
			return true;
	}
	return false;
}

/* The program is to see the environment that it would have without us. In place: libc and the
 * program hold pointers to the array. */
void env_take(char **env, const char *own_path)
{
	bool beside = has_users(env, own_path);
	char **kept = env;

	for (; *env; env++) {
		if (!variable_is_ours(*env, own_path, beside)) {
			*kept++ = *env;
			continue;
		}
		memset(*env, 0,
			strlen(*env)); /* /proc/self/environ shows the strings, not the array */
	}
	*kept = NULL;
}

/* How much room env_build needs, for the caller to take from its stack: between fork and exec
 * nothing may be allocated. */
bool env_plan(struct env_plan *plan, char *const envp[])
{
	*plan = (struct env_plan){.given = envp};
	if (!preload_hands_on())
		return false;
	for (; envp && envp[plan->count]; plan->count++) {
		const char *variable = envp[plan->count];
		if (variable_value(variable, ARENA_NAME) || plan->count == ENV_COUNT_MAX)
			return false; /* of another recording, which goes first; or too many */
		if (variable_value(variable, PRELOAD_NAME))
			plan->user = variable_value(variable, PRELOAD_NAME);
	}
	size_t user = plan->user ? strlen(plan->user) : 0;
	plan->bytes = (plan->count + 3) * sizeof(char *) + sizeof PRELOAD_NAME + sizeof ARENA_NAME +
		      strlen(preload.own_path) + 1 + strlen(preload.native_path) + 1 + user +
		      strlen(preload.arena_path) + 1 + NUMBER_MAX;
	return user <= USER_MAX && preload.own_path[0];
}

/* snprintf may take locks and memory. */
static char *put_number(char *at, uint32_t number)
{
	char digits[NUMBER_MAX];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*at++ = digits[--n];
	*at++ = 0;
	return at;
}

/* AddressSanitizer refuses to run unless it is loaded first. */
static char *put_preloads(char *at, const char *user)
{
	bool last = user && strstr(user, "asan");

	at = stpcpy(at, PRELOAD_NAME);
	if (last)
		at = stpcpy(stpcpy(at, user), ":");
	at = stpcpy(at, preload.own_path);
	if (preload.native_path[0])
		at = stpcpy(stpcpy(at, ":"), preload.native_path);
	if (user && !last)
		at = stpcpy(stpcpy(at, ":"), user);
	return at + 1;
}

/* space: | pointers: the given ones, ours, NULL | "LD_PRELOAD=…" | "PATHLINE…=arena:slot" |
 *
 * A given LD_PRELOAD stays in the list; the later one of the same name counts for ld.so.
 */
char **env_build(const struct env_plan *plan, void *space)
{
	char **env = space;
	char *text = (char *)(env + plan->count + 3);

	if (plan->count)
		memcpy(env, plan->given, plan->count * sizeof *env);
	env[plan->count] = text;
	text = put_preloads(text, plan->user);
	env[plan->count + 1] = text;
	text = stpcpy(stpcpy(text, ARENA_NAME), preload.arena_path);
	put_number(stpcpy(text, ":"), slot_number());
	env[plan->count + 2] = NULL;
	return env;
}
