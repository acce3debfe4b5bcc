/* What the opcodes of each CPython version do to control flow and to LINE: a row for each version,
 * with a table of opcodes.
 *
 * A new minor version needs a generated opcodes_3_X.h, its table in opcode.c, and its row there.
 */
#ifndef PL_BYTECODE_OPCODE_H
#define PL_BYTECODE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* Where an instruction leads. Targets are counted in units from the end of its caches. */
enum opcode_class {
	OPCODE_UNKNOWN,	     /* not an opcode of this version */
	OPCODE_PLAIN,	     /* next */
	OPCODE_EXTENDED_ARG, /* next, whose argument it extends; a separate instruction */
	OPCODE_RESUME, /* next; a call begins at the first one, the others come after yields */
	OPCODE_JUMP_FORWARD,	/* +arg */
	OPCODE_JUMP_BACKWARD,	/* -arg */
	OPCODE_BRANCH,		/* next, +arg */
	OPCODE_BRANCH_BACKWARD, /* next, -arg */
	OPCODE_FOR_ITER, /* next: the body; +arg: an inlined generator returned; see loop_exit */
	OPCODE_SEND,	 /* next, +arg: END_SEND */
	OPCODE_YIELD,	 /* nowhere: the RESUME event shows where the frame continues */
	OPCODE_RETURN,	 /* nowhere */
	OPCODE_RAISE,	 /* nowhere */
};

enum {
	OPCODE_NO_START = 1,   /* a change of line there makes no start, and is ignored */
	OPCODE_NO_TARGET = 2,  /* a jump to it does not make it a start */
	OPCODE_NO_HANDLER = 4, /* being a handler's first instruction does not make it a start */
	OPCODE_INLINES = 8,    /* after it the line may be forgotten: see fires() in build.c */
	OPCODE_HANDLES = 16,   /* 3.11: from here on an exception is being handled */
	OPCODE_HANDLED = 32,   /* 3.11: from here on it is not handled any more */
	OPCODE_BARE = 128,     /* 3.11: with argument 0 it raises again without an event */
	OPCODE_UNHEARD = 64,   /* a jump back that has no event: not a pass of a loop */
	OPCODE_LOOKS_UP = 256, /* 3.12, 3.13: looks up a name; specialised when it runs often */
	OPCODE_NEXT = 512,     /* takes the next item of a loop, also the first one */
};

struct opcode {
	uint8_t class; /* enum opcode_class */
	uint16_t marks;
	uint8_t caches; /* units after it that are not instructions */
};

#define RESUME_EARLY 4 /* argument of RESUME, see early_resume */
/* The bits of its argument that say why it is there. */
#define RESUME_REASON 3
#define RESUME_AFTER_YIELD                                                                         \
	1 /* after a plain `yield`, not one that belongs to `yield from` or `await` */

struct opcode_version {
	uint16_t version; /* 0x030c for 3.12 */
	/* When a loop ends it continues this many units after FOR_ITER's target, unless it runs
	 * over an inlined generator. */
	uint8_t loop_exit;
	/* The unit after FOR_ITER's target becomes a start, as the target of any other jump
	 * does. */
	bool loop_marks;
	/* A start whose line is far from the first one fires without a comparison with the line
	 * before. */
	bool delta_unchecked;
	/* For a start whose line is before the first one, only the low bytes of the distance are
	 * kept. */
	bool delta_cut;
	/* Lines are reported by 3.11's trace function: see fires_traced in build.c. */
	bool traced;
	/* RESUME 4 opens a generator expression; events do not begin there. */
	bool early_resume;
	const struct opcode *opcodes; /* [256] */
};

/* NULL: the version is not known. */
const struct opcode_version *opcode_version_find(uint16_t version);

#endif
