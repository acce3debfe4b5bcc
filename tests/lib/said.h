/* What is said on stderr while something is called.
 *
 *	said_begin();
 *	int code = cmd_unknown("ls", "option", "x", known);
 *	assert_string_equal(said_end(), "pathline: ls: …\n");
 */
#ifndef TEST_SAID_H
#define TEST_SAID_H

#include <stdio.h>
#include <unistd.h>

static char said_text[8192];
static int said_before; /* what stderr was */

static inline void said_begin(void)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	said_before = dup(2);
	assert_int_equal(dup2(fileno(f), 2), 2);
	fclose(f);
}

/* Valid until the next said_begin. */
static inline const char *said_end(void)
{
	const ssize_t n = pread(2, said_text, sizeof said_text - 1, 0);

	said_text[n > 0 ? n : 0] = 0;
	dup2(said_before, 2);
	close(said_before);
	return said_text;
}

#endif
