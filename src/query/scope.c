#include "query/scope.h"

#include <stdlib.h>
#include <string.h>
#include "pathline/values.h"
#include "report/names.h"

#define ARGUMENTS_MAX 64

#define ALL_KINDS ((1u << PL_EVENT_KIND_COUNT) - 1)

void scope_init(struct query_scope *s)
{
	const struct query_range all = {INT64_MIN, INT64_MAX};

	*s = (struct query_scope){.process = all,
		.thread = all,
		.seq = all,
		.time = all,
		.line = all,
		.counted = all,
		.kinds = ALL_KINDS};
}

void scope_release(struct query_scope *s)
{
	for (size_t i = 0; i < s->name_count; i++)
		sqlite3_free(s->names[i].word);
	s->name_count = 0;
	sqlite3_free(s->named);
	s->named = NULL;
	map_release(&s->codes);
	map_release(&s->calls);
}

static bool is_name(enum query_role role)
{
	return role == QUERY_FILE || role == QUERY_FUNCTION || role == QUERY_CODE;
}

bool scope_can(enum query_role role, enum query_relation relation)
{
	if (role == QUERY_PLAIN || role == QUERY_COSTLY || role == QUERY_VALUES)
		return false;
	if (role == QUERY_KIND || role == QUERY_NAMED || role == QUERY_CALLED ||
		role == QUERY_FROM || role == QUERY_TO)
		return relation == QUERY_IS;
	if (is_name(role))
		return relation == QUERY_IS || relation == QUERY_LIKE || relation == QUERY_GLOB;
	return relation != QUERY_LIKE && relation != QUERY_GLOB;
}

/* ---- numbers ---- */

/* The integers around the value, equal if it is one. false: it is no number. */
static bool integers_around(sqlite3_value *value, int64_t *floor_of, int64_t *ceiling_of)
{
	const int type = sqlite3_value_type(value);

	if (type == SQLITE_INTEGER) {
		*floor_of = *ceiling_of = sqlite3_value_int64(value);
		return true;
	}
	const double v = sqlite3_value_double(value);
	if (type != SQLITE_FLOAT || !(v > -9e18 && v < 9e18))
		return false;
	const int64_t cut = (int64_t)v;
	*floor_of = cut - (v < (double)cut);
	*ceiling_of = cut + (v > (double)cut);
	return true;
}

/* Bounds may be wider than the constraint: SQLite checks the rows. So `over` is as `at least`. */
static void narrow(struct query_range *range, enum query_relation relation, sqlite3_value *value)
{
	int64_t low, high;

	if (!integers_around(value, &low, &high))
		return;
	if (relation != QUERY_UNDER && relation != QUERY_AT_MOST && low > range->from)
		range->from = low;
	if (relation != QUERY_OVER && relation != QUERY_AT_LEAST && high < range->to)
		range->to = high;
}

static struct query_range *range_of(struct query_scope *s, enum query_role role)
{
	switch (role) {
	case QUERY_PROCESS:
		return &s->process;
	case QUERY_THREAD:
		return &s->thread;
	case QUERY_SEQ:
		return &s->seq;
	case QUERY_TIME:
		return &s->time;
	case QUERY_LINE:
		return &s->line;
	default:
		return NULL;
	}
}

/* ---- words ---- */

static void take_kind(struct query_scope *s, sqlite3_value *value)
{
	const char *word = (const char *)sqlite3_value_text(value);
	uint32_t kinds = 0;

	for (int kind = 0; word && kind < PL_EVENT_KIND_COUNT; kind++)
		if (!strcmp(word, pl_event_kind_name(kind)))
			kinds |= 1u << kind;
	s->kinds &= kinds;
}

static int take_name(struct query_scope *s, enum query_role role, enum query_relation relation,
	sqlite3_value *value)
{
	if (sqlite3_value_type(value) != SQLITE_TEXT || s->name_count == QUERY_NAMES_MAX)
		return 0;
	char *word = sqlite3_mprintf("%s", sqlite3_value_text(value));
	if (!word)
		return PL_ERR_MEMORY;
	s->names[s->name_count++] = (struct query_name){role, relation, word};
	return 0;
}

/* Of two, one is enough: SQLite checks the rows. */
static int take_named(struct query_scope *s, sqlite3_value *value)
{
	if (s->named || sqlite3_value_type(value) != SQLITE_TEXT)
		return 0;
	s->named = sqlite3_mprintf("%s", sqlite3_value_text(value));
	return s->named ? 0 : PL_ERR_MEMORY;
}

int scope_take(struct query_scope *s, enum query_role role, enum query_relation relation,
	sqlite3_value *value)
{
	struct query_range *range = range_of(s, role);
	int64_t low, high;

	if (range)
		narrow(range, relation, value);
	else if (role == QUERY_KIND)
		take_kind(s, value);
	else if (is_name(role))
		return take_name(s, role, relation, value);
	else if (role == QUERY_NAMED || role == QUERY_CALLED)
		return take_named(s, value);
	else if (role == QUERY_FROM && integers_around(value, &low, &high))
		s->counted.from = high;
	else if (role == QUERY_TO && integers_around(value, &low, &high))
		s->counted.to = high;
	return 0;
}

/* ---- codes ---- */

static bool name_passes(const struct query_name *name, const struct pl_code *code)
{
	char id[NAME_ID_BYTES];
	const char *text = name->role == QUERY_FILE ? pl_code_file(code) : pl_code_name(code);

	if (name->role == QUERY_CODE) {
		name_code_id(code, id);
		text = id;
	}
	if (name->relation == QUERY_LIKE)
		return sqlite3_strlike(name->word, text, 0) == 0;
	if (name->relation == QUERY_GLOB)
		return sqlite3_strglob(name->word, text) == 0;
	return strcmp(name->word, text) == 0;
}

/* Asked again and again of the same codes. Without memory it is only slower. */
static bool keep_answer(struct pl_map *answers, const struct pl_code *code, bool is)
{
	uint64_t *place = map_put(answers, (uintptr_t)code);

	if (place)
		*place = is ? 1 : 2;
	return is;
}

bool scope_has_code(struct query_scope *s, const struct pl_code *code)
{
	bool passes = true;

	if (!s->name_count || !code)
		return !s->name_count;
	const uint64_t *known = map_find(&s->codes, (uintptr_t)code);
	if (known)
		return *known == 1;
	for (size_t i = 0; i < s->name_count && passes; i++)
		passes = name_passes(&s->names[i], code);
	return keep_answer(&s->codes, code, passes);
}

bool scope_has_argument(struct query_scope *s, const struct pl_code *code)
{
	struct pl_argument arguments[ARGUMENTS_MAX];
	bool has = false;

	if (!s->named || !code)
		return !s->named;
	const uint64_t *known = map_find(&s->calls, (uintptr_t)code);
	if (known)
		return *known == 1;
	const size_t count = pl_code_arguments(code, arguments, ARGUMENTS_MAX);
	for (size_t i = 0; i < count && i < ARGUMENTS_MAX && !has; i++)
		has = strlen(s->named) == arguments[i].name.length &&
		      !memcmp(s->named, arguments[i].name.at, arguments[i].name.length);
	return keep_answer(&s->calls, code, has || count > ARGUMENTS_MAX);
}
