#include "collector/messages.h"

#include <stdio.h>

#include "bytecode/bytecode.h"
#include "collector/blocks.h"
#include "format/body.h"
#include "format/message.h"
#include "format/raw_code.h"
#include "pathline/event.h"

#define MESSAGE_HEAD   4
#define BODIES_AT_ONCE ((size_t)1 << 20)

/* What the recorder says is checked, and passed on into meta as records, in nearly the same form:
 * numbers are in range, texts are within the message. A message that is not valid is a loss, and
 * the next one is read. A length that is not valid ends the stream, because nobody knows where the
 * next message begins. */
struct message {
	uint32_t process; /* the sender */
	struct pl_view fields;
};

/* Written with what only the collector knows: the working directory, for a writer that continues
 * after a crash. */
static int read_process(struct collector *c, const struct message *m)
{
	struct pl_buf *b = &c->payload;
	struct process_word w;

	if (process_word_read(m->fields, &w) || w.number != m->process)
		return PL_ERR_FORMAT;
	const struct process *p = process_describe(c, &w);
	const char *directory = p ? p->directory : "";
	const struct pl_view texts[] = {w.command, w.executable, w.interpreter, w.stdlib_dir};
	buf_reset(b);
	buf_varint(b, w.number);
	buf_varint(b, w.parent);
	buf_varint(b, w.pid);
	buf_varint(b, w.how);
	buf_varint(b, w.ticks);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		buf_string(b, texts[i].at, texts[i].left);
	buf_string(b, directory, strlen(directory));
	store_put(&c->store, RECORD_PROCESS, b);
	return 0;
}

static int read_thread(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields, name;
	uint64_t number, native_id, ticks;
	struct pl_buf *b = &c->payload;

	if (view_varint_max(&v, UINT32_MAX - 1, &number) || view_varint(&v, &native_id) ||
		view_varint(&v, &ticks) || view_string(&v, &name))
		return PL_ERR_FORMAT;
	buf_reset(b);
	buf_varint(b, m->process);
	buf_varint(b, number);
	buf_varint(b, native_id);
	buf_varint(b, ticks);
	buf_string(b, name.at, name.left);
	store_put(&c->store, RECORD_THREAD, b);
	return 0;
}

static int read_thread_end(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields;
	uint64_t number, ticks, seq;
	struct pl_buf *b = &c->payload;

	if (view_varint_max(&v, UINT32_MAX - 1, &number) || view_varint(&v, &ticks) ||
		view_varint(&v, &seq))
		return PL_ERR_FORMAT;
	buf_reset(b);
	buf_varint(b, m->process);
	buf_varint(b, number);
	buf_varint(b, ticks);
	buf_varint(b, seq);
	store_put(&c->store, RECORD_THREAD_END, b);
	return 0;
}

/* Gathered, and written as one record when meta is flushed. */
static int read_string(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields, text;
	uint64_t number;

	if (view_varint_max(&v, UINT32_MAX, &number) || view_string(&v, &text))
		return PL_ERR_FORMAT;
	buf_varint(&c->strings, number);
	buf_string(&c->strings, text.at, text.left);
	return 0;
}

static struct text_place place_of(const struct collector *c, uint32_t number)
{
	const struct process *p = processes_find(&c->processes, number);

	return (struct text_place){
		.pid = p ? (int)p->pid : 0, .stdlib_dir = p ? p->stdlib_dir : ""};
}

/* What is said of a code besides its body. */
struct code_word {
	uint32_t number, unit;
	bool left_out; /* its text is not requested */
};

static int add_body(struct collector *c, const struct code_word *w, struct pl_view bytes)
{
	struct pl_view head = bytes, file; /* a body begins with its file */

	if (view_string(&head, &file))
		return PL_ERR_FORMAT;
	uint32_t text = w->left_out ? 0 : source_texts_number(&c->texts, &c->store, w->unit, file);
	bodies_add(&c->bodies, w->number, text, bytes);
	if (c->bodies.records.used > BODIES_AT_ONCE)
		bodies_flush(&c->bodies, &c->store);
	return 0;
}

static int read_code(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields, bytes;
	uint64_t number, left_out, unit;

	if (view_varint_max(&v, UINT32_MAX, &number) || view_string(&v, &bytes) ||
		view_varint(&v, &left_out) || view_varint_max(&v, UINT32_MAX, &unit))
		return PL_ERR_FORMAT;
	return add_body(
		c, &(struct code_word){(uint32_t)number, (uint32_t)unit, left_out != 0}, bytes);
}

/* The recorder has no graph of this code, so the graph is made here. */
static int read_raw_code(struct collector *c, const struct message *m)
{
	struct raw_code r;
	const char *why;

	if (raw_code_read(m->fields, &r))
		return PL_ERR_FORMAT;
	struct bytecode parts = {.version = r.version,
		.code = r.code,
		.line_table = r.line_table,
		.first_line = r.first_line,
		.flags = r.flags};
	struct body body = {.file = r.file,
		.name = r.name,
		.first_line = r.first_line,
		.flags = r.flags,
		.version = r.version,
		.arguments = r.arguments};
	int err = bytecode_graph(&parts, &body.graph, &why);
	if (err == 0) {
		buf_reset(&c->payload);
		body_write(&c->payload, &body);
		err = c->payload.failed ? PL_ERR_MEMORY
					: add_body(c, &(struct code_word){r.number, r.unit, false},
						  buf_view(&c->payload));
	}
	body_release(&body);
	return err;
}

static int read_source_text(struct collector *c, const struct message *m)
{
	struct text_place place = place_of(c, m->process);
	struct code_text t;

	if (code_text_read(m->fields, &t))
		return PL_ERR_FORMAT;
	source_texts_open(&c->texts, &c->store, &place, &t);
	return 0;
}

/* What went wrong in the recorder: a loss of its process. */
static int read_note(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields, text;
	char words[256];
	uint64_t reason;

	if (view_varint(&v, &reason) || view_string(&v, &text))
		return PL_ERR_FORMAT;
	snprintf(words, sizeof words, "%.*s", (int)(text.left > 255 ? 255 : text.left),
		(const char *)text.at);
	collector_lose(
		c, &(struct loss){.process = m->process,
			   .reason = reason < PL_GAP_REASON_COUNT ? (int)reason : PL_GAP_UNKNOWN,
			   .text = words});
	return 0;
}

static int read_code_free(struct collector *c, const struct message *m)
{
	struct pl_view v = m->fields;
	uint64_t number;

	if (view_varint_max(&v, UINT32_MAX, &number))
		return PL_ERR_FORMAT;
	bodies_free_code(&c->bodies, (uint32_t)number);
	return 0;
}

static int read_fields(struct collector *c, uint8_t kind, const struct message *m)
{
	switch (kind) {
	case MESSAGE_PROCESS:
		return read_process(c, m);
	case MESSAGE_THREAD:
		return read_thread(c, m);
	case MESSAGE_THREAD_END:
		return read_thread_end(c, m);
	case MESSAGE_STRING:
		return read_string(c, m);
	case MESSAGE_CODE:
		return read_code(c, m);
	case MESSAGE_CODE_RAW:
		return read_raw_code(c, m);
	case MESSAGE_TEXT:
		return read_source_text(c, m);
	case MESSAGE_NOTE:
		return read_note(c, m);
	case MESSAGE_CODE_FREE:
		return read_code_free(c, m);
	default: /* from a later version of the recorder */
		return 0;
	}
}

/* Copy n bytes from `at` on, across chunks; false: they have not all been seen yet. */
static bool copy_bytes(struct collector *c, const struct stream *t, uint64_t at, size_t n)
{
	const struct held_chunk *h;
	struct pl_view part;

	buf_reset(&c->bytes);
	if (t->position + stream_pending(t) < at + n)
		return false;
	while (c->bytes.used < n && stream_part(t, &c->arena, at + c->bytes.used, &h, &part)) {
		size_t want = n - c->bytes.used;
		buf_put(&c->bytes, part.at, part.left < want ? part.left : want);
	}
	return c->bytes.used == n && !c->bytes.failed;
}

static void refuse_message(
	struct collector *c, struct stream *t, enum pl_gap_reason reason, const char *why)
{
	t->broken = true;
	collector_lose(c, &(struct loss){.process = t->process, .reason = reason, .text = why});
}

/* Read the message at `at`: 0, and `at` is after it; PL_END: it is not complete yet; PL_ERR_FORMAT:
 * what follows cannot be trusted. */
static int read_one(struct collector *c, struct stream *t, uint64_t *at)
{
	struct message m = {.process = t->process};
	uint32_t bytes;
	uint8_t kind = 0;

	if (!copy_bytes(c, t, *at, MESSAGE_HEAD))
		return PL_END;
	memcpy(&bytes, c->bytes.at, sizeof bytes);
	if (!bytes || bytes > MESSAGE_BYTES_MAX)
		return PL_ERR_FORMAT;
	if (!copy_bytes(c, t, *at + MESSAGE_HEAD, bytes))
		return PL_END;
	m.fields = buf_view(&c->bytes);
	view_u8(&m.fields, &kind);
	*at += MESSAGE_HEAD + (uint64_t)bytes;
	if (read_fields(c, kind, &m) < 0)
		collector_lose(c, &(struct loss){.process = t->process,
					  .reason = PL_GAP_DAMAGED,
					  .text = "a message of the recorder makes no sense"});
	return 0;
}

/* Where reading starts: a finisher begins after the message that the previous chunk had begun. */
static uint64_t first_message(const struct collector *c, struct stream *t)
{
	if (t->any_order && t->count) {
		const struct held_chunk *h = &t->chunks[0];
		uint32_t skip = arena_chunk(&c->arena, h->index)->skip;
		t->next_order = h->order;
		t->any_order = false;
		t->position = h->stream_bytes + (skip <= CHUNK_ROOM ? skip : 0);
	}
	return t->position;
}

/* Everything that messages led to is on disk afterwards: texts and bodies before the blocks that
 * name them. */
static void flush_messages(struct collector *c)
{
	source_texts_flush(&c->texts, &c->store);
	bodies_flush(&c->bodies, &c->store);
	if (c->strings.used)
		store_put(&c->store, RECORD_STRINGS, &c->strings);
	buf_reset(&c->strings);
	blocks_make_room(c, 0);
	store_flush(&c->store);
}

/* As with events, chunks are given back when meta is on disk. */
void messages_read(struct collector *c)
{
	bool any = false;

	/* A process that forked comes before its children. */
	for (uint32_t i = 0; i < c->streams.message_count; i++) {
		struct stream *t = c->streams.messages[i];
		if (!t->count)
			continue;
		uint64_t at = first_message(c, t);
		int err = t->broken ? PL_END : 0;
		while (err == 0)
			err = read_one(c, t, &at);
		if (err < 0)
			refuse_message(c, t, PL_GAP_DAMAGED,
				"the recorder's messages are damaged: names may be missing");
		if (t->broken)
			at = t->position + stream_pending(t);
		any |= at != t->position;
		t->read_to = at;
	}
	if (!any)
		return;
	flush_messages(c);
	for (uint32_t i = 0; i < c->streams.message_count; i++) {
		struct stream *t = c->streams.messages[i];
		if (t->count && t->read_to != t->position)
			stream_done(&c->streams, t, &c->arena, t->read_to);
	}
}

void messages_end(struct collector *c, struct stream *t)
{
	if (stream_pending(t) && !t->broken)
		refuse_message(
			c, t, PL_GAP_KILLED, "the recorder was killed in the middle of a message");
	stream_drop(&c->streams, t, &c->arena);
}
