/* What `replay --json` says of variables and their values, beside the text.
 *
 *	{"type":"done",…,"code":"variables","state":"known","variables":[
 *		{"name":"left","value":{"kind":"int",…},"changed":true,"seq":12,"line":14}]}
 *	{"type":"done",…,"code":"value","value":{"kind":"list",…}}
 */
#ifndef PL_CMD_REPLAY_VALUES_H
#define PL_CMD_REPLAY_VALUES_H

#include "cmd/json.h"
#include "session/session.h"

/* Members of the answer to what was done last, if it is about values. */
void replay_values_json(struct json *j, struct session *s);

#endif
