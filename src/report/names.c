#include "report/names.h"

#include <string.h>
#include "base/map.h"
#include "expr/match.h"

/* The first digits of the hash: short enough to type, and the same in each run. */
static void write_id(uint64_t hash, char id[NAME_ID_BYTES])
{
	static const char hex[] = "0123456789abcdef";

	for (int i = 0; i < NAME_ID_BYTES - 1; i++)
		id[i] = hex[hash >> (60 - 4 * i) & 15];
	id[NAME_ID_BYTES - 1] = 0;
}

void name_file_id(const char *file, char id[NAME_ID_BYTES])
{
	write_id(hash_bytes(file, strlen(file)), id);
}

/* Two functions with one name in one file differ in their first lines. */
void name_code_id(const struct pl_code *code, char id[NAME_ID_BYTES])
{
	const char *file = pl_code_file(code), *name = pl_code_name(code);
	const uint64_t words[] = {hash_bytes(file, strlen(file)), hash_bytes(name, strlen(name)),
		(uint64_t)(uint32_t)pl_code_first_line(code)};

	write_id(hash_bytes(words, sizeof words), id);
}

/* "app.py", "shop/app.py", the whole path, or the id that a row shows. */
static bool is_file(const char *file, const char *word, size_t length)
{
	char id[NAME_ID_BYTES];

	name_file_id(file, id);
	return match_is_end(file, '/', (struct pl_text){.at = word, .length = length}) ||
	       (length == NAME_ID_BYTES - 1 && !memcmp(id, word, length));
}

bool name_is_file(const char *file, const char *word)
{
	return is_file(file, word, strlen(word));
}

/* "work", "Cart.work", "shop.py:work", or the id that a row shows. */
bool name_is_code(const struct pl_code *code, const char *word)
{
	const char *colon = strrchr(word, ':'), *name = colon ? colon + 1 : word;
	char id[NAME_ID_BYTES];

	name_code_id(code, id);
	if (!strcmp(id, word))
		return true;
	return match_is_end(pl_code_name(code), '.',
		       (struct pl_text){.at = name, .length = strlen(name)}) &&
	       (!colon || is_file(pl_code_file(code), word, (size_t)(colon - word)));
}
