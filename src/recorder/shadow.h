/* The shadow stack: the frames of a thread as they were recorded. It needs no interpreter: the
 * addresses of frames in it are only compared here (shadow_frames.h looks into frames).
 *
 *	place    0      1      2       3                4               5
 *	frame    NULL   main   low     FRAME_LEFT_OUT   FRAME_FOREIGN   key
 *	                       TOLD    number, site     code
 */
#ifndef PL_RECORDER_SHADOW_H
#define PL_RECORDER_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in compat/python.h. */
typedef struct _PyInterpreterFrame py_frame;

/* Two that are no frames of the interpreter have an address of ours in place of theirs. */
extern char shadow_stand_ins[2];
/* C code can report events of its own through PyMonitoring_* (Cython does since 3.13). It has code
 * objects but no frames of the interpreter: its entry has the code object. */
#define FRAME_FOREIGN ((py_frame *)(void *)&shadow_stand_ins[0])
/* A frame of code that is left out begins and ends without an event, so its address does not
 * identify it. Its entry has what was written to the stream: the number of its code, and the site
 * in its caller. */
#define FRAME_LEFT_OUT ((py_frame *)(void *)&shadow_stand_ins[1])

static inline bool frame_is_foreign(const py_frame *frame)
{
	return frame == FRAME_FOREIGN;
}

/* Is it the address of a frame of the interpreter, or NULL? */
static inline bool frame_is_real(const py_frame *frame)
{
	return (uintptr_t)frame - (uintptr_t)shadow_stand_ins >= sizeof shadow_stand_ins;
}

/* An entry has one mark at most; each has a bit, so that both can be asked for. */
enum shadow_mark {
	MARK_NONE = 0,
	/* its witness was written where the frame is, and must not be written by the instruction
	 * after it (code_unit.later) */
	MARK_TOLD = 1,
	/* it is at a yield but not suspended: it raises there, or the yield is being written. Any
	 * other frame that is at a yield has not been resumed. */
	MARK_STANDS = 2,
};

struct shadow_entry {
	py_frame *frame; /* its address, or one of the two above */
	union {
		enum shadow_mark mark; /* of a frame of the interpreter */
		const void *code;      /* foreign */
		struct {
			uint32_t number, site;
		} left_out;
	};
};

struct shadow {
	py_frame *top; /* the frame at place `depth`: compared at every event */
	/* by place; at place 0 is none: its frame is NULL. Mapped, not malloc'd. */
	struct shadow_entry *entries;
	uint32_t depth;
	uint32_t room; /* the last place */
};

/* ---- entries ---- */

static inline struct shadow_entry entry_of_frame(py_frame *frame, enum shadow_mark mark)
{
	return (struct shadow_entry){.frame = frame, .mark = mark};
}

static inline struct shadow_entry entry_of_code(const void *code)
{
	return (struct shadow_entry){.frame = FRAME_FOREIGN, .code = code};
}

static inline struct shadow_entry entry_left_out(uint32_t number, uint32_t site)
{
	return (struct shadow_entry){
		.frame = FRAME_LEFT_OUT, .left_out = {.number = number, .site = site}};
}

static inline bool entry_is_of_code(const struct shadow_entry *e, const void *code)
{
	return e->frame == FRAME_FOREIGN && e->code == code;
}

static inline bool entry_is_called_from(const struct shadow_entry *e, uint32_t site)
{
	return e->frame == FRAME_LEFT_OUT && e->left_out.site == site;
}

static inline bool entry_is_left_out(const struct shadow_entry *e, uint32_t number, uint32_t site)
{
	return entry_is_called_from(e, site) && e->left_out.number == number;
}

/* ---- the stack: an event, or a POPS, must say the same ---- */

/* The entry at a place; at place 0 its frame is NULL, and it has no mark. */
static inline struct shadow_entry *shadow_at(const struct shadow *s, uint32_t place)
{
	return &s->entries[place];
}

/* Make room for that many more entries. false: there is no memory. */
bool shadow_reserve(struct shadow *s, uint32_t more);

static inline bool shadow_is_full(const struct shadow *s)
{
	return s->depth == s->room;
}

/* There is room. */
static inline void shadow_put(struct shadow *s, struct shadow_entry entry)
{
	s->entries[++s->depth] = entry;
	s->top = entry.frame;
}

static inline void shadow_put_frame(struct shadow *s, py_frame *frame)
{
	shadow_put(s, entry_of_frame(frame, MARK_NONE));
}

static inline void shadow_cut(struct shadow *s, uint32_t depth)
{
	s->depth = depth;
	s->top = shadow_at(s, depth)->frame;
}

/* depth > 0 */
static inline void shadow_pop(struct shadow *s)
{
	shadow_cut(s, s->depth - 1);
}

/* The only mark of the frame at `place`. */
static inline void shadow_mark(struct shadow *s, uint32_t place, enum shadow_mark mark)
{
	shadow_at(s, place)->mark = mark;
}

/* Does the entry at `place`, which is a frame's, have one of these marks? */
static inline bool shadow_has(const struct shadow *s, uint32_t place, unsigned marks)
{
	return shadow_at(s, place)->mark & marks;
}

/* The frame's place; 0: it is not there. The entry may be that of an earlier frame at this address
 * (shadow_place). */
static inline uint32_t shadow_find(const struct shadow *s, const py_frame *frame)
{
	uint32_t i = s->depth; /* from the top, where it mostly is */

	while (i && shadow_at(s, i)->frame != frame)
		i--;
	return i;
}

/* The same of C code. */
uint32_t shadow_find_code(const struct shadow *s, const void *code);
/* The number of entries directly above `place` that are left out. */
uint32_t shadow_left_out_above(const struct shadow *s, uint32_t place);
/* The place under those directly below `place`, and there, that are foreign. */
uint32_t shadow_under_foreign(const struct shadow *s, uint32_t place);

/* Frames that are about to be pushed, the top of them first, can wait above the depth: `place` is
 * their own. There is room. */
static inline void shadow_keep(struct shadow *s, uint32_t place, py_frame *frame)
{
	*shadow_at(s, place) = entry_of_frame(frame, MARK_NONE);
}

#endif
