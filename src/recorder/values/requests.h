/* Requests of servers: the argument of a WSGI or ASGI application that says what is asked for, and
 * which members of it do. A server's dictionary has more than is kept of one, so these come first;
 * and an application that is installed, whose values are not kept, has them all the same. So each
 * request has its route (session/request_kinds.c). */
#ifndef PL_RECORDER_VALUES_REQUESTS_H
#define PL_RECORDER_VALUES_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/compat/python.h"
#include "recorder/values/members.h"

#define REQUEST_KEYS	    5
#define REQUEST_NO_VARIABLE UINT32_MAX

/* The variable that has a WSGI environ or an ASGI scope, in an application of these;
 * REQUEST_NO_VARIABLE: the code is none. */
uint32_t request_variable_of(const PyCodeObject *code);

/* The members of a dict that say what is asked for: their number; borrowed. */
size_t request_members(PyObject *dict, struct member members[REQUEST_KEYS]);
/* Is it the key of one? */
bool request_is_key(PyObject *key);

#endif
