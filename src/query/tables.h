/* All tables; a file is a group of them. */
#ifndef PL_QUERY_TABLES_H
#define PL_QUERY_TABLES_H

#include "query/table.h"

/* events.c */
extern const struct query_table query_event, query_exception;
/* calls.c */
extern const struct query_table query_call;
/* counts.c */
extern const struct query_table query_line, query_function, query_code, query_event_count;
/* places.c */
extern const struct query_table query_process, query_thread, query_loss;
/* times.c */
extern const struct query_table query_task, query_sample;
/* source_events.c */
extern const struct query_table query_source_event;
/* values.c */
extern const struct query_table query_value;

#endif
