/* Values that were recorded, and are not here: `pack --strip-values` took them out.
 */
#ifndef PL_EXPR_TAKEN_OUT_H
#define PL_EXPR_TAKEN_OUT_H

#include <string.h>
#include "pathline/pathline.h"

#define VALUES_TAKEN_OUT "the values were taken out when this recording was packed (--strip-values)"

static inline bool values_taken_out(const struct pl_recording *r)
{
	struct pl_recording_info info;

	pl_recording_info(r, &info);
	return !strncmp(info.stripped, "values", 6);
}

#endif
