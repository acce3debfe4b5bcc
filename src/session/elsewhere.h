/* Where there are stops, when a continue finds none on its way: later ones in other threads and processes, or the other way. */
#ifndef PL_SESSION_ELSEWHERE_H
#define PL_SESSION_ELSEWHERE_H

#include "session/replay.h"

#define ELSEWHERE_BYTES 512

/* Write what `c` (or `C`, when it goes back) says that found no stop. 0 or an error. */
int elsewhere_tell(struct replay *p, bool back, char text[ELSEWHERE_BYTES], struct pl_err *err);

#endif
