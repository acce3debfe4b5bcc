/* counted DIR…: are recordings counted as they are visited? See tests/lib/counts.h. One line each; 1: one is not. */
#include "tests/lib/counts.h"

int main(int argc, char **argv)
{
	int result = 0;

	for (int i = 1; i < argc; i++) {
		struct pl_recording *r;
		struct counts_test t;
		struct pl_err err = {0};
		if (pl_recording_open(&r, argv[i], &err)) {
			printf("%s: %s\n", argv[i], pl_err_text(&err));
			return 2;
		}
		const char *what = counts_compare(&t, r, 1 + (uint64_t)i);
		printf("%s: %" PRIu64 " events: %s\n", argv[i], t.visited,
			what ? what : "the same");
		result |= what != NULL;
		pl_recording_close(r);
	}
	return result;
}
