#include "trace/texts.h"

#include <stdlib.h>

/* Texts follow one another in chunks. A text that does not fit begins a new chunk; a long one gets
 * its own. */
#define CHUNK_ROOM (16u << 10)

struct texts_chunk {
	struct texts_chunk *older;
	size_t used, room;
	char bytes[];
};

/* Bytes never move and are never freed alone: a caller may keep the pointer as long as the
 * recording. */
static char *reserve_text(struct texts *t, size_t n)
{
	struct texts_chunk *c = t->newest;

	if (!c || c->room - c->used < n) {
		size_t room = n > CHUNK_ROOM ? n : CHUNK_ROOM;
		c = malloc(sizeof *c + room);
		if (!c)
			return NULL;
		*c = (struct texts_chunk){.older = t->newest, .room = room};
		t->newest = c;
	}
	c->used += n;
	return c->bytes + c->used - n;
}

/* A NUL within the text becomes the two bytes c0 80, as in Java's class files: C strings stay
 * whole, and valid UTF-8 never has these bytes. */
const char *texts_keep(struct texts *t, struct pl_view v)
{
	size_t nuls = 0;

	for (size_t i = 0; i < v.left; i++)
		nuls += v.at[i] == 0;
	char *text = reserve_text(t, v.left + nuls + 1);
	char *to = text;
	if (!text)
		return NULL;
	for (size_t i = 0; i < v.left; i++) {
		if (v.at[i]) {
			*to++ = (char)v.at[i];
		} else {
			*to++ = (char)0xc0;
			*to++ = (char)0x80;
		}
	}
	*to = 0;
	return text;
}

struct pl_view texts_copy(struct texts *t, struct pl_view v)
{
	char *copy = reserve_text(t, v.left);

	if (!copy)
		return (struct pl_view){0};
	if (v.left)
		memcpy(copy, v.at, v.left);
	return view_of(copy, v.left);
}

void texts_release(struct texts *t)
{
	while (t->newest) {
		struct texts_chunk *older = t->newest->older;
		free(t->newest);
		t->newest = older;
	}
}
