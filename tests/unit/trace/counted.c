/* counted DIR…: are recordings counted, profiled and searched as they are visited? See
 * tests/lib/counts.h, profiles.h, searches.h. One line each; 1: one is not. */
#include "tests/lib/counts.h"
#include "tests/lib/profiles.h"
#include "tests/lib/searches.h"

int main(int argc, char **argv)
{
	int result = 0;

	for (int i = 1; i < argc; i++) {
		struct pl_recording *r;
		struct counts_test t;
		struct profiles_test profiles;
		struct searches_test searches;
		struct pl_err err = {0};
		if (pl_recording_open(&r, argv[i], &err)) {
			printf("%s: %s\n", argv[i], pl_err_text(&err));
			return 2;
		}
		const char *what = counts_compare(&t, r, 1 + (uint64_t)i);
		const char *of_profiles = profiles_compare(&profiles, r);
		const char *of_searches = searches_compare(&searches, r, 1 + (uint64_t)i);
		if (!what)
			what = of_profiles;
		else if (of_profiles)
			printf("%s: %s\n", argv[i], of_profiles);
		if (!what)
			what = of_searches;
		else if (of_searches)
			printf("%s: %s\n", argv[i], of_searches);
		printf("%s: %" PRIu64 " events: %s\n", argv[i], t.visited,
			what ? what : "the same");
		result |= what != NULL;
		pl_recording_close(r);
	}
	return result;
}
