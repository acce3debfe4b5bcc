/* Which code is an application, and what its values say of a request. */
#ifndef PL_SESSION_REQUEST_KINDS_H
#define PL_SESSION_REQUEST_KINDS_H

#include "base/map.h"
#include "session/requests.h"

/* What is known of codes: asked once for each. All zero. */
struct request_codes {
	struct pl_recording *r; /* not owned */
	struct pl_map known;	/* the code -> enum request_code + 1 */
};

enum request_code { CODE_OTHER, CODE_LIBRARY, CODE_WSGI, CODE_ASGI, CODE_CELERY, CODE_RQ };

enum request_code request_code_of(struct request_codes *c, const struct pl_code *code);
/* Is it an application? */
static inline bool request_code_begins(enum request_code code)
{
	return code >= CODE_WSGI;
}
/* Neither of the standard library nor installed. */
bool request_code_is_own(const struct pl_code *code);
void request_codes_release(struct request_codes *c);

/* Fill the route and the target from the values of the call, else from the code's name. false: it
 * is no request, but an ASGI application's lifespan or a connection of another kind. */
bool request_describe(struct request *q, const struct pl_event *call);

#endif
