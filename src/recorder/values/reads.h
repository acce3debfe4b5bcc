/* What of the program's memory a value was made from: words, and longer parts.
 *
 * As long as they are what they were, the value made from them is the same, and to compare them
 * takes a tenth of making it anew. They are compared in the order in which they were read. So each
 * address is one that the words before it still lead to: nothing that is gone is touched.
 *
 *	a list of a str   type, length, items | item 0 | type, length, hash of the str
 *
 * Objects are freed and made again at the same address all the time. So of each object its type is
 * noted, and its contents, where they are not those of an object that lives for ever.
 */
#ifndef PL_RECORDER_VALUES_READS_H
#define PL_RECORDER_VALUES_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "recorder/compat/python.h"

#define READS_WORDS_MAX 192
#define READS_PARTS_MAX 12

struct reads {
	uint32_t words, parts;
	bool failed; /* there was more than is noted, or something that cannot be */
	struct read_word {
		const void *at;
		uint64_t was;
	} word[READS_WORDS_MAX];
	struct read_part {
		const void *at;
		size_t bytes;
		uint64_t hash;
	} part[READS_PARTS_MAX];
};

static inline uint64_t read_word(const void *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return word;
}

/* r: NULL: nothing is noted. */

/* A value is made from something that is not noted. */
static inline void reads_fail(struct reads *r)
{
	if (r)
		r->failed = true;
}

/* The eight bytes at `at`, all of an object that the words before lead to. */
static inline void reads_note(struct reads *r, const void *at)
{
	if (!r)
		return;
	if (r->words == READS_WORDS_MAX)
		r->failed = true;
	else
		r->word[r->words++] = (struct read_word){at, read_word(at)};
}

static inline void reads_note_words(struct reads *r, const void *at, size_t count)
{
	for (size_t i = 0; r && i < count && !r->failed; i++)
		reads_note(r, (const char *)at + 8 * i);
}

static inline void reads_note_type(struct reads *r, const PyObject *o)
{
	reads_note(r, &o->ob_type);
}

/* Parts are compared after all words. */
static inline void reads_note_part(struct reads *r, const void *at, size_t bytes)
{
	if (!r)
		return;
	if (r->parts == READS_PARTS_MAX)
		r->failed = true;
	else
		r->part[r->parts++] = (struct read_part){at, bytes, hash_bytes(at, bytes)};
}

/* A str, of which `chars` characters matter, beside its type. Its hash, once it was asked for,
 * stands for its contents. */
static inline void reads_note_str(struct reads *r, PyObject *str, size_t chars)
{
	const PyASCIIObject *ascii = (const PyASCIIObject *)str;

	if (!r)
		return;
	reads_note(r, &ascii->length);
	if (ascii->hash != -1) {
		reads_note(r, &ascii->hash);
		return;
	}
	const size_t length = (size_t)ascii->length;
	reads_note(r, &ascii->hash + 1); /* its kind */
	if (!PyUnicode_IS_COMPACT(str))
		reads_note(r, &((const PyUnicodeObject *)str)->data.any);
	reads_note_part(r, PyUnicode_DATA(str),
		(length < chars ? length : chars) * (size_t)PyUnicode_KIND(str));
}

static inline bool reads_are_same(const struct reads *r)
{
	for (uint32_t i = 0; i < r->words; i++)
		if (read_word(r->word[i].at) != r->word[i].was)
			return false;
	for (uint32_t i = 0; i < r->parts; i++)
		if (hash_bytes(r->part[i].at, r->part[i].bytes) != r->part[i].hash)
			return false;
	return true;
}

#endif
