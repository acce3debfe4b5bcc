#define _GNU_SOURCE
#include "cmd/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/select.h"
#include "cmd/values.h"

/* The event does not have this number. */
#define NONE INT64_MIN

/* ---- codes ---- */

/* Into w->scratch, as the form of the rows needs it. */
static void escape(struct rows *w, struct text t)
{
	if (w->json)
		out_json(&w->scratch, t);
	else
		out_field(&w->scratch, t);
}

/* Longer texts are not kept; escaping may make six bytes of one. */
#define KEPT_BYTES (OUT_BYTES / 16)

/* File and name of a code, escaped once for all rows that show them. false: it is too long, or
 * there is no memory. */
static bool remember_code(struct rows *w, struct row_code *kept, const struct pl_code *code)
{
	struct text file = text_of(pl_code_file(code)), name = text_of(pl_code_name(code));

	free(kept->texts);
	*kept = (struct row_code){.code = NULL};
	w->scratch.used = 0;
	if (file.length > KEPT_BYTES || name.length > KEPT_BYTES)
		return false;
	escape(w, file);
	file.length = w->scratch.used;
	escape(w, name);
	name.length = w->scratch.used - file.length;
	kept->texts = malloc(w->scratch.used + 1);
	if (!kept->texts)
		return false;
	memcpy(kept->texts, w->scratch.bytes, w->scratch.used);
	kept->file = (struct text){.at = kept->texts, .length = file.length};
	kept->name = (struct text){.at = kept->texts + file.length, .length = name.length};
	kept->code = code;
	return true;
}

/* NULL: it is not kept, and must be escaped now. */
static const struct row_code *row_code(struct rows *w, const struct pl_code *code)
{
	uint64_t hash = (uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15u;
	struct row_code *kept = &w->codes[hash >> 52];

	return kept->code == code || remember_code(w, kept, code) ? kept : NULL;
}
_Static_assert(ROW_CODES == 1u << 12, "row_code takes the top 12 bits of the hash");

/* ---- fields ---- */

/* A field is a number, a text, a text that is already escaped, or values. plain: its text is
 * written as it is, and in JSON without quotes, like a number. */
struct field {
	const char *name;
	int64_t (*number)(struct rows *w, const struct pl_event *e);
	struct text (*text)(struct rows *w, const struct pl_event *e);
	void (*code_text)(struct rows *w, const struct pl_event *e); /* escapes the text itself */
	bool plain;
	uint32_t values_of; /* events of these kinds have it: 1 << enum pl_event_kind */
	bool variables;	    /* it is of the frame's variables */
	const char *help;
};

#define OF(kind) (1u << PL_EVENT_##kind)
#define OF_ALL	 UINT32_MAX

static int64_t field_pid(struct rows *w, const struct pl_event *e)
{
	(void)e;
	return w->process ? (int64_t)w->process->pid : NONE;
}

static int64_t field_tid(struct rows *w, const struct pl_event *e)
{
	(void)e;
	return w->thread ? (int64_t)w->thread->native_id : NONE;
}

static struct text field_name(struct rows *w, const struct pl_event *e)
{
	(void)e;
	return text_of(w->thread ? w->thread->name : NULL);
}

static struct text field_event(struct rows *w, const struct pl_event *e)
{
	(void)w;
	return text_of(pl_event_kind_name(e->kind));
}

/* Into the output: tabs and newlines would end a field or row, quotes a string of JSON. */
static void put_escaped(struct rows *w, struct text t)
{
	if (w->json)
		out_json(w->out, t);
	else
		out_field(w->out, t);
}

static void field_file(struct rows *w, const struct pl_event *e)
{
	const struct row_code *kept = row_code(w, e->code);

	if (kept)
		out_put(w->out, kept->file.at, kept->file.length);
	else
		put_escaped(w, text_of(pl_code_file(e->code)));
}

static void field_code(struct rows *w, const struct pl_event *e)
{
	const struct row_code *kept = row_code(w, e->code);

	if (kept)
		out_put(w->out, kept->name.at, kept->name.length);
	else
		put_escaped(w, text_of(pl_code_name(e->code)));
}

static int64_t field_first(struct rows *w, const struct pl_event *e)
{
	(void)w;
	return e->code ? pl_code_first_line(e->code) : NONE;
}

/* Rows between two stamps have the same time: its text is kept. */
static struct text field_time(struct rows *w, const struct pl_event *e)
{
	if (!w->time_length || w->time_ns != e->time_ns) {
		w->scratch.used = 0;
		out_seconds(&w->scratch, e->time_ns);
		memcpy(w->time_text, w->scratch.bytes, w->scratch.used);
		w->time_length = w->scratch.used;
		w->time_ns = e->time_ns;
	}
	return (struct text){.at = w->time_text, .length = w->time_length};
}

static struct text field_task(struct rows *w, const struct pl_event *e)
{
	(void)w;
	return text_of(e->task);
}

static struct text field_type(struct rows *w, const struct pl_event *e)
{
	(void)w;
	return text_of(e->type);
}

/* Only rows of lines have a text: a call or return would repeat that of its line. */
static struct text field_source(struct rows *w, const struct pl_event *e)
{
	struct pl_text t;

	if ((e->kind != PL_EVENT_LINE && e->kind != PL_EVENT_AGAIN) ||
		pl_source_line(w->r, e->code, e->line, &t, NULL) < 0)
		return (struct text){0};
	return (struct text){.at = t.at, .length = t.length};
}

#define NUMBER(field, value)                                                                       \
	static int64_t field_##field(struct rows *w, const struct pl_event *e)                     \
	{                                                                                          \
		(void)w;                                                                           \
		return (int64_t)(value);                                                           \
	}
NUMBER(seq, e->seq)
NUMBER(line, e->line)
NUMBER(depth, e->depth)
NUMBER(process, e->position.process)
NUMBER(thread, e->position.thread)
NUMBER(block, e->position.block)
NUMBER(event_number, e->position.event)
NUMBER(order, e->order)
NUMBER(task_id, e->task_id ? (int64_t)e->task_id : NONE)
NUMBER(order_from, e->order_from)
NUMBER(error, e->time_error_ns)
NUMBER(idle, e->idle_ns ? e->idle_ns : NONE)
NUMBER(caller, e->caller_line)
NUMBER(generator, e->generator)
NUMBER(greenlet, e->greenlet)
NUMBER(offset, e->offset == UINT32_MAX ? NONE : (int64_t)e->offset)
NUMBER(lost, e->kind == PL_EVENT_GAP ? (int64_t)e->lost : NONE)
#undef NUMBER

/* All fields, in the order of a row without --fields. Help, completion and errors are made from
 * this table. A name here is an interface: it stays. */
static const struct field fields[] = {
	{"pid", .number = field_pid, .help = "process id"},
	{"tid", .number = field_tid, .help = "thread id, as gettid(2) gave it"},
	{"seq", .number = field_seq, .help = "counts the thread's events from 0"},
	{"event", .text = field_event, .help = "call, line, return …"},
	{"file", .code_text = field_file, .help = "co_filename"},
	{"first", .number = field_first, .help = "co_firstlineno"},
	{"code", .code_text = field_code, .help = "co_qualname"},
	{"line", .number = field_line, .help = "where the frame stands, 0: no line"},
	{"depth", .number = field_depth, .help = "frames below it"},
	{"time", .text = field_time, .plain = true, .help = "seconds since 1970, nine decimals"},
	{"task", .text = field_task, .help = "name of the task: of asyncio, trio, or a greenlet"},
	{"task_id", .number = field_task_id,
		.help = "number of the task in its process, from 1; empty outside of tasks"},
	{"type", .text = field_type, .help = "the exception's type; the reason of a gap"},
	{"source", .text = field_source, .help = "line: its text, as it ran"},
	{"process", .number = field_process, .help = "number in the recording, from 1"},
	{"thread", .number = field_thread, .help = "number in its process, from 0"},
	{"name", .text = field_name, .help = "the thread's name"},
	{"block", .number = field_block, .help = "number in its thread, from 0"},
	{"event_number", .number = field_event_number, .help = "number in its block, from 0"},
	{"order", .number = field_order, .help = "number of the last switch of threads before it"},
	{"order_from", .number = field_order_from,
		.help = "the earliest that order can be; mostly the same"},
	{"error", .number = field_error,
		.help = "the event was at time, or up to so many ns later; 2^63-1: not known"},
	{"idle", .number = field_idle,
		.help = "ns that the thread's event loop waited before it, with nothing to do"},
	{"caller", .number = field_caller,
		.help = "call, resume, throw, outside: the caller's line"},
	{"generator", .number = field_generator, .help = "identity of a generator or coroutine"},
	{"greenlet", .number = field_greenlet,
		.help = "number of the greenlet whose stack has the frame; 0: the thread's own "
			"stack"},
	{"offset", .number = field_offset, .help = "code unit in the code"},
	{"lost", .number = field_lost, .help = "gap: how many events, 0: not known"},
	{"values", .values_of = OF_ALL, .help = "all values of the event, if they were kept"},
	{"args", .values_of = OF(CALL), .help = "call: its arguments"},
	{"result", .values_of = OF(RETURN) | OF(YIELD), .help = "return, yield: the value"},
	{"sent", .values_of = OF(RESUME), .help = "resume: what was sent"},
	{"exception", .values_of = OF(RAISE) | OF(THROW) | OF(RERAISE),
		.help = "raise, throw, reraise: the exception"},
	{"changed", .values_of = OF_ALL, .variables = true,
		.help = "variables that the frame's last line has changed"},
};
#define FIELDS (sizeof fields / sizeof *fields)
_Static_assert(FIELDS <= ROW_FIELDS_MAX, "all fields fit into a row");

/* For `dump --help`: each field and what it means. */
void rows_help(char help[ROW_HELP_BYTES])
{
	size_t used = (size_t)snprintf(help, ROW_HELP_BYTES, "tab-separated rows of these fields:");

	for (size_t i = 0; i < FIELDS && used < ROW_HELP_BYTES; i++)
		used += (size_t)snprintf(help + used, ROW_HELP_BYTES - used, "\n%-12s %s",
			fields[i].name, fields[i].help);
}

/* For completions, which are made from the table of options. */
void rows_words(char words[ROW_HELP_BYTES])
{
	size_t used = 0;

	for (size_t i = 0; i < FIELDS && used < ROW_HELP_BYTES; i++)
		used += (size_t)snprintf(
			words + used, ROW_HELP_BYTES - used, "%s%s", i ? " " : "", fields[i].name);
}

/* ---- rows ---- */

static void take_field(struct rows *w, const struct field *f)
{
	w->fields[w->count++] = f;
	w->wants_values |= f->values_of != 0;
}

/* A field can be asked for twice; it is then written twice. */
static int add_field(struct rows *w, const char *word, size_t length)
{
	const char *names[FIELDS + 1] = {0};
	char copy[64];

	if (w->count == ROW_FIELDS_MAX) {
		cmd_say("dump: at most %d fields", ROW_FIELDS_MAX);
		return CMD_USAGE;
	}
	for (size_t i = 0; i < FIELDS; i++) {
		names[i] = fields[i].name;
		if (strlen(names[i]) == length && !memcmp(names[i], word, length)) {
			take_field(w, &fields[i]);
			return CMD_GO;
		}
	}
	snprintf(copy, sizeof copy, "%.*s", (int)length, word);
	return cmd_unknown("dump", "field", copy, names);
}

/* Without --fields all of them, in their order. */
static int choose_fields(struct rows *w, const char *list)
{
	const char *word;
	size_t length;
	int code = CMD_GO;

	const bool with_values = !list && values_there(w->r);

	for (size_t i = 0; !list && i < FIELDS; i++)
		if (with_values || !fields[i].values_of)
			take_field(w, &fields[i]);
	while (list && code == CMD_GO && list_next(&list, &word, &length))
		code = add_field(w, word, length);
	if (code == CMD_GO && !w->count) {
		cmd_say("dump: --fields needs at least one field");
		code = CMD_USAGE;
	}
	return code;
}

int rows_init(struct rows *w, struct out *out, struct pl_recording *r, const char *list, bool json)
{
	*w = (struct rows){.out = out, .r = r, .json = json};
	int code = choose_fields(w, list);
	if (code != CMD_GO)
		return code;
	w->codes = calloc(ROW_CODES, sizeof *w->codes);
	if (w->codes && out_init(&w->scratch, -1, false) == 0)
		return CMD_GO;
	rows_release(w);
	cmd_say("dump: no memory for its output");
	return CMD_BAD;
}

void rows_release(struct rows *w)
{
	for (size_t i = 0; w->codes && i < ROW_CODES; i++)
		free(w->codes[i].texts);
	free(w->codes);
	w->scratch.used = 0;
	if (w->scratch.bytes)
		out_release(&w->scratch);
	*w = (struct rows){.out = NULL};
}

/* Process and thread of the row, looked up only when they change: rows of one thread follow each
 * other in long runs. */
static void rows_follow(struct rows *w, const struct pl_position *p)
{
	if (!w->process || w->process->number != p->process) {
		w->process = pl_recording_find_process(w->r, p->process);
		w->thread = NULL;
	}
	if (!w->thread || w->thread->number != p->thread)
		w->thread = pl_recording_thread(w->r, p->process, p->thread);
}

/* A number that is not there is empty, or null. */
static void write_number(struct rows *w, int64_t v)
{
	if (v != NONE)
		out_i64(w->out, v);
	else if (w->json)
		out_put(w->out, "null", 4);
}

/* As text; in JSON see row_json. */
static void write_values(struct rows *w, const struct field *f, const struct pl_event *e)
{
	char text[VALUES_TEXT_BYTES];

	if (!(f->values_of >> e->kind & 1))
		return;
	const size_t length = f->variables ? variables_text(e, text, sizeof text)
					   : values_text(e, text, sizeof text);
	put_escaped(w, (struct text){.at = text, .length = length});
}

static void json_values(struct json *j, const struct field *f, const struct pl_event *e)
{
	if (!(f->values_of >> e->kind & 1))
		json_null(j, f->name);
	else if (f->variables)
		variables_json(j, f->name, e);
	else if (f->values_of == OF_ALL || f->values_of == OF(CALL))
		values_json_all(j, f->name, e);
	else
		values_json_one(j, f->name, e);
}

/* What is not there is empty, and in JSON null. */
static void write_field(struct rows *w, const struct field *f, const struct pl_event *e)
{
	if (f->number) {
		write_number(w, f->number(w, e));
		return;
	}
	if (f->values_of) {
		write_values(w, f, e);
		return;
	}
	struct text t = {0};
	bool there = e->code != NULL;
	if (f->text) {
		t = f->text(w, e);
		there = t.at != NULL;
	}
	if (!there) {
		write_number(w, NONE);
		return;
	}
	if (w->json && !f->plain)
		out_char(w->out, '"');
	if (f->text && f->plain)
		out_put(w->out, t.at, t.length);
	else if (f->text)
		put_escaped(w, t);
	else
		f->code_text(w, e);
	if (w->json && !f->plain)
		out_char(w->out, '"');
}

static void row_json(struct rows *w, const struct pl_event *e)
{
	struct json j = {.out = w->out};

	json_line(&j, "event");
	for (size_t i = 0; i < w->count; i++) {
		if (w->fields[i]->values_of) {
			json_values(&j, w->fields[i], e);
			continue;
		}
		json_key(&j, w->fields[i]->name);
		write_field(w, w->fields[i], e);
	}
	json_line_end(&j);
}

/* A row of fields separated by tabs, or one JSON object. */
void rows_write(struct rows *w, const struct pl_event *e)
{
	rows_follow(w, &e->position);
	if (w->json) {
		row_json(w, e);
		return;
	}
	for (size_t i = 0; i < w->count; i++) {
		if (i)
			out_char(w->out, '\t');
		write_field(w, w->fields[i], e);
	}
	out_char(w->out, '\n');
}
