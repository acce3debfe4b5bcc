/* A feed: the events of all threads within a scope, thread by thread, in the order of each path.
 *
 * Where the scope leaves events out by their kind, code or line, a search goes past them
 * (pathline/search.h); else a cursor visits each. Bounds of time become bounds of seq first,
 * because a search has only these.
 *
 * A gap that the reader adds has the seq of the event after it, so a search cannot go on from it.
 * The gaps that a search meets are therefore kept until the next event, or the end.
 */
#ifndef PL_QUERY_FEED_H
#define PL_QUERY_FEED_H

#include "query/query.h"
#include "query/scope.h"

/* All zero but the first part, which the owner sets. */
struct feed {
	struct query *q;	   /* not owned */
	struct query_scope *scope; /* not owned */
	uint32_t kinds;		   /* that are wanted at most */
	bool all_codes;		   /* the names and lines of the scope leave out nothing */
	bool unbounded;		   /* nor do its seqs and times */
	bool open_end;		   /* nor the ends of these */

	bool values;	  /* events have their values */
	uint32_t earlier; /* so many events before its bounds are wanted too */

	uint32_t process_index;
	uint32_t thread;			/* the number of the next one */
	uint32_t process_number, thread_number; /* of the open one */
	uint32_t ordinal;			/* of the open one, among all of the recording */
	uint32_t before;			/* threads of the processes before this one */
	bool open;
	struct pl_cursor *c;   /* owned */
	struct pl_search *s;   /* owned */
	uint64_t seq, end;     /* the next event is at or after seq, and before end */
	struct pl_event *gaps; /* owned */
	size_t gap_count, gap_room, gaps_given;
	bool has_event; /* `event` comes after the gaps */
	struct pl_event event;
};

/* The next thread within the scope; for tables that do not read events. PL_END: there is none. */
int feed_next_thread(struct feed *s);
/* 0, PL_END, an error with its cause in q->err. The texts of the event are valid until the next
 * call. */
int feed_next(struct feed *s, struct pl_event *e);
/* No more events of this thread are wanted. */
void feed_skip_thread(struct feed *s);
void feed_release(struct feed *s);

/* The seq of the thread's first event at or after the time; UINT64_MAX: there is none. */
int feed_seq_at(struct query *q, uint32_t process, uint32_t thread, int64_t time_ns, uint64_t *seq);

#endif
