#include "cmd/request_at.h"

#include <stdlib.h>
#include "cmd/cmd.h"

int request_at_number(
	const char *command, struct pl_recording *r, const char *text, struct request *to)
{
	struct requests all = {.count = 0};
	struct pl_err err = {0};
	char *end;
	const unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end) {
		cmd_say("%s: '%s' is not the number of a request; `pathline report --requests%s` "
			"lists them",
			command, text, cmd_recording());
		return CMD_USAGE;
	}
	const int found = requests_find(&all, r, NULL, &err);
	int code = CMD_GO;
	if (found < 0) {
		cmd_say("%s: %s", command, err.used ? pl_err_text(&err) : pl_error_name(found));
		code = CMD_BAD;
	} else if (!number || number > all.count) {
		cmd_say("%s: there is no request %s; the recording has %zu, which `pathline report "
			"--requests%s` lists",
			command, text, all.count, cmd_recording());
		code = CMD_USAGE;
	} else {
		*to = all.rows[number - 1];
	}
	requests_release(&all);
	return code;
}
