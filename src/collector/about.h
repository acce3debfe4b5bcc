/* What a recording says about itself as a whole: its header, its clock, what was lost, its end.
 *
 * A directory whose meta begins with the header is a recording, whatever else is missing.
 */
#ifndef PL_COLLECTOR_ABOUT_H
#define PL_COLLECTOR_ABOUT_H

#include "collector/state.h"

struct collector_start;

/* The first record of meta. */
void collector_write_header(struct collector *c, const struct collector_start *s);
/* A CLOCK record, if one is due. */
void collector_write_clock(struct collector *c, bool always);
/* A loss among those that `record` reports; collector_lose (state.h) does it too. */
void about_count_loss(struct collector_totals *t, const struct loss *l);
/* Write END; then remove the arena's name. */
void collector_write_end(struct collector *c, bool recovered);
/* Remove the arena's name, and the link beside it. */
void collector_unlink(struct collector *c);

#endif
