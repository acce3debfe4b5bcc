/* Messages to the collector (message.c). */
#ifndef PL_RECORDER_MESSAGE_H
#define PL_RECORDER_MESSAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "pathline/event.h"

struct thread;

/* With the GIL. false: there is no room in the arena, or no memory; nothing was written. */
bool message_put(uint8_t kind, const struct pl_buf *fields);
void message_process(uint32_t how);
void message_thread(const struct thread *t, const char *name, size_t length);
void message_note(enum pl_gap_reason reason, const char *text);

#endif
