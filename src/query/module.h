/* Tables of table.h as modules of SQLite. */
#ifndef PL_QUERY_MODULE_H
#define PL_QUERY_MODULE_H

#include "query/query.h"

/* Make each of query_tables a table of the database. An SQLite error code. */
int module_add_all(struct query *q);

#endif
