/* --request N of replay and calls: which request it is. */
#ifndef PL_CMD_REQUEST_AT_H
#define PL_CMD_REQUEST_AT_H

#include "session/requests.h"

#define REQUEST_HELP "the request with that number in report --requests"

/* CMD_GO with *to; CMD_USAGE or CMD_BAD after saying why. `command` is for messages. */
int request_at_number(
	const char *command, struct pl_recording *r, const char *text, struct request *to);

#endif
