#include "session/outcome.h"

#define CODE_AS_NAME(code, name) [code] = name,

const char *done_name(enum done done)
{
	static const char *const names[] = {DONE_CODES(CODE_AS_NAME)};

	return names[done];
}

const char *refusal_name(enum refusal refusal)
{
	static const char *const names[] = {REFUSAL_CODES(CODE_AS_NAME)};

	return names[refusal];
}
