/* Do the two sides of a comparison fit? What is written as a text or a number becomes what the
 * field has: a time, a duration. */
#define _GNU_SOURCE
#include "base/nearest.h"
#include "expr/match.h"
#include "expr/node.h"
#include "expr/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000

struct fit {
	struct expr *e;
	struct expr_node *n;
	const struct expr_words *words;
	struct expr_fault *fault;
};

static struct expr_operand *left_of(const struct fit *f)
{
	return &f->e->operands[f->n->left];
}

static bool is_order(enum expr_op op)
{
	return op >= OP_LT && op <= OP_GE;
}

static bool is_text(const struct expr_operand *o)
{
	return o->literal.kind == PL_VALUE_STR;
}

static bool is_number(const struct expr_operand *o)
{
	return o->literal.kind == PL_VALUE_INT || o->literal.kind == PL_VALUE_FLOAT;
}

static int refuse(const struct fit *f, const struct expr_operand *o, const char *why)
{
	return fault_say(
		f->e, f->fault, o->at, "%.*s: %s", (int)(o->end - o->at), f->e->text + o->at, why);
}

static const char *field_word(enum expr_field field)
{
	const struct expr_field_row *row = expr_field_row(field);

	return row ? row->word : "it";
}

/* ---- times and durations ---- */

/* pytrace writes 2012/08/15. */
static bool read_time(const struct fit *f, struct expr_operand *o)
{
	char text[64];
	struct when w = {0};
	const char *fraction;

	if (!f->words->scale || o->literal.text.length >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)o->literal.text.length, o->literal.text.at);
	for (size_t i = 4; i <= 7 && strlen(text) > 7; i += 3)
		text[i] = text[i] == '/' ? '-' : text[i];
	if (!when_read(text, f->words->scale, &w) || w.kind != WHEN_TIME)
		return false;
	o->unit = NS_PER_S;
	fraction = strchr(text, '.');
	for (size_t i = 1; fraction && fraction[i] >= '0' && fraction[i] <= '9' && o->unit > 1; i++)
		o->unit /= 10;
	o->literal = (struct pl_value){.kind = PL_VALUE_INT, .integer = w.time_ns};
	return true;
}

static int fit_time(const struct fit *f, struct expr_operand *o)
{
	if (is_number(o)) {
		const double s = o->literal.kind == PL_VALUE_INT ? (double)o->literal.integer
								 : o->literal.real;
		if (!(s > -9e9 && s < 9e9))
			return refuse(f, o, "it is not a time: seconds since 1970");
		o->unit = o->literal.kind == PL_VALUE_INT ? NS_PER_S : 1;
		const int64_t ns = o->literal.kind == PL_VALUE_INT ? o->literal.integer * NS_PER_S
								   : (int64_t)(s * NS_PER_S);
		o->literal = (struct pl_value){.kind = PL_VALUE_INT, .integer = ns};
		return 0;
	}
	if (is_text(o) && read_time(f, o))
		return 0;
	return refuse(f, o, "it is not a time; say '2026-11-28 10:00:01.5', '10:00:01' or '+1.5'");
}

static int fit_duration(const struct fit *f, struct expr_operand *o)
{
	char text[64], room[64];
	struct tokens t = {.text = text, .room = room};
	struct token token;

	if (o->duration)
		return 0;
	if (is_text(o) && o->literal.text.length < sizeof text) {
		snprintf(
			text, sizeof text, "%.*s", (int)o->literal.text.length, o->literal.text.at);
		token_take(&t, &token);
		if (token.kind == TOKEN_DURATION && !text[token.end]) {
			o->literal =
				(struct pl_value){.kind = PL_VALUE_INT, .integer = token.integer};
			return 0;
		}
	}
	return refuse(f, o, "it is not a duration; say 5ms, 1.5s or 2m");
}

/* ---- words ---- */

static int fit_event(const struct fit *f, struct expr_operand *o)
{
	const char *words[PL_EVENT_KIND_COUNT + 1] = {0}, *nearest;
	char word[64];

	if (!is_text(o))
		return refuse(f, o, "an event is a text, such as 'call'");
	if (match_is_pattern(o->literal.text) || f->n->op == OP_LIKE)
		return 0;
	for (int k = 0; k < PL_EVENT_KIND_COUNT; k++) {
		words[k] = pl_event_kind_name((enum pl_event_kind)k);
		if (text_is(o->literal.text, words[k]))
			return 0;
	}
	snprintf(word, sizeof word, "%.*s",
		(int)(o->literal.text.length < 63 ? o->literal.text.length : 63),
		o->literal.text.at);
	nearest = nearest_word(word, words);
	return fault_say(f->e, f->fault, o->at, "no event is '%s'; %s%s%s", word,
		nearest ? "did you mean '" : "`pathline dump --help` lists them",
		nearest ? nearest : "", nearest ? "'?" : "");
}

static int compile(const struct fit *f, struct expr_operand *o)
{
	char pattern[EXPR_TEXT_MAX + 1], why[PATTERN_WHY_BYTES];

	if (!is_text(o))
		return refuse(f, o, "a regular expression is a text, such as '^a+'");
	if (f->e->regex_count == EXPR_REGEXES)
		return refuse(f, o, "there are too many regular expressions");
	snprintf(pattern, sizeof pattern, "%.*s", (int)o->literal.text.length, o->literal.text.at);
	struct pattern *compiled = calloc(1, sizeof *compiled);
	const int code = compiled ? pattern_read(compiled, pattern, false, why) : PL_ERR_MEMORY;
	if (code) {
		free(compiled);
		return code == PL_ERR_ARGUMENT ? refuse(f, o, why) : code;
	}
	f->e->regex_count++;
	o->pattern = compiled;
	return 0;
}

/* ---- fields ---- */

static int fit_literal(
	const struct fit *f, const struct expr_operand *field, struct expr_operand *o)
{
	const enum expr_op op = f->n->op;
	const bool texts = op == OP_LIKE || op == OP_MATCHES;
	int code = op == OP_MATCHES ? compile(f, o) : 0;

	if (code)
		return code;
	if (op == OP_LIKE && !is_text(o))
		return refuse(f, o, "like needs a text, such as 'a%'");
	if (field->apply == APPLY_LENGTH)
		return is_number(o) && !texts ? 0 : refuse(f, o, "a length is a number");
	if (o->duration && field->field != FIELD_DURATION)
		return refuse(f, o, "only the field duration has a unit");
	switch (field->apply == APPLY_TYPE ? FIELD_TYPE : field->field) {
	case FIELD_TIME:
		return texts ? refuse(f, o, "a time is compared with < and >") : fit_time(f, o);
	case FIELD_DURATION:
		return texts ? refuse(f, o, "a duration is compared with < and >")
			     : fit_duration(f, o);
	case FIELD_TID:
	case FIELD_PID:
	case FIELD_LINE:
	case FIELD_SEQ:
	case FIELD_DEPTH:
		return is_number(o) && !texts ? 0 : refuse(f, o, "it is compared with a number");
	case FIELD_EVENT:
		return is_order(op) ? refuse(f, o, "events have no order") : fit_event(f, o);
	case FIELD_MODULE:
	case FIELD_FILE:
	case FIELD_FUNC:
	case FIELD_ARG:
	case FIELD_TYPE:
		return is_text(o) && !is_order(op)
			       ? 0
			       : refuse(f, o, "it is compared with a text, by == != like ~ or in");
	case FIELD_THREAD:
	case FIELD_PROCESS:
		return is_text(o) || is_number(o) ? 0 : refuse(f, o, "say a number or a name");
	default:
		return 0;
	}
}

static const enum expr_op flipped[] = {
	[OP_EQ] = OP_EQ,
	[OP_NE] = OP_NE,
	[OP_LT] = OP_GT,
	[OP_LE] = OP_GE,
	[OP_GT] = OP_LT,
	[OP_GE] = OP_LE,
};

/* 10 < line -> line > 10 */
static int turn(const struct fit *f)
{
	if (f->n->op > OP_GE)
		return refuse(f, left_of(f), "what is compared stands first, then the pattern");
	const uint16_t left = f->n->left;
	f->n->op = flipped[f->n->op];
	f->n->left = f->n->right;
	f->n->right = left;
	return 0;
}

static bool is_value(const struct expr_operand *o)
{
	return o->apply || o->field == FIELD_ARGS || o->field == FIELD_VARIABLE ||
	       o->field == FIELD_VALUE || o->field == FIELD_RESULT || o->field == FIELD_EXCEPTION;
}

/* Two fields: both are values, or both are numbers of one kind. */
static int fit_fields(const struct fit *f, const struct expr_operand *right)
{
	const struct expr_operand *left = left_of(f);

	if (f->n->op == OP_IN)
		return is_value(right)
			       ? 0
			       : refuse(f, right, "only a value, or a list (…), has members");
	if (f->n->op > OP_GE)
		return refuse(f, right, "a pattern is a text");
	return left->field == right->field || (is_value(left) && is_value(right))
		       ? 0
		       : refuse(f, right, "it cannot be compared with that field");
}

static int fit_alone(const struct fit *f)
{
	const struct expr_operand *o = left_of(f);
	char why[96];

	if (o->kind == OPERAND_LITERAL)
		return refuse(f, o, "it compares nothing; say FIELD == VALUE");
	if (is_value(o) || o->field == FIELD_TASK)
		return 0;
	snprintf(why, sizeof why, "say what it is compared with, such as %s == …",
		field_word(o->field));
	return refuse(f, o, why);
}

int node_fit(struct expr *e, struct expr_node *n, const struct expr_words *words,
	struct expr_fault *fault)
{
	const struct fit f = {e, n, words, fault};
	int code = 0;

	if (n->op == OP_IS)
		return fit_alone(&f);
	if (left_of(&f)->kind == OPERAND_LITERAL && e->operands[n->right].kind == OPERAND_LITERAL)
		return refuse(&f, left_of(&f), "it compares no field");
	if (left_of(&f)->kind == OPERAND_LITERAL && n->op != OP_IN)
		code = turn(&f);
	struct expr_operand *right = &e->operands[n->right];
	if (code)
		return code;
	if (right->kind == OPERAND_LITERAL)
		return fit_literal(&f, left_of(&f), right);
	if (right->kind == OPERAND_FIELD)
		return fit_fields(&f, right);
	for (uint16_t i = 0; i < right->count && code == 0; i++)
		code = left_of(&f)->kind == OPERAND_LITERAL
			       ? refuse(&f, left_of(&f), "it compares no field")
			       : fit_literal(&f, left_of(&f), &e->operands[right->first + i]);
	return code;
}
