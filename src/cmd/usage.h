/* The help of a command, made from its table of options: for a person, as wide as the terminal but
 * at most 100 columns, or as rows for programs (CMD_TABLE).
 *
 * In the texts of a table a newline counts as a blank, unless it is followed by an empty line, an
 * indented line or a row of a list: "name  meaning", with two blanks or more. Long rows continue
 * below the beginning of their meaning.
 */
#ifndef PL_CMD_USAGE_H
#define PL_CMD_USAGE_H

#include "cmd/cmd.h"

/* `common`: the options of every command; a row with word NULL ends it. */
void usage_print(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common);
void usage_table(
	const struct cmd *c, const struct cmd_usage *usage, const struct cmd_option *common);

#endif
