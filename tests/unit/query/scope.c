/* The bounds of a scan: a WHERE narrows them, and never past a row that it wants. The values come
 * from SQLite itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "query/scope.h"

struct taken {
	struct query_scope *scope;
	enum query_role role;
	enum query_relation relation;
};

static void take(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct taken *t = sqlite3_user_data(context);

	assert_int_equal(count, 1);
	assert_int_equal(scope_take(t->scope, t->role, t->relation, values[0]), 0);
}

/* The column has this relation to a literal of SQL. */
static void take_literal(struct query_scope *s, enum query_role role, enum query_relation relation,
	const char *literal)
{
	struct taken t = {.scope = s, .role = role, .relation = relation};
	sqlite3 *db = NULL;
	char *sql = sqlite3_mprintf("SELECT take(%s)", literal);

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_create_function(db, "take", 1, SQLITE_UTF8, &t, take, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(sql);
	sqlite3_close(db);
}

static void ranges(void **state)
{
	struct query_scope s;

	(void)state;
	scope_init(&s);
	assert_true(range_has(&s.seq, INT64_MIN) && range_has(&s.seq, INT64_MAX));
	take_literal(&s, QUERY_SEQ, QUERY_AT_LEAST, "4000");
	take_literal(&s, QUERY_SEQ, QUERY_AT_LEAST, "10"); /* a wider bound changes nothing */
	take_literal(&s, QUERY_SEQ, QUERY_AT_MOST, "4100.5");
	assert_int_equal(s.seq.from, 4000);
	assert_true(range_has(&s.seq, 4100));
	assert_false(range_has(&s.seq, 4102));
	take_literal(&s, QUERY_THREAD, QUERY_IS, "2");
	assert_int_equal(s.thread.from, 2);
	assert_int_equal(s.thread.to, 2);
	take_literal(&s, QUERY_LINE, QUERY_IS, "'a text'"); /* left to SQLite */
	assert_true(range_has(&s.line, 7));
	scope_release(&s);
}

static void kinds(void **state)
{
	struct query_scope s;

	(void)state;
	scope_init(&s);
	take_literal(&s, QUERY_KIND, QUERY_IS, "'raise'");
	assert_int_equal(s.kinds, 1u << PL_EVENT_RAISE);
	take_literal(&s, QUERY_KIND, QUERY_IS, "'call'");
	assert_int_equal(s.kinds, 0);
	scope_release(&s);
}

static void names(void **state)
{
	struct query_scope s;

	(void)state;
	scope_init(&s);
	assert_true(scope_has_code(&s, NULL));
	for (int i = 0; i < QUERY_NAMES_MAX + 2; i++)
		take_literal(&s, QUERY_FUNCTION, QUERY_LIKE, "'%book'");
	assert_int_equal(s.name_count, QUERY_NAMES_MAX);
	assert_string_equal(s.names[0].word, "%book");
	assert_false(scope_has_code(&s, NULL));
	scope_release(&s);
	scope_release(&s);
}

static void what_becomes_a_bound(void **state)
{
	(void)state;
	assert_true(scope_can(QUERY_SEQ, QUERY_UNDER));
	assert_false(scope_can(QUERY_SEQ, QUERY_LIKE));
	assert_true(scope_can(QUERY_FILE, QUERY_GLOB));
	assert_false(scope_can(QUERY_FILE, QUERY_OVER));
	assert_true(scope_can(QUERY_KIND, QUERY_IS));
	assert_false(scope_can(QUERY_PLAIN, QUERY_IS));
	assert_false(scope_can(QUERY_VALUES, QUERY_IS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(kinds),
		cmocka_unit_test(names),
		cmocka_unit_test(what_becomes_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
