/* A recording of one thread, made by hand, for the unit tests of the stages of reading. */
#ifndef TEST_STAGES_H
#define TEST_STAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "tests/lib/recording.h"

struct stages {
	struct maker m;
	struct maker_thread *t;
	struct pl_recording *r;
	struct thread_entry *thread;
};

/* Body 1 is "main", with lines 2, 3 and 4; its code is 10. */
static inline void stages_init(struct stages *s)
{
	*s = (struct stages){0};
	maker_init(&s->m);
	maker_body(&s->m, 1, "main", 1, 3);
	s->t = maker_thread(&s->m, 0);
}

static inline void stages_open(struct stages *s)
{
	maker_thread_end(&s->m, s->t);
	maker_process_end(&s->m, PL_PROCESS_EXITED, 0);
	maker_end(&s->m);
	assert_int_equal(recording_open_files(&s->r, maker_files(&s->m), NULL), 0);
	s->thread = recording_find_thread(s->r, 1, 0);
	assert_non_null(s->thread);
}

static inline void stages_close(struct stages *s)
{
	pl_recording_close(s->r);
	maker_release(&s->m);
}

#endif
