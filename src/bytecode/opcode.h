/* What one CPython version's opcodes do to control flow and to LINE: a row a version, a table of
 * opcodes a row.
 *
 * A new minor version is a generated opcodes_3_X.h, its table in opcode.c, and its row there.
 */
#ifndef PL_BYTECODE_OPCODE_H
#define PL_BYTECODE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* Where an instruction leads. Targets are counted in units from behind its caches. */
enum opcode_class {
	OPCODE_UNKNOWN,	     /* not an opcode of this version */
	OPCODE_PLAIN,	     /* next */
	OPCODE_EXTENDED_ARG, /* next, whose argument it extends; an instruction of its own */
	OPCODE_RESUME, /* next; a call begins at the first one, the others are behind yields */
	OPCODE_JUMP_FORWARD,	/* +arg */
	OPCODE_JUMP_BACKWARD,	/* -arg */
	OPCODE_BRANCH,		/* next, +arg */
	OPCODE_BRANCH_BACKWARD, /* next, -arg */
	OPCODE_FOR_ITER, /* next: the body; +arg: an inlined generator returned; see loop_exit */
	OPCODE_SEND,	 /* next, +arg: END_SEND */
	OPCODE_YIELD,	 /* nowhere: a RESUME event tells where the frame goes on */
	OPCODE_RETURN,	 /* nowhere */
	OPCODE_RAISE,	 /* nowhere */
};

enum {
	OPCODE_NO_START = 1,   /* no start when the line changes at it, nor does its line count */
	OPCODE_NO_TARGET = 2,  /* a jump to it does not make it a start */
	OPCODE_NO_HANDLER = 4, /* being a handler does not make it a start */
	OPCODE_INLINES = 8,    /* behind it the line may be forgotten: see fires() in build.c */
	OPCODE_HANDLES = 16,   /* 3.11: from here on an exception is being handled */
	OPCODE_HANDLED = 32,   /* 3.11: and from here on no more */
	OPCODE_BARE = 128,     /* 3.11: with argument 0 it raises again, and no event tells */
	OPCODE_UNHEARD = 64,   /* a jump back of which no event tells: not a pass of a loop */
	OPCODE_LOOKS_UP = 512, /* 3.12, 3.13: a name, specialised where that is done often */
	OPCODE_CALLS = 256,    /* 3.12 and later: what it does is mostly done by other code */
};

struct opcode {
	uint8_t class; /* enum opcode_class */
	uint16_t marks;
	uint8_t caches; /* units behind it that are no instructions */
};

#define RESUME_EARLY 4 /* argument of RESUME, see early_resume */
/* What else is in it: why it is there. */
#define RESUME_REASON 3
#define RESUME_BEHIND_YIELD                                                                        \
	1 /* a `yield` of its own, not one of what `yield from` or `await` hands on */

struct opcode_version {
	uint16_t version; /* 0x030c for 3.12 */
	/* A loop over anything but an inlined generator goes on so many units behind FOR_ITER's
	 * target when it ends. */
	uint8_t loop_exit;
	/* The unit behind FOR_ITER's target becomes a start, as the target of any other jump. */
	bool loop_marks;
	/* A start whose line is far from the first one fires without a look at the line before. */
	bool delta_unchecked;
	/* Of a start whose line is before the first one, the low bytes of the distance are kept. */
	bool delta_cut;
	/* LINE is what 3.11's trace function hears: see fires_traced in build.c. */
	bool traced;
	/* RESUME 4 opens a generator expression, and is not where events begin. */
	bool early_resume;
	const struct opcode *opcodes; /* [256] */
};

/* NULL when the version is not known. */
const struct opcode_version *opcode_version_find(uint16_t version);

#endif
