/* Reading messages: what recorders say beside events becomes records of meta. */
#ifndef PL_COLLECTOR_MESSAGES_H
#define PL_COLLECTOR_MESSAGES_H

#include "collector/state.h"

/* Read all whole messages that were seen, bring them to disk, and only then give their chunks back.
 */
void messages_read(struct collector *c);
/* Everything of one stream that is over: what is left is cut short, and dropped. */
void messages_end(struct collector *c, struct stream *t);

#endif
