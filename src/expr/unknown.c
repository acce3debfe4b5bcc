#define _GNU_SOURCE
#include "expr/unknown.h"

#include <stdio.h>
#include <string.h>
#include "expr/node.h"
#include "expr/run_names.h"
#include "expr/taken_out.h"

/* What the recording has, by name. */
struct run_known {
	struct known_names arguments, variables; /* owned */
	const char *recording;			 /* not owned: as of expr_unknown */
	bool taken_out;				 /* the values */
};

static int know_names(struct run_known *k, struct pl_recording *r, struct pl_err *err)
{
	struct pl_count_table table = {0};
	struct pl_counts *counts = NULL;
	int code = pl_counts_new(&counts, r, err);

	if (code == 0)
		code = run_names_count(r, counts, err);
	if (code == 0)
		code = pl_counts_table(counts, &table, err);
	if (code == 0) {
		run_names_arguments(&k->arguments, &table);
		code = run_names_variables(&k->variables, r, err);
	}
	pl_counts_free(counts);
	return code;
}

#define NAMES_SAID 5
#define NAME_ROOM  60 /* bytes: with what is before and after it */

/* The names that there are, as far as there is room. */
static void say_names(struct expr_fault *fault, const char *what, const char *before,
	const struct known_names *names)
{
	const size_t size = sizeof fault->what;
	size_t used = strlen(fault->what);

	for (size_t i = 0; i < names->count && used < size; i++) {
		const bool last = i == NAMES_SAID || used + NAME_ROOM > size;
		used += (size_t)snprintf(fault->what + used, size - used, "%s%s%.40s",
			i ? ", " : what, last ? "…" : before, last ? "" : names->words[i]);
		if (last)
			return;
	}
}

/* The arguments, and what is a variable only. */
static void say_all_names(struct expr_fault *fault, const struct run_known *k)
{
	struct known_names others = {0};

	for (size_t i = 0; i < k->variables.count; i++) {
		const char *word = k->variables.words[i];
		const struct pl_text text = {.at = word, .length = strlen(word)};
		if (!known_names_has(&k->arguments, text))
			known_names_add(&others, text, 0);
	}
	say_names(fault, "; there are: ", "args.", &k->arguments);
	say_names(fault, "; variables, for `pathline history`: ", "", &others);
	known_names_release(&others);
}

static void say_variable(struct expr_fault *fault, const struct run_known *k, const char *meant)
{
	const char *name = fault->unknown;

	snprintf(fault->what, sizeof fault->what,
		"%s %s%.60s; an expression has fields and arguments alone; `pathline history "
		"%.60s%s` has the values of a variable",
		name, strcmp(name, meant) ? "is not a field; did you mean the variable " : "",
		strcmp(name, meant) ? meant : "is a variable", meant, k->recording);
}

/* Fields were asked before: none is near. */
static void say_unknown(struct expr_fault *fault, const struct run_known *k)
{
	const char *name = fault->unknown;
	const struct pl_text text = {.at = name, .length = strlen(name)};
	const char *argument = known_names_nearest(&k->arguments, text);
	const char *variable = known_names_nearest(&k->variables, text);

	if (known_names_has(&k->arguments, text)) {
		snprintf(fault->what, sizeof fault->what,
			"%s is not a field; the argument is args.%s", name, name);
	} else if (known_names_has(&k->variables, text)) {
		say_variable(fault, k, name);
	} else if (field_nearest(text)) {
		return;
	} else if (argument) {
		snprintf(fault->what, sizeof fault->what,
			"%s is not a field; did you mean args.%.60s?", name, argument);
	} else if (variable) {
		say_variable(fault, k, variable);
	} else {
		snprintf(fault->what, sizeof fault->what,
			"%s is not a field, and no argument or variable has this name", name);
		if (k->taken_out)
			snprintf(fault->what + strlen(fault->what),
				sizeof fault->what - strlen(fault->what), "; " VALUES_TAKEN_OUT);
		say_all_names(fault, k);
	}
}

int expr_unknown(
	struct expr_fault *fault, struct pl_recording *r, const char *recording, struct pl_err *err)
{
	struct run_known k = {.recording = recording, .taken_out = values_taken_out(r)};
	int code = fault->unknown[0] ? know_names(&k, r, err) : 0;

	if (code == 0 && fault->unknown[0])
		say_unknown(fault, &k);
	known_names_release(&k.arguments);
	known_names_release(&k.variables);
	return code;
}
