/* A recording in which an exception is raised while another is handled, with its source.
 *
 *	0 call main   1 line 2   2 line 3
 *	3 raise SoldOut, in line 3   4 handled, line 4
 *	5 line 5      6 raise KeyError, in line 5   7 unwind
 */
#ifndef TEST_HANDLERS_H
#define TEST_HANDLERS_H

#include "session/why.h"
#include "tests/lib/sessions.h"

#define SECOND_TYPE 6

/* fifth: the text of line 5. */
static inline void handlers_open(struct scene *x, const char *fifth)
{
	char text[256];

	*x = (struct scene){0};
	maker_init(&x->m);
	snprintf(text, sizeof text,
		"def main():\n    try:\n        book()\n    except SoldOut as error:\n%s\n", fifth);
	maker_source(&x->m, 0, "", text);
	x->m.source = 1;
	maker_body(&x->m, 1, "main", 1, 4);
	x->m.source = 0;
	maker_string(&x->m, SCENE_TYPE, "shop.SoldOut");
	maker_string(&x->m, SECOND_TYPE, "KeyError");
	x->t = maker_thread(&x->m, 0);
	maker_switch(x->t, 1);
	maker_enter(x->t, EVENT_NO_SITE, 10);
	scene_line(x->t, 0);
	scene_line(x->t, 1);
	scene_raise(x->t, 1);
	maker_event2(x->t, EVENT_HANDLED, MAKER_UNIT(2), SCENE_TYPE);
	scene_line(x->t, 3);
	maker_event2(x->t, EVENT_RAISE, MAKER_UNIT(3), SECOND_TYPE);
	scene_unwind(x->t);
	maker_cut(&x->m, x->t);
	maker_thread_end(&x->m, x->t);
	scene_start(x);
}

/* The event with this seq. */
static inline struct pl_event handlers_event(struct scene *x, uint64_t seq)
{
	struct pl_cursor *c = NULL;
	struct pl_event e;

	assert_int_equal(pl_cursor_new(&c, x->r, 1, 0, &x->err), 0);
	assert_int_equal(pl_cursor_seek_seq(c, seq, &x->err), 0);
	assert_int_equal(pl_cursor_next(c, &e, &x->err), 0);
	pl_cursor_free(c);
	assert_int_equal(e.seq, seq);
	return e;
}

#endif
