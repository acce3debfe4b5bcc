/* Views in tests, and what every reader of a message must refuse.
 *
 * Needs cmocka.h and its headers before it.
 */
#ifndef TEST_VIEWS_H
#define TEST_VIEWS_H

#include <stdlib.h>
#include <string.h>
#include "base/view.h"
#include "pathline/error.h"

static inline void expect_view(struct pl_view found, struct pl_view expected)
{
	assert_int_equal(found.left, expected.left);
	assert_memory_equal(found.at, expected.at, expected.left);
}

/* Each beginning of `whole` but itself is damage. It lies in memory of just its size, so that a
 * sanitizer sees a read past its end. */
static inline void expect_cut_is_refused(struct pl_view whole, int (*read)(struct pl_view))
{
	for (size_t n = 0; n < whole.left; n++) {
		uint8_t *cut = malloc(n + 1);
		assert_non_null(cut);
		memcpy(cut, whole.at, n);
		assert_int_equal(read(view_of(cut, n)), PL_ERR_FORMAT);
		free(cut);
	}
}

#endif
