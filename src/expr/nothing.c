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
#include "expr/named.h"
#include "expr/node.h"
#include "expr/run_names.h"
#include "expr/taken_out.h"
#include "pathline/counts.h"

#define PART_MAX 120

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
	struct nothing *n, struct known_names *names, enum expr_field field, struct pl_text given)
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
		known_names_add(names, last_parts(name, separator, parts), row->events);
	}
	buf_release(&room);
}

static void add_thread_names(struct nothing *n, struct known_names *names, enum expr_field field)
{
	for (uint32_t i = 0; i < pl_recording_process_count(n->r); i++) {
		const struct pl_process *p = pl_recording_process(n->r, i);
		if (field == FIELD_PROCESS)
			known_names_add(names, (struct pl_text){p->command, strlen(p->command)}, 0);
		for (uint32_t k = 0; field == FIELD_THREAD && k < p->thread_count; k++)
			named_add_thread(names, pl_recording_thread(n->r, p->number, k));
	}
}

/* The nearest of them, or those that were called most. */
static void add_nearest(struct nothing *n, const struct known_names *names, struct pl_text given)
{
	char text[KNOWN_NAMES_BYTES];

	known_names_say(names, given, text);
	add(n, "%s", text);
}

/* ---- parts ---- */

static bool is_name(enum expr_field field)
{
	return field == FIELD_MODULE || field == FIELD_FILE || field == FIELD_FUNC ||
	       field == FIELD_THREAD || field == FIELD_PROCESS;
}

static void explain_name(struct nothing *n, const struct expr_node *node, enum expr_field field)
{
	const struct pl_text given = node_text(n->e, node);
	struct known_names names = {0};

	add_part(n, node);
	add(n, " matches nothing");
	if (field == FIELD_THREAD || field == FIELD_PROCESS)
		add_thread_names(n, &names, field);
	else
		add_code_names(n, &names, field, given);
	add_nearest(n, &names, given);
	known_names_release(&names);
}

static void add_text_seen(struct nothing *n, const struct expr_seen *seen)
{
	const bool near = seen->near[0];

	add(n, near ? "; nearest: '%s'" : "; it is '%s'", near ? seen->near : seen->texts[0]);
	for (uint32_t i = 1; !near && i < seen->text_count && i < 3; i++)
		add(n, ", '%s'", seen->texts[i]);
	if (!near && seen->text_count > 3)
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
		add_text_seen(n, seen);
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
static void explain_argument(struct nothing *n, const struct expr_operand *o)
{
	struct known_names names = {0};

	run_names_arguments(&names, n->counts);
	if (values_taken_out(n->r)) {
		add(n, "%s", VALUES_TAKEN_OUT);
	} else if (!names.count) {
		add(n, "the recording has no arguments; record --values calls keeps them");
	} else if (!known_names_has(&names, o->name)) {
		add(n, "no function has an argument %.*s",
			(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
		add_nearest(n, &names, o->name);
	} else if (!expr_kinds(n->e, EXPR_OF_EVENT)) {
		add(n, "of the events that the rest selects none has arguments; calls and their "
		       "ends have");
	} else {
		add(n, "no function that the rest selects has an argument %.*s",
			(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
	}
	known_names_release(&names);
}

/* A part that nothing has: the nearest of those that are beside it. */
static void explain_lack(
	struct nothing *n, const struct expr_node *node, const struct expr_operand *o)
{
	const struct pl_value *last = &n->e->steps[o->first + o->count - 1].key;
	const struct expr_seen *seen = &node->seen;
	struct known_names names = {0};
	const size_t length = o->end - o->at;

	add(n, "nothing has a part %.*s", (int)(length < PART_MAX ? length : PART_MAX),
		n->e->text + o->at);
	for (uint32_t i = 0; i < seen->text_count; i++)
		known_names_add(
			&names, (struct pl_text){seen->texts[i], strlen(seen->texts[i])}, 0);
	add_nearest(n, &names, last->kind == PL_VALUE_STR ? last->text : (struct pl_text){"", 0});
	known_names_release(&names);
}

/* A variable that no frame had. */
static void explain_variable(struct nothing *n, const struct expr_operand *o)
{
	struct known_names names = {0};

	if (values_taken_out(n->r)) {
		add(n, "%s", VALUES_TAKEN_OUT);
		return;
	}
	run_names_arguments(&names, n->counts);
	run_names_variables(&names, n->r, NULL);
	add(n, "where it was asked for, nothing was bound to %.*s",
		(int)(o->name.length < 60 ? o->name.length : 60), o->name.at);
	add_nearest(n, &names, o->name);
	known_names_release(&names);
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
static void explain(struct nothing *n, uint16_t index)
{
	const struct expr_node *node = &n->e->nodes[index];
	const struct expr_operand *left = &n->e->operands[node->left];

	if (node->op == OP_NOT)
		return;
	if (node->op == OP_OR || node->op == OP_AND) {
		explain(n, node->left);
		if (!n->used)
			explain(n, node->right);
		return;
	}
	if (left->kind != OPERAND_FIELD || node->seen.matched)
		return;
	const enum expr_field field =
		left->field == FIELD_VARIABLE ? left->else_field : left->field;
	if (!left->apply && is_name(field)) {
		if (!name_matches(n, node, field))
			explain_name(n, node, field);
		return;
	}
	if (node->seen.lacks && !node->seen.asked && left->count)
		explain_lack(n, node, left);
	else if (field == FIELD_COUNT && !node->seen.asked)
		explain_variable(n, left);
	else if (left->field == FIELD_ARGS && !node->seen.asked)
		explain_argument(n, left);
	else if (node->seen.asked)
		explain_value(n, node);
}

/* The duration of a call is no value. */
static bool asks_values(const struct expr *e)
{
	return expr_needs(e) & EXPR_ARGS || expr_reads(e, "result") || expr_reads(e, "exception");
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
		code = run_names_count(r, counts, err);
	if (code == 0)
		code = pl_counts_table(counts, &table, err);
	if (code == 0)
		explain(&n, e->root);
	if (code == 0 && !n.used && asks_values(e) && values_taken_out(r))
		add(&n, "%s", VALUES_TAKEN_OUT);
	pl_counts_free(counts);
	return code;
}
