/* The help of a command, made from its table of options: for a person, as wide as the terminal and at most
 * 100 columns, or as rows for programs (CMD_TABLE).
 *
 * In the texts of a table a newline is a blank, unless an empty line, an indented one or a row of a list comes
 * next: "name  meaning", with two blanks or more. What is longer goes on under where it began.
 */
#ifndef PL_CMD_USAGE_H
#define PL_CMD_USAGE_H

#include "cmd/cmd.h"

/* `common`: the options that every command has; a row with word NULL ends it. */
void usage_print(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common);
void usage_table(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common);

#endif
