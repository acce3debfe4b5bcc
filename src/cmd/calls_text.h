/* A node of the tree of calls as a line: for a reader, or as JSON.
 *
 *	book(item='anvil', count=2) -> 9.0  shop.py:12  1.2 ms  #148
 *	ask(n=0) -> 0 … (n=99) -> 198  × 100  shop.py:4  <4.0 ms  #151
 *	numbers resumed yields 4  shop.py:8  <4.0 ms  #160  in task 3 worker
 *	check() !! KeyError('anvil')  shop.py:30  <4.0 ms  #171  +12 below
 *
 * A line has at most out.columns columns. What comes behind the values is always there; they get
 * what is left. Text from the recording is cleaned: no byte of it controls the terminal.
 */
#ifndef PL_CMD_CALLS_TEXT_H
#define PL_CMD_CALLS_TEXT_H

#include "cmd/calls_node.h"
#include "cmd/text.h"

#define CALLS_TEXTS 4

struct calls_text {
	struct out *out; /* not owned */
	bool json;
	/* of the thread that is being written, for --json */
	const struct pl_process *process;
	const struct pl_thread *thread;
	/* inside */
	struct out head, tail;	  /* owned: parts of a line */
	char *texts[CALLS_TEXTS]; /* owned: values of the first call and of the last one */
	size_t lengths[CALLS_TEXTS];
};

/* out is there, with its columns. CMD_GO; CMD_BAD after a message: there is no memory. */
int calls_text_init(struct calls_text *w);
void calls_text_release(struct calls_text *w);

void calls_text_write(struct calls_text *w, const struct call_node *n);

#endif
