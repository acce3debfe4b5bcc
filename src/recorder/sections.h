/* Sections: each of their events is stamped (sections.c). */
#ifndef PL_RECORDER_SECTIONS_H
#define PL_RECORDER_SECTIONS_H

#include "recorder/compat/python.h"

struct code_record;
struct thread;

/* A section in which each event is stamped (sections.c). */
struct section {
	uint64_t id;
	/* frame of a generator or coroutine: compared only; NULL: the section is in none */
	const py_frame *frame;
	struct thread *thread; /* NULL: the thread that forked this process */
	uint64_t greenlet;     /* number */
};
#define SECTIONS_MAX 256

uint64_t section_begin(void); /* in this thread or task; 0: it cannot be */
void section_end(uint64_t id);
/* Is the thread in one? */
bool sections_on(const struct thread *t);
/* Code runs on the thread: if the thread is in a section, all of the code is enabled from now on.
 * true: it was not before. */
bool section_hears(const struct thread *t, struct code_record *r);
/* Enough lines of the code were outside of sections: from now on it is like other code. */
void section_is_over(struct code_record *r);
void sections_of_new_thread(struct thread *t);
void sections_forked(void);

#endif
