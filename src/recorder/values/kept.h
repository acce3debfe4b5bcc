/* What the recording has of the variables of each frame: a fingerprint a variable, by which the
 * next event of the frame knows what has changed. No reference is kept, and no object followed.
 *
 * A frame is known by its address, as in generators.c, from its entry to its end; a generator's
 * also while it waits, whoever runs it next. One that ended without an event (a generator that
 * nobody wanted any more) stays until a frame at its address begins, or until there are too many:
 * all together have at most KEPT_BYTES_MAX, and those that ran longest ago go. A frame that is not
 * known any more, because it went or because events were lost, tells all its variables again.
 *
 * With the GIL.
 */
#ifndef PL_RECORDER_VALUES_KEPT_H
#define PL_RECORDER_VALUES_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"

#define KEPT_BYTES_MAX	   (16u << 20)
#define KEPT_VARIABLES_MAX 4096 /* of a frame; what it has beyond is not told */
#define KEPT_NAMES_MAX	   1024 /* names of a module or a class body, likewise */

struct thread;

struct kept_variable {
	uint64_t number; /* of its fingerprint, as it was told; 0: it is not bound */
	bool told;	 /* in the event that is being written */
};

/* A name of a module or a class body: what is in a dict has no index. */
struct kept_name {
	struct kept_variable is;
	int64_t hash;  /* of the str */
	char *text;    /* owned; UTF-8, its end is not marked */
	uint8_t bytes; /* of the text; 0: it is left out */
	bool hidden;   /* it says that its value is a secret */
	uint32_t turn; /* when it was last in the dict */
};

struct kept_names {
	struct kept_name *at; /* owned; room for KEPT_NAMES_MAX at most */
	uint32_t count, room;
	uint32_t turn; /* of the event that is being written */
	uint32_t next; /* where the dict's next key probably is */
};

struct kept_frame {
	const py_frame *frame;	   /* compared only */
	const PyCodeObject *code;  /* likewise */
	uint64_t lost;		   /* events that the process had lost by then */
	const struct thread *told; /* compared only: the thread that told of it last */
	uint64_t all_at; /* position of that thread's stream when all variables were told */
	bool fresh;	 /* nothing of it was told */
	struct kept_names names;
	struct kept_frame *newer, *older; /* by when they ran */
	uint32_t count;			  /* of variables, beside names */
	uint32_t room;
	struct kept_variable variables[];
};

/* The frame begins: nothing is known of it yet. NULL: there is no memory. */
struct kept_frame *kept_begin(const py_frame *frame, const PyCodeObject *code);
/* What is kept of it; if nothing is, as kept_begin, and it is fresh. */
struct kept_frame *kept_find(const py_frame *frame, const PyCodeObject *code);
/* The frame is gone. */
void kept_forget(const py_frame *frame);
/* The path is lost, or a forked child begins: nothing is known of any frame. */
void kept_forget_all(void);

/* The row of a key of a dict; the dict is gone through from its front. NULL: it is not told. */
struct kept_name *kept_name_of(struct kept_frame *k, PyObject *key);
/* The same, but it is not made. */
struct kept_name *kept_name_find(struct kept_names *names, PyObject *key);

#endif
