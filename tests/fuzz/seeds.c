/* Write first inputs for the fuzzer of the reader. usage: seeds DIRECTORY [RECORDING…]
 *
 * One is made by hand and has every kind of record and event; the others are real recordings whose meta fits the
 * input's length field. */
#include <errno.h>
#include <stdio.h>
#include "format/samples.h"
#include "format/source_events.h"
#include "tests/lib/recording.h"

static void put_input(
	const char *directory, int number, const struct pl_buf *meta, const struct pl_buf *events)
{
	char path[4096];
	const uint8_t length[2] = {(uint8_t)meta->used, (uint8_t)(meta->used >> 8)};

	snprintf(path, sizeof path, "%s/seed-%d", directory, number);
	FILE *f = fopen(path, "wb");
	if (!f)
		return;
	fwrite(length, 1, sizeof length, f);
	fwrite(meta->at, 1, meta->used, f);
	fwrite(events->at, 1, events->used, f);
	fclose(f);
}

/* One begins, is left and goes on; a block opens in it. */
static void make_greenlet(struct maker *m, struct maker_thread *t)
{
	maker_event1(t, EVENT_GREENLET, 1);
	maker_enter(t, EVENT_NO_SITE, 20);
	maker_done(t, event_write_text(maker_room(t), EVENT_TASK, "Greenlet-1", 10));
	maker_event1(t, EVENT_GREENLET, 0);
	maker_event3(t, EVENT_LINK | EVENT_BACK, 10, 0, 2);
	maker_line(t, 1);
	maker_event1(t, EVENT_GREENLET, 1);
	maker_event3(t, EVENT_LINK | EVENT_BACK | EVENT_MOVED, 20, 0, 2);
	maker_cut(m, t);
	maker_line(t, 1);
	maker_event1(t, EVENT_AGAIN, 6);
	maker_event1(t, EVENT_AGAIN | EVENT_OPEN, 6);
	maker_done(t, event_write0(maker_room(t), EVENT_UNWIND));
	maker_event1(t, EVENT_GREENLET, 0);
	maker_event3(t, EVENT_LINK | EVENT_BACK, 10, 0, 6);
}

/* A trace function is called, which calls. The top frame is of code 10. */
static void make_hidden(struct maker_thread *t)
{
	maker_event3(t, EVENT_LINK | EVENT_HIDDEN, 20, 0, EVENT_NO_UNIT);
	maker_enter(t, 2, 10);
	maker_line(t, 0);
	maker_event1(t, EVENT_POPS, 2);
}

/* Code that is left out calls, and waits of an event loop. The top frame is of code 10. */
static void make_outside(struct maker_thread *t)
{
	maker_event1(t, EVENT_AT, 3);
	maker_done(t, event_write_outside(maker_room(t), 3, 20));
	maker_done(t, event_write_outside(maker_room(t), 2, 20));
	maker_event2(t, EVENT_IDLE, 40, 500);
	maker_event1(t, EVENT_TIME, 700);
	maker_enter(t, 2, 10);
	maker_line(t, 0);
	maker_event1(t, EVENT_POPS, 3);
}

/* | flags | [1] | Point(x='a') | SEEN | */
static const char values[] = "\0\14\1\1\4\2\0\34\5Point\22\2\1\1x\10\1\1a\0\35\1";

/* | all | left = 3, name = 'b', gone: not bound | */
static const char variables[] = "\2\4left\4\6\4name\10\1\1b\4gone\37";

static void make_variables(struct maker_thread *t)
{
	maker_done(t, event_write_further(
			      maker_room(t), EVENT_VARIABLES, variables, sizeof variables - 1));
}

static void make_thread(struct maker *m, uint32_t number)
{
	const struct event_resume resumed = {.site = 2, .code = 20, .gen = 7, .unit = 3};
	struct maker_thread *t = maker_thread(m, number);

	maker_switch(t, number + 1);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	make_outside(t);
	make_hidden(t);
	make_variables(t);
	maker_further(t, 40, "a value");
	maker_done(t, event_write_further(maker_room(t), EVENT_VALUES, values, sizeof values - 1));
	maker_further(t, 63, "");
	maker_event2(t, EVENT_LINE_AT, 3, 77);
	maker_done(t, event_write_enter(maker_room(t), 2, 20, 7));
	maker_done(t, event_write_text(maker_room(t), EVENT_TASK, "Task-1", 6));
	maker_event1(t, EVENT_TIME, 30);
	maker_event1(t, EVENT_SUSPEND, 2);
	maker_done(t, event_write_task(maker_room(t), 3, "Task-3", 6));
	maker_cut(m, t);
	maker_done(t, event_write_resume(maker_room(t), EVENT_RESUME, &resumed));
	maker_event2(t, EVENT_RAISE, 2, 5);
	maker_event2(t, EVENT_HANDLED, 6, 5);
	maker_event3(t, EVENT_RERAISE, 6, 2, 5);
	maker_done(t, event_write0(maker_room(t), EVENT_UNWIND));
	maker_done(t, event_write_resume(maker_room(t), EVENT_THROW, &resumed));
	maker_event3(t, EVENT_LINK, 20, 9, 2);
	maker_event1(t, EVENT_POPS, 2);
	maker_done(t, event_write_text(maker_room(t), EVENT_MARK, "here", 4));
	maker_event2(t, EVENT_GAP, PL_GAP_FULL, 9);
	make_greenlet(m, t);
	maker_event1(t, EVENT_LEAVE, 6);
	maker_event2(t, EVENT_STOP, 11, 0);
	maker_cut(m, t);
	maker_thread_end(m, t);
}

/* Of two threads, and one that only says that nobody was let look. */
static void make_samples(struct maker *m)
{
	struct samples_head head = {
		.process = 1, .count = 2, .open_ticks = 20, .close_ticks = 60, .dropped = 1};
	const struct sample runs = {.weight = 1, .ticks = 20, .body = 2, .unit = 3};
	const struct sample waits = {
		.thread = 1, .weight = 9, .ticks = 60, .body = 3, .unit = 2, .waiting = true};
	struct pl_buf rows = {0}, payload = {0};

	sample_write(&rows, &runs, head.open_ticks);
	sample_write(&rows, &waits, runs.ticks);
	samples_write(&payload, &head, buf_view(&rows));
	record_write(&m->segments[0], RECORD_SAMPLES, buf_view(&payload), NULL, 0);
	buf_reset(&rows);
	buf_reset(&payload);
	head = (struct samples_head){
		.process = 1, .open_ticks = 60, .close_ticks = 60, .refused = EPERM};
	samples_write(&payload, &head, buf_view(&rows));
	record_write(&m->segments[0], RECORD_SAMPLES, buf_view(&payload), NULL, 0);
	buf_release(&rows);
	buf_release(&payload);
}

/* A source, a kind with fields of each type, and rows of it and of one that is not described. */
static void make_sources(struct maker *m)
{
	static const struct source_value_name names[] = {{1, "one"}, {-2, "ENOENT"}};
	static const struct source_field fields[] = {{"name", "", PL_FIELD_UNSIGNED, names, 2},
		{"result", "", PL_FIELD_SIGNED, names, 2},
		{"duration", "ticks", PL_FIELD_UNSIGNED, NULL, 0},
		{"file", "", PL_FIELD_TEXT, NULL, 0}};
	static const struct source_kind kind = {"syscall", "a system call", fields, 4};
	const struct pl_event_source source = {.number = 1, .name = "kernel", .text = ""};
	struct source_head head = {
		.source = 1, .process = 1, .pid = 7, .count = 2, .close_ticks = 60};
	struct source_row row = {
		.kind = 1, .native_id = 9000, .ticks = 30, .fields = view_of("\1\3\144\1f", 5)};
	const struct source_row first = {0}, before = row;
	struct pl_buf b = {0}, rows = {0}, payload = {0};

	event_source_write(&b, &source);
	maker_meta(m, RECORD_EVENT_SOURCE, &b);
	b = (struct pl_buf){0};
	event_kind_write(&b, 1, 1, &kind);
	maker_meta(m, RECORD_EVENT_KIND, &b);
	b = (struct pl_buf){0};
	event_names_write(&b, 1, 0, 1, view_of("\6\3one", 5));
	maker_meta(m, RECORD_EVENT_NAMES, &b);
	source_row_write(&rows, &row, &first);
	row.kind = 2;
	source_row_write(&rows, &row, &before);
	source_events_write(&payload, &head, buf_view(&rows));
	record_write(&m->segments[0], RECORD_SOURCE_EVENTS, buf_view(&payload), NULL, 0);
	buf_release(&rows);
	buf_release(&payload);
}

static void make_costs(struct maker *m)
{
	struct pl_buf b = {0};

	buf_varint(&b, 5000);
	buf_varint(&b, PL_EVENT_KIND_COUNT);
	for (uint64_t body = 0; body < 3; body++) {
		buf_varint(&b, body);
		for (uint64_t kind = 0; kind < PL_EVENT_KIND_COUNT; kind++)
			buf_varint(&b, body * kind);
	}
	maker_meta(m, RECORD_COSTS, &b);
}

static void make_by_hand(struct maker *m)
{
	struct pl_buf b = {0};

	maker_init(m);
	m->source = 1;
	maker_body(m, 1, "main", 1, 3);
	m->source = 0;
	maker_body(m, 2, "f", 10, 3);
	maker_string(m, 5, "ValueError");
	buf_varint(&b, 0);
	maker_text(&b, "a.py");
	maker_text(&b, "");
	maker_text(&b, "one\ntwo\nthree\n");
	maker_meta(m, RECORD_SOURCE, &b);
	make_thread(m, 0);
	make_thread(m, 1);
	make_samples(m);
	make_sources(m);
	make_costs(m);
	MAKER_NUMBERS(m, RECORD_LOSS, "why", 1, 0, 3, 100, PL_GAP_FULL, 9);
	MAKER_NUMBERS(m, RECORD_EVICTED, NULL, 1);
	maker_process_end(m, PL_PROCESS_SIGNALED, 11);
	maker_end(m);
}

static bool read_file(const char *directory, uint32_t file, struct pl_buf *out)
{
	struct files *files;
	uint64_t bytes;

	if (files_open_directory(&files, directory, NULL))
		return false;
	bool got = files->ops->size(files, file, &bytes, NULL) == 0 && bytes <= UINT16_MAX &&
		   files->ops->read(files, (struct span){.file = file, .length = (size_t)bytes},
			   out, NULL) == 0;
	files->ops->close(files);
	return got;
}

int main(int argc, char **argv)
{
	struct maker m;

	if (argc < 2)
		return 2;
	make_by_hand(&m);
	put_input(argv[1], 0, &m.meta, &m.segments[0]);
	maker_release(&m);
	for (int i = 2; i < argc; i++) {
		struct pl_buf meta = {0}, events = {0};
		if (read_file(argv[i], FILE_META, &meta) && read_file(argv[i], 1, &events))
			put_input(argv[1], i - 1, &meta, &events);
		buf_release(&meta);
		buf_release(&events);
	}
	return 0;
}
