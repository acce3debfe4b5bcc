/* What the kernel's programs give, as rows of a recording: their kinds, and the fields of each. */
#ifndef PL_SOURCE_KERNEL_ROWS_H
#define PL_SOURCE_KERNEL_ROWS_H

#include "format/source_events.h"
#include "source/kernel_event.h"

/* By number - 1; complete after kernel_rows_begin. */
extern const struct source_kind kernel_kinds[KERNEL_EXEC - 1];
void kernel_rows_begin(void);

/* What is to be told of the arguments of each system call. */
void kernel_rows_calls(struct kernel_call calls[KERNEL_CALLS]);
/* The fields of an event of one of these kinds. Its bytes are the kernel's, and are trusted no
 * further than their sizes. */
void kernel_rows_write(struct pl_buf *out, const struct kernel_event *e);

#endif
