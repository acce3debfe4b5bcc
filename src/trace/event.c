/* Words and meanings of kinds and reasons, from the tables in pathline/event.h. A number that this
 * version does not know is "?". */
#include "pathline/event.h"

const char *pl_event_kind_name(enum pl_event_kind kind)
{
	static const char *const names[] = {
#define X(constant, word, meaning) word,
		PL_EVENT_KINDS(X)
#undef X
	};

	return (size_t)kind < PL_EVENT_KIND_COUNT ? names[kind] : "?";
}

const char *pl_gap_reason_name(enum pl_gap_reason reason)
{
	static const char *const names[] = {
#define X(constant, word, meaning) word,
		PL_GAP_REASONS(X)
#undef X
	};

	return (size_t)reason < PL_GAP_REASON_COUNT ? names[reason] : "?";
}

const char *pl_gap_reason_text(enum pl_gap_reason reason)
{
	static const char *const texts[] = {
#define X(constant, word, meaning) meaning,
		PL_GAP_REASONS(X)
#undef X
	};

	return (size_t)reason < PL_GAP_REASON_COUNT ? texts[reason] : "?";
}
