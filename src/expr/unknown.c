#define _GNU_SOURCE
#include "expr/unknown.h"

#include <stdio.h>
#include <string.h>
#include "expr/node.h"
#include "expr/run_names.h"

/* What the recording has, by name. */
struct run_known {
	struct known_names arguments, variables; /* owned */
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

/* The arguments that there are, as far as there is room. */
static void say_arguments(struct expr_fault *fault, const struct known_names *arguments)
{
	size_t used = strlen(fault->what);

	for (size_t i = 0; i < arguments->count; i++) {
		const bool last = i == 5 || used + 60 > sizeof fault->what;
		used += (size_t)snprintf(fault->what + used, sizeof fault->what - used, "%s%s%.40s",
			i ? ", " : "; there are: ", last ? "…" : "args.",
			last ? "" : arguments->words[i]);
		if (last)
			return;
	}
}

static void say_variable(struct expr_fault *fault, const char *name, const char *meant)
{
	snprintf(fault->what, sizeof fault->what,
		"%s %s%.60s; an expression has fields and arguments alone; `pathline history "
		"%.60s` "
		"has the values of a variable",
		name, strcmp(name, meant) ? "is not a field; did you mean the variable " : "",
		strcmp(name, meant) ? meant : "is a variable", meant);
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
		say_variable(fault, name, name);
	} else if (field_nearest(text)) {
		return;
	} else if (argument) {
		snprintf(fault->what, sizeof fault->what,
			"%s is not a field; did you mean args.%.60s?", name, argument);
	} else if (variable) {
		say_variable(fault, name, variable);
	} else {
		snprintf(fault->what, sizeof fault->what,
			"%s is not a field, and no argument or variable has this name", name);
		say_arguments(fault, &k->arguments);
	}
}

int expr_unknown(struct expr_fault *fault, struct pl_recording *r, struct pl_err *err)
{
	struct run_known k = {0};
	int code = fault->unknown[0] ? know_names(&k, r, err) : 0;

	if (code == 0 && fault->unknown[0])
		say_unknown(fault, &k);
	known_names_release(&k.arguments);
	known_names_release(&k.variables);
	return code;
}
