/* What is constrained goes to a scan as a plan: for each constraint that its table can use, the
 * column and the relation, in the order of the arguments. So a plan can be read as it is, where
 * EXPLAIN QUERY PLAN shows it: "thread=,seq>=,function LIKE". idxNum says whether costly columns,
 * or values, are read. */
#include "query/module.h"

#include <stdlib.h>
#include <string.h>
#include "query/table.h"

#define PLAN_MAX 256
/* Bits of idxNum. */
#define PLAN_COSTLY 1
#define PLAN_VALUES 2
/* Columns of which SQLite says whether they are read; it says it of the others together. */
#define USED_BITS 63

struct module_table {
	sqlite3_vtab base; /* must be first */
	struct query *q;
	const struct query_table *table;
};

/* What the pointer that SQLite keeps for a module leads to. */
struct module {
	struct query *q;
	const struct query_table *table;
};

static const struct {
	int sqlite;
	enum query_relation relation;
	const char *word;
	double keeps; /* the part of the rows that it may leave */
} relations[] = {
	/* a word that is the beginning of another one comes after it */
	{SQLITE_INDEX_CONSTRAINT_GE, QUERY_AT_LEAST, ">=", 0.3},
	{SQLITE_INDEX_CONSTRAINT_LE, QUERY_AT_MOST, "<=", 0.3},
	{SQLITE_INDEX_CONSTRAINT_GT, QUERY_OVER, ">", 0.3},
	{SQLITE_INDEX_CONSTRAINT_LT, QUERY_UNDER, "<", 0.3},
	{SQLITE_INDEX_CONSTRAINT_EQ, QUERY_IS, "=", 0.05},
	{SQLITE_INDEX_CONSTRAINT_LIKE, QUERY_LIKE, " LIKE", 0.1},
	{SQLITE_INDEX_CONSTRAINT_GLOB, QUERY_GLOB, " GLOB", 0.1},
};
#define RELATIONS (sizeof relations / sizeof *relations)

/* ---- tables ---- */

static bool is_hidden(const struct query_column *column)
{
	return column->role == QUERY_CALLED || column->role == QUERY_FROM ||
	       column->role == QUERY_TO;
}

static int declare(struct query *q, const struct query_table *table)
{
	sqlite3_str *text = sqlite3_str_new(q->db);

	sqlite3_str_appendf(text, "CREATE TABLE \"%w\"(", table->name);
	for (unsigned i = 0; i < table->column_count; i++) {
		const struct query_column *column = &table->columns[i];
		sqlite3_str_appendf(text, "%s\"%w\" %s%s", i ? "," : "", column->name, column->type,
			is_hidden(column) ? " HIDDEN" : "");
	}
	sqlite3_str_appendall(text, ")");
	char *sql = sqlite3_str_finish(text);
	q->declaring = true;
	int code = sql ? sqlite3_declare_vtab(q->db, sql) : SQLITE_NOMEM;
	q->declaring = false;
	sqlite3_free(sql);
	return code;
}

static int module_connect(sqlite3 *db, void *context, int count, const char *const *words,
	sqlite3_vtab **out, char **why)
{
	const struct module *module = context;

	(void)db, (void)count, (void)words, (void)why;
	struct module_table *t = calloc(1, sizeof *t);
	if (!t)
		return SQLITE_NOMEM;
	t->q = module->q;
	t->table = module->table;
	int code = declare(module->q, module->table);
	if (code)
		free(t);
	else
		*out = &t->base;
	return code;
}

static int module_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

/* ---- plans ---- */

static size_t find_relation(int sqlite)
{
	size_t i = 0;

	while (i < RELATIONS && relations[i].sqlite != sqlite)
		i++;
	return i;
}

/* A text is compared byte by byte here, so another collation is left to SQLite. */
static bool can_use(const struct query_table *table, sqlite3_index_info *info, int index)
{
	const struct sqlite3_index_constraint *constraint = &info->aConstraint[index];
	const size_t relation = find_relation(constraint->op);

	if (!constraint->usable || relation == RELATIONS || constraint->iColumn < 0)
		return false;
	return scope_can(table->columns[constraint->iColumn].role, relations[relation].relation) &&
	       !strcmp(sqlite3_vtab_collation(info, index), "BINARY");
}

/* Is each of these roles constrained to one value? Then rows come by seq. */
static bool is_one_thread(const struct query_table *table, const sqlite3_index_info *info)
{
	bool process = false, thread = false;

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
		if (!info->aConstraintUsage[i].argvIndex ||
			constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		process |= table->columns[constraint->iColumn].role == QUERY_PROCESS;
		thread |= table->columns[constraint->iColumn].role == QUERY_THREAD;
	}
	return process && thread;
}

static bool is_in_order(const struct query_table *table, const sqlite3_index_info *info)
{
	if (!table->by_seq || info->nOrderBy != 1 || info->aOrderBy[0].desc ||
		info->aOrderBy[0].iColumn < 0 || !is_one_thread(table, info))
		return false;
	const enum query_role role = table->columns[info->aOrderBy[0].iColumn].role;
	return role == QUERY_SEQ || role == QUERY_TIME;
}

/* Is a column of this role read? */
static bool reads_role(
	const struct query_table *table, const sqlite3_index_info *info, enum query_role role)
{
	for (unsigned i = 0; i < table->column_count; i++)
		if (table->columns[i].role == role &&
			info->colUsed >> (i < USED_BITS ? i : USED_BITS) & 1)
			return true;
	return false;
}

/* Take what can be used into the plan; returns the part of the rows that may be left. */
static double use_constraints(
	const struct query_table *table, sqlite3_index_info *info, sqlite3_str *plan)
{
	double keeps = 1;
	int used = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		if (!can_use(table, info, i))
			continue;
		const size_t relation = find_relation(info->aConstraint[i].op);
		const char *name = table->columns[info->aConstraint[i].iColumn].name;
		if (sqlite3_str_length(plan) + (int)strlen(name) + 8 > PLAN_MAX)
			break;
		sqlite3_str_appendf(
			plan, "%s%s%s", used ? "," : "", name, relations[relation].word);
		info->aConstraintUsage[i].argvIndex = ++used;
		keeps *= relations[relation].keeps;
	}
	return keeps;
}

static int module_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct module_table *t = (const struct module_table *)base;
	sqlite3_str *plan = sqlite3_str_new(t->q->db);
	const double keeps = use_constraints(t->table, info, plan);
	const double rows = t->table->estimate ? t->table->estimate(t->q) : 100;
	const bool some = sqlite3_str_length(plan) > 0;

	info->idxStr = sqlite3_str_finish(plan);
	info->needToFreeIdxStr = info->idxStr != NULL;
	if (some && !info->idxStr)
		return SQLITE_NOMEM;
	info->idxNum = (reads_role(t->table, info, QUERY_COSTLY) ? PLAN_COSTLY : 0) |
		       (reads_role(t->table, info, QUERY_VALUES) ? PLAN_VALUES : 0);
	info->orderByConsumed = is_in_order(t->table, info);
	info->estimatedRows = (sqlite3_int64)(rows * keeps) + 1;
	info->estimatedCost = rows * keeps + 10;
	return SQLITE_OK;
}

/* ---- scans ---- */

static int module_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	const struct module_table *t = (const struct module_table *)base;
	struct query_cursor *c = calloc(1, sizeof *c);

	if (!c)
		return SQLITE_NOMEM;
	c->q = t->q;
	c->table = t->table;
	scope_init(&c->scope);
	*out = &c->base;
	return SQLITE_OK;
}

static void end_scan(struct query_cursor *c)
{
	if (c->state)
		c->table->close(c);
	free(c->state);
	c->state = NULL;
	scope_release(&c->scope);
}

static int module_close(sqlite3_vtab_cursor *base)
{
	end_scan((struct query_cursor *)base);
	free(base);
	return SQLITE_OK;
}

/* What a table says, to SQLite. The text of the error is the recording's. */
static int module_result(struct query_cursor *c, int code)
{
	c->ended = code != 0;
	if (*c->q->stop)
		return SQLITE_INTERRUPT;
	if (code >= 0)
		return SQLITE_OK;
	c->q->failed = code;
	return code == PL_ERR_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* One "column relation" of a plan; `*plan` moves past it. */
static int take_bound(struct query_cursor *c, const char **plan, sqlite3_value *value)
{
	const size_t length = strcspn(*plan, ",");
	const char *const end = *plan + length;

	for (unsigned i = 0; i < c->table->column_count; i++) {
		const struct query_column *column = &c->table->columns[i];
		const size_t name = strlen(column->name);
		if (name >= length || memcmp(*plan, column->name, name))
			continue;
		for (size_t k = 0; k < RELATIONS; k++)
			if (name + strlen(relations[k].word) == length &&
				!memcmp(*plan + name, relations[k].word, length - name)) {
				*plan = end + (*end == ',');
				return scope_take(
					&c->scope, column->role, relations[k].relation, value);
			}
	}
	*plan = end + (*end == ',');
	return 0;
}

static int module_filter(
	sqlite3_vtab_cursor *base, int reads, const char *plan, int count, sqlite3_value **values)
{
	struct query_cursor *c = (struct query_cursor *)base;
	int code = 0;

	end_scan(c);
	scope_init(&c->scope);
	c->scope.costly = reads & PLAN_COSTLY;
	c->scope.values = reads & PLAN_VALUES;
	for (int i = 0; i < count && plan && code == 0; i++)
		code = take_bound(c, &plan, values[i]);
	if (code == 0) {
		c->state = calloc(1, c->table->state_bytes);
		code = c->state ? c->table->open(c) : PL_ERR_MEMORY;
	}
	if (code == 0)
		code = c->table->next(c);
	return module_result(c, code);
}

static int module_next(sqlite3_vtab_cursor *base)
{
	struct query_cursor *c = (struct query_cursor *)base;

	return module_result(c, c->table->next(c));
}

static int module_eof(sqlite3_vtab_cursor *base)
{
	return ((struct query_cursor *)base)->ended;
}

static int module_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct query_cursor *c = (struct query_cursor *)base;

	c->table->cell(c, (unsigned)column, out);
	return SQLITE_OK;
}

static int module_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((struct query_cursor *)base)->row;
	return SQLITE_OK;
}

/* No xCreate: a table is there by its name alone, and none can be made. */
static const sqlite3_module methods = {
	.xConnect = module_connect,
	.xBestIndex = module_plan,
	.xDisconnect = module_disconnect,
	.xOpen = module_open,
	.xClose = module_close,
	.xFilter = module_filter,
	.xNext = module_next,
	.xEof = module_eof,
	.xColumn = module_column,
	.xRowid = module_rowid,
};

int module_add_all(struct query *q)
{
	int code = SQLITE_OK;

	for (size_t i = 0; query_tables[i] && code == SQLITE_OK; i++) {
		struct module *module = malloc(sizeof *module);
		if (!module)
			return SQLITE_NOMEM;
		*module = (struct module){q, query_tables[i]};
		code = sqlite3_create_module_v2(
			q->db, query_tables[i]->name, &methods, module, free);
	}
	return code;
}
