/* A row of the reader: what an event says about a call, with its values if they were kept.
 *
 *	book(order={'item': 'anvil', 'count': 2})  shop.py:9
 *	-> 9.0  book  shop.py:12                              return  book  without values
 *	yield 3  numbers  shop.py:20                          await …  of a coroutine
 *	resume numbers <- 5  shop.py:20
 *	raise SoldOut('anvil')  book  shop.py:11
 *	!! book  shop.py:11                                   it left the frame
 */
#ifndef PL_CMD_READER_TEXT_H
#define PL_CMD_READER_TEXT_H

#include "pathline/pathline.h"

/* At most max bytes with its NUL; values that do not fit end with …. Files in `folder`, which ends
 * with a slash, are relative to it; NULL: none is. */
void reader_text(const struct pl_event *e, const char *folder, char *text, size_t max);
/* The current folder, with a slash at its end; the caller frees it. NULL: it is not known. */
char *reader_folder(void);

#endif
