/* The two pages that an order takes in the program (recorder/order.h): their code, and how a
 * stopped thread maps them and begins to run it. x86-64. */
#ifndef PL_ATTACH_PAGES_H
#define PL_ATTACH_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "attach/stop.h"
#include "attach/target.h"
#include "recorder/order.h"

/* 0, or -errno. */
int pages_map(struct stop *s, uint64_t *at);
/* The thread need not be held. */
bool pages_fill(int pid, uint64_t at, const struct recorder_order *order);
/* pthread_create(&thread, NULL, run, order) if the thread waits, else Py_AddPendingCall(run,
 * order). */
bool pages_run(struct stop *s, const struct target *t, uint64_t at, bool waits);
/* Nothing of the held thread is on its way back to them. */
bool pages_let_unmap(int pid, uint64_t at);
void pages_unmap(struct stop *s, uint64_t at);

#endif
