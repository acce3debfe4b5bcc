#define _GNU_SOURCE
#include "expr/nothing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/units.h"
#include "expr/match.h"
#include "expr/node.h"
#include "pathline/counts.h"

#define NAMES_MAX     4096 /* of different ones that are compared */
#define ARGUMENTS_MAX 64
#define PART_MAX      120

struct nothing {
	struct expr *e;
	struct pl_recording *r;
	const struct pl_count_table *counts;
	char *text;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct nothing *n, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int more =
		vsnprintf(n->text + n->used, EXPR_NOTHING_BYTES - n->used, format, arguments);
	va_end(arguments);
	if (more > 0)
		n->used += (size_t)more < EXPR_NOTHING_BYTES - n->used
				   ? (size_t)more
				   : EXPR_NOTHING_BYTES - n->used - 1;
}

static void add_part(struct nothing *n, const struct expr_node *node)
{
	const size_t length = node->end - node->at;

	add(n, "%.*s%s", (int)(length < PART_MAX ? length : PART_MAX), n->e->text + node->at,
		length < PART_MAX ? "" : "…");
}

/* ---- names of what there is ---- */

/* Different names with the number of their calls, as far as there is room. */
struct names {
	char *words[NAMES_MAX + 1]; /* owned; ends with NULL */
	uint64_t calls[NAMES_MAX];
	size_t count;
	struct pl_map places; /* owned: hash -> index + 1 */
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->words[i]);
	map_release(&names->places);
	free(names);
}

static void names_add(struct names *names, struct pl_text name, uint64_t calls)
{
	uint64_t *place = map_put(&names->places, hash_bytes(name.at, name.length));

	if (!place)
		return;
	if (*place) {
		names->calls[*place - 1] += calls;
		return;
	}
	char *word = names->count < NAMES_MAX ? strndup(name.at, name.length) : NULL;
	if (!word)
		return;
	names->words[names->count] = word;
	names->calls[names->count++] = calls;
	*place = names->count;
}

static size_t count_of(struct pl_text text, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < text.length; i++)
		n += text.at[i] == c;
	return n;
}

/* As many parts of it, from its end, as the text that was given has. */
static struct pl_text last_parts(struct pl_text name, char separator, size_t parts)
{
	while (count_of(name, separator) > parts)
		match_next_end(&name, separator);
	return name;
}

static void add_code_names(
	struct nothing *n, struct names *names, enum expr_field field, struct pl_text given)
{
	const char separator = field == FIELD_FILE ? '/' : '.';
	const size_t parts = count_of(given, separator);
	struct pl_buf room = {0};

	for (size_t i = 0; i < n->counts->count; i++) {
		const struct pl_count *row = &n->counts->rows[i];
		if (row->kind != PL_EVENT_CALL || !row->code)
			continue;
		const char *text =
			field == FIELD_FILE ? pl_code_file(row->code) : pl_code_name(row->code);
		struct pl_text name = {.at = text, .length = strlen(text)};
		if (field == FIELD_MODULE)
			name = match_module(pl_code_file(row->code), &room);
		names_add(names, last_parts(name, separator, parts), row->events);
	}
	buf_release(&room);
}

static void add_thread_names(struct nothing *n, struct names *names, enum expr_field field)
{
	for (uint32_t i = 0; i < pl_recording_process_count(n->r); i++) {
		const struct pl_process *p = pl_recording_process(n->r, i);
		if (field == FIELD_PROCESS)
			names_add(names, (struct pl_text){p->command, strlen(p->command)}, 0);
		for (uint32_t k = 0; field == FIELD_THREAD && k < p->thread_count; k++) {
			const struct pl_thread *t = pl_recording_thread(n->r, p->number, k);
			if (t && t->name[0])
				names_add(names, (struct pl_text){t->name, strlen(t->name)}, 0);
		}
	}
}

static void add_argument_names(struct nothing *n, struct names *names)
{
	struct pl_argument arguments[ARGUMENTS_MAX];

	for (size_t i = 0; i < n->counts->count; i++) {
		const struct pl_count *row = &n->counts->rows[i];
		if (row->kind != PL_EVENT_CALL || !row->code)
			continue;
		const size_t count = pl_code_arguments(row->code, arguments, ARGUMENTS_MAX);
		for (size_t k = 0; k < count && k < ARGUMENTS_MAX; k++)
			names_add(names, arguments[k].name, row->events);
	}
}

/* ---- what is nearest ---- */

static void add_name(struct nothing *n, const struct names *names, size_t index)
{
	char count[UNITS_BYTES];

	add(n, "%.60s", names->words[index]);
	if (!names->calls[index])
		return;
	units_count(count, names->calls[index]);
	add(n, ", %s call%s", count, names->calls[index] == 1 ? "" : "s");
}

static int by_calls(const void *a, const void *b, void *context)
{
	const struct names *names = context;
	const uint64_t x = names->calls[*(const size_t *)a], y = names->calls[*(const size_t *)b];

	return x < y ? 1 : x > y ? -1 : 0;
}

/* None is near: those that were called most. */
static void add_most(struct nothing *n, struct names *names)
{
	size_t order[NAMES_MAX];

	for (size_t i = 0; i < names->count; i++)
		order[i] = i;
	qsort_r(order, names->count, sizeof *order, by_calls, names);
	add(n, "; there is: ");
	for (size_t i = 0; i < names->count && i < 3; i++) {
		add(n, "%s", i ? "; " : "");
		add_name(n, names, order[i]);
	}
	if (names->count > 3)
		add(n, "; …");
}

/* What was given, without what stands for anything. */
static void plain_word(struct pl_text given, char word[64])
{
	size_t used = 0;

	for (size_t i = 0; i < given.length && used < 63; i++)
		if (given.at[i] != '%' && given.at[i] != '\\')
			word[used++] = given.at[i];
	word[used] = 0;
}

static void add_nearest(struct nothing *n, struct names *names, struct pl_text given)
{
	char word[64];

	plain_word(given, word);
	names->words[names->count] = NULL;
	const char *nearest = nearest_word(word, (const char *const *)names->words);
	if (!nearest) {
		if (names->count)
			add_most(n, names);
		return;
	}
	add(n, "; nearest: ");
	for (size_t i = 0; i < names->count; i++)
		if (names->words[i] == nearest)
			add_name(n, names, i);
}

/* ---- parts ---- */

static struct pl_text given_text(const struct nothing *n, const struct expr_node *node)
{
	const struct expr_operand *right = &n->e->operands[node->right];

	if (node->op != OP_IS && right->kind == OPERAND_LIST && right->count)
		right = &n->e->operands[right->first];
	return node->op != OP_IS && right->literal.kind == PL_VALUE_STR ? right->literal.text
									: (struct pl_text){"", 0};
}

static bool is_name(enum expr_field field)
{
	return field == FIELD_MODULE || field == FIELD_FILE || field == FIELD_FUNC ||
	       field == FIELD_THREAD || field == FIELD_PROCESS;
}

static int explain_name(struct nothing *n, const struct expr_node *node, enum expr_field field)
{
	const struct pl_text given = given_text(n, node);
	struct names *names = calloc(1, sizeof *names);

	if (!names)
		return PL_ERR_MEMORY;
	add_part(n, node);
	add(n, " matches nothing");
	if (field == FIELD_THREAD || field == FIELD_PROCESS)
		add_thread_names(n, names, field);
	else
		add_code_names(n, names, field, given);
	add_nearest(n, names, given);
	names_release(names);
	return 0;
}

static void add_text_seen(struct nothing *n, const struct expr_node *node)
{
	const struct expr_seen *seen = &node->seen;
	const char *words[sizeof seen->texts / sizeof *seen->texts + 1] = {0};
	char word[64];

	for (uint32_t i = 0; i < seen->text_count; i++)
		words[i] = seen->texts[i];
	plain_word(given_text(n, node), word);
	const char *nearest = nearest_word(word, words);
	add(n, nearest ? "; nearest: '%s'" : "; it is '%s'", nearest ? nearest : words[0]);
	for (uint32_t i = 1; !nearest && i < seen->text_count && i < 3; i++)
		add(n, ", '%s'", words[i]);
	if (!nearest && seen->text_count > 3)
		add(n, ", …");
}

static bool compares_number(const struct nothing *n, const struct expr_node *node)
{
	const struct expr_operand *right = &n->e->operands[node->right];

	return node->op != OP_IS && right->kind == OPERAND_LITERAL &&
	       (right->literal.kind == PL_VALUE_INT || right->literal.kind == PL_VALUE_FLOAT);
}

static void explain_value(struct nothing *n, const struct expr_node *node)
{
	const struct expr_seen *seen = &node->seen;
	char least[UNITS_BYTES], most[UNITS_BYTES];

	add_part(n, node);
	add(n, " is never true");
	if (seen->text_count && !(seen->has_range && compares_number(n, node))) {
		add_text_seen(n, node);
	} else if (seen->has_range && n->e->operands[node->left].field == FIELD_DURATION) {
		units_duration(least, (int64_t)seen->least);
		units_duration(most, (int64_t)seen->most);
		add(n, "; it is %s to %s", least, most);
	} else if (seen->has_range && n->e->operands[node->left].field != FIELD_TIME) {
		add(n, "; it is %.15g", seen->least);
		if (seen->least < seen->most)
			add(n, " to %.15g", seen->most);
	}
}

/* An argument that no function has. */
static int explain_argument(struct nothing *n, const struct expr_operand *o)
{
	struct names *names = calloc(1, sizeof *names);

	if (!names)
		return PL_ERR_MEMORY;
	add_argument_names(n, names);
	if (!names->count) {
		add(n, "the recording has no arguments; record --values calls keeps them");
	} else if (!map_find(&names->places, hash_bytes(o->name.at, o->name.length))) {
		add(n, "no function has an argument %.*s",
			(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
		add_nearest(n, names, o->name);
	} else if (!expr_kinds(n->e, EXPR_OF_EVENT)) {
		add(n, "of the events that the rest selects none has arguments; calls and their "
		       "ends have");
	} else {
		add(n, "no function that the rest selects has an argument %.*s",
			(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
	}
	names_release(names);
	return 0;
}

/* A part that nothing has: the nearest of those that are beside it. */
static void explain_lack(
	struct nothing *n, const struct expr_node *node, const struct expr_operand *o)
{
	const struct pl_value *last = &n->e->steps[o->first + o->count - 1].key;
	const struct expr_seen *seen = &node->seen;
	struct names *names = calloc(1, sizeof *names);
	const size_t length = o->end - o->at;

	add(n, "nothing has a part %.*s", (int)(length < PART_MAX ? length : PART_MAX),
		n->e->text + o->at);
	for (uint32_t i = 0; names && i < seen->text_count; i++)
		names_add(names, (struct pl_text){seen->texts[i], strlen(seen->texts[i])}, 0);
	if (names) {
		add_nearest(n, names,
			last->kind == PL_VALUE_STR ? last->text : (struct pl_text){"", 0});
		names_release(names);
	}
}

/* A variable that no frame had. Of variables only those are known that are arguments. */
static int explain_variable(struct nothing *n, const struct expr_operand *o)
{
	struct names *names = calloc(1, sizeof *names);

	if (!names)
		return PL_ERR_MEMORY;
	add_argument_names(n, names);
	add(n, "where it was asked for, nothing was bound to %.*s",
		(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
	add_nearest(n, names, o->name);
	names_release(names);
	return 0;
}

/* ---- which part ---- */

/* Is the name's part true of anything that ran? A name by itself can be a variable: of nothing that
 * ran it is one here. */
static bool name_matches(struct nothing *n, const struct expr_node *node, enum expr_field field)
{
	for (size_t i = 0; field != FIELD_THREAD && field != FIELD_PROCESS && i < n->counts->count;
		i++)
		if (expr_part_is(n->e, node,
			    &(struct expr_subject){.known = EXPR_CODE | EXPR_ARGS,
				    .code = n->counts->rows[i].code}))
			return true;
	for (uint32_t i = 0; i < pl_recording_process_count(n->r); i++) {
		const struct pl_process *p = pl_recording_process(n->r, i);
		for (uint32_t k = 0; k < p->thread_count; k++)
			if (expr_part_is(n->e, node,
				    &(struct expr_subject){.known = EXPR_THREAD | EXPR_ARGS,
					    .process = p,
					    .thread = pl_recording_thread(n->r, p->number, k)}))
				return true;
	}
	return false;
}

/* Explains the first part that is the reason. */
static int explain(struct nothing *n, uint16_t index)
{
	const struct expr_node *node = &n->e->nodes[index];
	const struct expr_operand *left = &n->e->operands[node->left];
	int code;

	if (node->op == OP_NOT)
		return 0;
	if (node->op == OP_OR || node->op == OP_AND) {
		code = explain(n, node->left);
		return code || n->used ? code : explain(n, node->right);
	}
	if (left->kind != OPERAND_FIELD || node->seen.matched)
		return 0;
	const enum expr_field field =
		left->field == FIELD_VARIABLE ? left->else_field : left->field;
	if (!left->apply && is_name(field))
		return name_matches(n, node, field) ? 0 : explain_name(n, node, field);
	if (node->seen.lacks && !node->seen.asked && left->count) {
		explain_lack(n, node, left);
		return 0;
	}
	if (field == FIELD_COUNT && !node->seen.asked)
		return explain_variable(n, left);
	if (left->field == FIELD_ARGS && !node->seen.asked)
		return explain_argument(n, left);
	if (node->seen.asked)
		explain_value(n, node);
	return 0;
}

static int count_all(struct pl_recording *r, struct pl_counts *counts, struct pl_err *err)
{
	int code = 0;

	for (uint32_t i = 0; code >= 0 && i < pl_recording_process_count(r); i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		struct pl_cursor *c = NULL;
		code = pl_cursor_new(&c, r, p->number, PL_ALL_THREADS, err);
		if (code == 0)
			code = pl_cursor_count(c, counts, INT64_MAX, err);
		pl_cursor_free(c);
	}
	return code;
}

int expr_nothing(
	struct expr *e, struct pl_recording *r, char text[EXPR_NOTHING_BYTES], struct pl_err *err)
{
	struct pl_count_table table = {0};
	struct nothing n = {.e = e, .r = r, .counts = &table, .text = text};
	struct pl_counts *counts = NULL;
	int code = pl_counts_new(&counts, r, err);

	text[0] = 0;
	if (code == 0)
		code = count_all(r, counts, err);
	if (code == 0)
		code = pl_counts_table(counts, &table, err);
	if (code == 0)
		code = explain(&n, e->root);
	pl_counts_free(counts);
	return code;
}
