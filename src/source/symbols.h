/* Names of functions in files: by libdw, in a process of its own.
 *
 *	collector --question--> child: opens the file, compares its build-id, looks up
 *	          <--answer---
 *
 * What is in such files is anybody's, and so is what a reader of them does with it: the child may
 * crash or take long, and costs no more than names. It is limited in memory and time, has no other
 * descriptors, and is started anew a few times. libdw and the demangler are loaded in it, when they
 * are there: Pathline does not need them otherwise.
 */
#ifndef PL_SOURCE_SYMBOLS_H
#define PL_SOURCE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include "ring/native_area.h"

#define SYMBOL_NAME_MAX	 512
#define SYMBOL_PLACE_MAX 1024

struct symbol_question {
	uint32_t number;  /* of who asks; it is in the answer */
	uint32_t pid;	  /* a process that sees the file under this path; it may be over */
	uint64_t address; /* as the file has it */
	uint32_t id_bytes;
	uint8_t id[NATIVE_ID_MAX]; /* the build-id; without one, the file is believed */
	char path[NATIVE_PATH_MAX];
};

struct symbol_answer {
	uint32_t number;
	char name[SYMBOL_NAME_MAX];   /* "": not known */
	char place[SYMBOL_PLACE_MAX]; /* "/src/foo.c:12"; "": not known */
};

/* All zero is not started. */
struct symbols {
	int channel; /* -1 or 0: none */
	int pid;
	uint32_t starts;
	uint32_t asked, answered; /* since the child was started */
};

/* false: there are too many questions without an answer for now, or no child any more. */
bool symbols_ask(struct symbols *s, const struct symbol_question *q);
/* 1: an answer; 0: none now; -1: the child is gone, and so is what it was asked. wait_ms: how long
 * it may take. */
int symbols_next(struct symbols *s, struct symbol_answer *out, int wait_ms);
/* It was started too often. */
bool symbols_given_up(const struct symbols *s);
void symbols_stop(struct symbols *s);

/* symbols_dw.c or symbols_none.c: in the child. */
void symbols_answer(const struct symbol_question *q, struct symbol_answer *out);

#endif
