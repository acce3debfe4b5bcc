/* The scope of a scan: bounds that follow from what a WHERE says. Rows outside of it are not
 * wanted; rows inside may still be refused by SQLite, which checks each one.
 *
 *	WHERE thread = 2 AND seq >= 4000 AND function LIKE '%book' AND kind = 'raise'
 *
 *	thread 2..2   seq 4000..   names: function LIKE %book   kinds: raise
 *
 * The scope is only of use where a table can go past what is outside without a visit.
 */
#ifndef PL_QUERY_SCOPE_H
#define PL_QUERY_SCOPE_H

#include <sqlite3.h>
#include "base/map.h"
#include "pathline/pathline.h"

/* What a column means for the scope. */
enum query_role {
	QUERY_PLAIN, /* nothing */
	QUERY_PROCESS,
	QUERY_THREAD,
	QUERY_SEQ,
	QUERY_TIME,
	QUERY_KIND,
	QUERY_FILE,
	QUERY_FUNCTION,
	QUERY_CODE,
	QUERY_LINE,
	QUERY_COSTLY, /* nothing; but where it is read, more must be gone through */
	QUERY_VALUES, /* nothing; but where it is read, events must have their values */
	QUERY_NAMED,  /* the name of a value */
	QUERY_CALLED, /* hidden: the same, as value('qty') has it */
	QUERY_FROM,   /* hidden: what is counted begins at this time */
	QUERY_TO      /* hidden: and ends before this one */
};

enum query_relation {
	QUERY_IS,
	QUERY_OVER,
	QUERY_AT_LEAST,
	QUERY_UNDER,
	QUERY_AT_MOST,
	QUERY_LIKE,
	QUERY_GLOB
};

struct query_range {
	int64_t from, to; /* both belong to it */
};

#define QUERY_NAMES_MAX 8

/* A test of a code's file, function or id. */
struct query_name {
	enum query_role role;
	enum query_relation relation;
	char *word; /* owned */
};

/* All zero is not valid: scope_init. */
struct query_scope {
	struct query_range process, thread, seq, time, line;
	struct query_range counted; /* times; `to` is the first that does not belong to it */
	uint32_t kinds;		    /* a bit for each enum pl_event_kind */
	struct query_name names[QUERY_NAMES_MAX];
	size_t name_count;
	struct pl_map codes; /* owned: address of a code -> 1: it passes the names; 2: not */
	char *named;	     /* owned: the name that a value has; NULL: any, or none */
	struct pl_map calls; /* owned: as codes: it has such an argument */
	bool costly, values; /* a column of this role is read */
};

void scope_init(struct query_scope *s);
void scope_release(struct query_scope *s);

/* Can a constraint of this relation on a column of this role become a bound? */
bool scope_can(enum query_role role, enum query_relation relation);
/* Take a bound; one that is not understood is left to SQLite. 0, PL_ERR_MEMORY. */
int scope_take(struct query_scope *s, enum query_role role, enum query_relation relation,
	sqlite3_value *value);

/* Does the code pass all names? NULL: only if there are none. */
bool scope_has_code(struct query_scope *s, const struct pl_code *code);
/* Can a call of the code have an argument of the name? Only if one is given. */
bool scope_has_argument(struct query_scope *s, const struct pl_code *code);

static inline bool range_has(const struct query_range *range, int64_t value)
{
	return range->from <= value && value <= range->to;
}

#endif
