/* A tree as a flame graph, and as lines for others' tools. */
#ifndef PL_REPORT_FLAME_H
#define PL_REPORT_FLAME_H

#include "report/tree.h"

/* Where it goes, piece by piece. */
struct flame_sink {
	void (*put)(void *context, const char *bytes, size_t count);
	void *context;
};

/* An SVG of its own, without anything from outside: a click on a frame makes it as wide as the
 * picture, one on what is below it goes back, and what is typed into its search is marked. What
 * would be narrower than a tenth of a pixel is not in it. 0, PL_ERR_MEMORY. */
int flame_svg(const struct tree *t, const char *title, const struct flame_sink *to);

/* "main (shop.py:1);work (shop.py:9) 1234": a line a context with own time, in microseconds, as
 * flamegraph.pl and speedscope read them. What is less than one is left out. 0, PL_ERR_MEMORY. */
int flame_collapsed(const struct tree *t, const struct flame_sink *to);

#endif
