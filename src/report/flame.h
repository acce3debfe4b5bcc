/* A call tree as a flame graph, and as lines for other tools. */
#ifndef PL_REPORT_FLAME_H
#define PL_REPORT_FLAME_H

#include "report/tree.h"

/* Where the output goes, in pieces. */
struct flame_sink {
	void (*put)(void *context, const char *bytes, size_t count);
	void *context;
};

/* An SVG that needs nothing else. A click on a frame makes it as wide as the picture, a click below
 * it goes back, and its search marks what is typed. Frames narrower than a tenth of a pixel are
 * left out. 0, PL_ERR_MEMORY. */
int flame_svg(const struct tree *t, const char *title, const struct flame_sink *to);

/* One line for each context with own time, in microseconds, as flamegraph.pl and speedscope read
 * them: "main (shop.py:1);work (shop.py:9) 1234". Times below one microsecond are left out. 0,
 * PL_ERR_MEMORY. */
int flame_collapsed(const struct tree *t, const struct flame_sink *to);

#endif
