/* Functions of SQL that are only here.
 *
 *	moment('+1.5')       a time as `dump --from` takes it, in ns since 1970
 *	clock(time_ns)       "10:52:01.500123456": a time as the other commands write it, local
 *	duration(ns)         "1.2 ms"
 */
#ifndef PL_QUERY_FUNCTIONS_H
#define PL_QUERY_FUNCTIONS_H

#include "query/query.h"

/* An SQLite error code. */
int functions_add(struct query *q);

#endif
