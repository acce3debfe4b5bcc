/* Where there are stops if a continue finds none: later ones in other threads and processes, or in
 * the other direction. */
#ifndef PL_SESSION_ELSEWHERE_H
#define PL_SESSION_ELSEWHERE_H

#include "session/replay.h"

#define ELSEWHERE_BYTES 512

/* Write what `c` (or `C`, if `back`) says if it found no stop. 0 or an error. */
int elsewhere_tell(struct replay *p, bool back, char text[ELSEWHERE_BYTES], struct pl_err *err);

#endif
