/* The commands of variables and their values. */
#include <stdio.h>
#include <string.h>
#include "session/commands.h"
#include "session/operations.h"

int command_variables(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return session_list_variables(s, err);
}

/* "print(x)" is the same as "print x". */
int command_print(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const size_t n = strlen(rest);
	char inside[VARIABLE_TEXT_BYTES];

	(void)letter;
	if (!n)
		return session_refuse(s, "p needs a name: p order, p order['item'], p len(rows); "
					 "variables lists them");
	if (n >= sizeof inside)
		return session_refuse(s, "what p is asked is too long");
	const bool brackets = rest[0] == '(' && rest[n - 1] == ')';
	snprintf(inside, sizeof inside, "%.*s", (int)(brackets ? n - 2 : n),
		brackets ? rest + 1 : rest);
	return session_print(s, inside, err);
}

int command_write(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	return session_to_write(s, rest, letter == '{', err);
}

int command_watch(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter;
	return session_watch(s, rest, err);
}
