/* Where there are stops if a continue finds none: later ones in other threads and processes, or in
 * the other direction. */
#ifndef PL_SESSION_ELSEWHERE_H
#define PL_SESSION_ELSEWHERE_H

#include "session/replay.h"

#define ELSEWHERE_BYTES 512
#define ELSEWHERE_MAX	1000u /* more stops are not counted */
#define ELSEWHERE_ROWS	4     /* threads and processes that are named */

/* All zero: nowhere. */
struct elsewhere {
	struct elsewhere_row {
		enum { ELSEWHERE_THREAD, ELSEWHERE_PROCESS, ELSEWHERE_OTHER_WAY } of;
		uint32_t number; /* of the thread or process */
		uint64_t count;	 /* ELSEWHERE_MAX: as many, or more */
	} rows[ELSEWHERE_ROWS];
	size_t count;
	bool more; /* there are further rows */
	bool threads, processes, other_way;
};

/* Where stops are if `c` (or `C`, if `back`) finds none. 0 or an error. */
int elsewhere_find(struct replay *p, bool back, struct elsewhere *e, struct pl_err *err);
/* What is said then: "no later stop in this process; 4 earlier (C: back)". */
void elsewhere_text(
	const struct replay *p, bool back, const struct elsewhere *e, char text[ELSEWHERE_BYTES]);

#endif
