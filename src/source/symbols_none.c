/* Where Pathline was built without libdw's headers: no names. */
#include "source/symbols.h"

void symbols_answer(const struct symbol_question *q, struct symbol_answer *out)
{
	(void)q;
	(void)out;
}
