/* What the kernel's programs give, as rows of a recording: their kinds, and the fields of each. */
#ifndef PL_SOURCE_KERNEL_ROWS_H
#define PL_SOURCE_KERNEL_ROWS_H

#include "format/source_events.h"
#include "source/kernel_event.h"

/* By number - 1; complete after kernel_rows_begin. */
extern struct source_kind kernel_kinds[KERNEL_EXEC - 1];
void kernel_rows_begin(void);

/* What is to be told of the arguments of each system call. */
void kernel_rows_calls(struct kernel_call calls[KERNEL_CALLS]);
/* The fields of an event of one of these kinds. Its bytes are the kernel's, and are trusted no
 * further than their sizes. */
void kernel_rows_write(struct pl_buf *out, const struct kernel_event *e);
/* "127.0.0.1:80", "[::1]:80", "unix:/run/x", of the bytes of a struct sockaddr. */
#define KERNEL_SOCKADDR_BYTES 28
size_t kernel_address_text(const char bytes[KERNEL_SOCKADDR_BYTES], char *text, size_t max);

/* Of the kinds from KERNEL_BLOCK on (kernel_io_rows.c). */
#define KERNEL_IO_KINDS (KERNEL_EXEC - KERNEL_BLOCK)
extern const struct source_kind kernel_io_kinds[KERNEL_IO_KINDS];
void kernel_io_rows_begin(void);
void kernel_io_rows_write(struct pl_buf *out, const struct kernel_event *e);

#endif
