#define _GNU_SOURCE
#include "collector/finish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collector/about.h"
#include "collector/blocks.h"
#include "collector/collector.h"
#include "collector/guard.h"
#include "format/block.h"
#include "format/message.h"
#include "os/file.h"
#include "pathline/event.h"

#define SHM "/dev/shm"

/* How a collector's state is rebuilt:
 *
 *   meta               -> directory, processes, bodies, codes, sources, units         load_meta
 *   the arena          -> streams and their chunks, from wherever they begin there    streams_look
 *   each thread's last
 *   block on disk      -> its stack, seq, times, order; the stream's position         load_blocks
 *   chunks before that -> are given back                                          settle_streams
 *
 * Then ordinary rounds follow. The finisher may be killed at any time too: it does only what the
 * collector would have done, and the next finisher begins again.
 */

/* ---- files of the recording, as bytes ---- */

/* A copy, not a mapping: see file_read. Empty if the file does not exist or cannot be read. */
static struct pl_view read_file(int directory_fd, const char *name, struct pl_buf *room)
{
	int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	buf_reset(room);
	if (fd < 0)
		return buf_view(room);
	if (file_read(fd, SIZE_MAX - 1, room) < 0)
		buf_reset(room);
	close(fd);
	return buf_view(room);
}

static void skip(struct pl_view *v, size_t n)
{
	v->at += n;
	v->left -= n;
}

/* The next intact record; false: no more. */
static bool next_record(struct pl_view *v, struct record *r)
{
	bool cut;

	while (v->left) {
		if (record_read(v, r, &cut) == 0)
			return true;
		skip(v, record_resync(*v));
	}
	return false;
}

/* ---- what the dead collector knew ---- */

static void load_header(struct collector *c, struct pl_view v)
{
	static const char word[] = "directory";
	struct pl_view key, value;
	uint16_t number;

	if (view_u16(&v, &number) || view_u16(&v, &number))
		return;
	while (v.left && view_string(&v, &key) == 0 && view_string(&v, &value) == 0)
		if (key.left == strlen(word) && memcmp(key.at, word, key.left) == 0)
			snprintf(c->directory, sizeof c->directory, "%.*s",
				(int)(value.left < sizeof c->directory ? value.left : 0),
				(const char *)value.at);
}

static void load_process(struct collector *c, struct pl_view v)
{
	struct process_word w;

	if (process_word_read(v, &w) == 0)
		process_describe(c, &w);
}

static void load_bodies(struct collector *c, struct pl_view v)
{
	bodies_load(&c->bodies, v);
}

static void load_codes(struct collector *c, struct pl_view v)
{
	bodies_load_codes(&c->bodies, v);
}

static void load_text(struct collector *c, struct pl_view v)
{
	source_texts_load(&c->texts, v);
}

static void load_units(struct collector *c, struct pl_view v)
{
	source_texts_load_units(&c->texts, v);
}

static void load_loss(struct collector *c, struct pl_view v)
{
	struct loss l = {0};
	char text[256];
	struct pl_view words;
	uint64_t process, thread, ticks, reason;

	c->totals.losses++;
	if (view_varint_max(&v, UINT32_MAX, &process) || view_varint_max(&v, UINT32_MAX, &thread) ||
		view_varint(&v, &l.seq) || view_varint(&v, &ticks) ||
		view_varint_max(&v, PL_GAP_REASON_COUNT, &reason) || view_varint(&v, &l.lost) ||
		view_string(&v, &words))
		return;
	l.process = (uint32_t)process;
	l.thread = (uint32_t)thread;
	l.reason = (int)reason;
	snprintf(text, sizeof text, "%.*s", (int)(words.left < sizeof text ? words.left : 0),
		(const char *)words.at);
	l.text = text;
	process_was_told(c, &l);
}

/* What the collector knew of a record that it wrote. One that does not decode is skipped: it stays
 * in its file, and readers report it. */
static void load_record(
	struct collector *c, const struct record *r, struct pl_buf *room, bool *ended)
{
	static const struct {
		enum record_kind kind;
		void (*load)(struct collector *c, struct pl_view payload);
	} loaders[] = {
		{RECORD_HEADER, load_header},
		{RECORD_PROCESS, load_process},
		{RECORD_BODIES, load_bodies},
		{RECORD_CODES, load_codes},
		{RECORD_SOURCE, load_text},
		{RECORD_UNITS, load_units},
		{RECORD_LOSS, load_loss},
	};
	struct pl_view v;

	if (r->kind == RECORD_END)
		*ended = true;
	for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
		if (r->kind == loaders[i].kind && record_payload(r, room, &v) == 0)
			loaders[i].load(c, v);
}

/* false: the recording was ended already, only the arena was left. */
static bool load_meta(struct collector *c)
{
	struct pl_buf bytes = {0}, room = {0};
	struct pl_view v = read_file(c->store.directory_fd, STORE_META, &bytes);
	bool ended = false;
	struct record r;

	while (next_record(&v, &r))
		load_record(c, &r, &room, &ended);
	buf_release(&room);
	buf_release(&bytes);
	return !ended;
}

/* Bring a thread to the end of its last block. */
static void resume_stream(struct collector *c, struct stream *t, struct block *b)
{
	struct pl_view v = b->events;
	const struct follow_codes codes = bodies_codes(&c->bodies);
	struct follow_rows rows;
	struct event e;

	t->open = true;
	t->position = b->head.stream_bytes + b->head.event_bytes + b->sections.stream_bytes;
	t->ticks = b->head.close_ticks;
	t->order = b->head.order;
	t->seq = b->head.first_seq + b->head.events;
	t->blocks = b->head.number + 1;
	stack_copy(&t->stack, &b->stack);
	while (v.left && event_read(&v, &t->stack.calls, &e) == 0) {
		follow_apply(&t->stack, &e, &codes, &rows);
		if (e.kind == EVENT_SWITCH)
			t->order = e.a;
	}
	t->broken |= v.left != 0; /* it is not known where it is */
}

/* Open a block of the segment; the earlier blocks of its chain are before it there. */
static int open_in_segment(struct block *b, struct pl_view segment, struct pl_view payload)
{
	struct block_head wanted, head;
	struct record r;
	int err = block_read_head(payload, &wanted);

	while (err == 0 && block_needs(b, &wanted) != wanted.number && next_record(&segment, &r) &&
		r.payload.at < payload.at)
		if (r.kind == RECORD_BLOCK && block_read_head(r.payload, &head) == 0 &&
			head.process == wanted.process && head.thread == wanted.thread &&
			head.number == block_needs(b, &wanted))
			err = block_pass(b, r.payload);
	return err ? err : block_open(b, payload);
}

/* Read the blocks of one segment, in order: the last one of a thread counts, unless a newer segment
 * had one. */
static uint32_t resume_from(struct collector *c, uint32_t segment)
{
	char name[STORE_NAME_MAX];
	struct pl_buf bytes = {0};
	struct block b = {0};
	struct record r;
	uint32_t found = 0;

	store_segment_name(segment, name);
	struct pl_view v = read_file(c->store.directory_fd, name, &bytes);
	/* Blocks cannot be read backwards, so first note where each thread's last one is. */
	struct pl_map last = {0};
	while (next_record(&v, &r)) {
		struct block_head head;
		if (r.kind != RECORD_BLOCK || block_read_head(r.payload, &head) < 0)
			continue;
		struct stream *t = streams_find(&c->streams, head.process, head.thread);
		uint64_t *place = t && !t->segment ? map_put(&last, (uintptr_t)t) : NULL;
		if (place)
			*place = (uint64_t)(r.payload.at - bytes.at) << 32 | r.payload.left;
	}
	for (size_t i = 0; i < last.room; i++) {
		if (!last.slots[i].used)
			continue;
		struct stream *t = (struct stream *)(uintptr_t)last.slots[i].key;
		uint64_t place = last.slots[i].value;
		if (open_in_segment(&b, buf_view(&bytes),
			    view_of(bytes.at + (place >> 32), (size_t)(place & UINT32_MAX))) < 0)
			continue;
		resume_stream(c, t, &b);
		t->segment = segment;
		found++;
	}
	block_release(&b);
	map_release(&last);
	buf_release(&bytes);
	return found;
}

/* Threads whose chunks are in the arena are searched from the newest segment back to the oldest. */
static void load_blocks(struct collector *c)
{
	uint32_t wanted = 0, found = 0;

	for (uint32_t i = 0; i < c->streams.count; i++)
		wanted += c->streams.all[i]->kind != STREAM_OF_MESSAGES;
	for (uint32_t n = c->store.last_segment; n >= c->store.first_segment && found < wanted; n--)
		found += resume_from(c, n);
}

/* ---- finishing ---- */

/* Give back what the dead collector had already brought to disk; note a hole where the arena lost
 * something. */
static void settle_streams(struct collector *c)
{
	for (uint32_t i = c->streams.count; i-- > 0;) {
		struct stream *t = c->streams.all[i];
		if (t->kind == STREAM_OF_MESSAGES)
			continue;
		uint64_t position = t->position;
		stream_skip_hole(t);
		if (t->broken && !t->segment && !position &&
			t->count) /* its blocks were dropped by the limit */
			collector_lose(c, &(struct loss){.process = t->process,
						  .thread = t->thread,
						  .reason = PL_GAP_EVICTED,
						  .text = "a thread's first part is missing"});
		t->any_order = false;
		stream_done(&c->streams, t, &c->arena, t->position);
	}
}

static bool load_records(struct collector *c)
{
	processes_look(c); /* meta describes them */
	if (!load_meta(c))
		return false;
	c->streams.resumed = true;
	streams_look(&c->streams, &c->arena, STREAMS_EVENTS, 1);
	streams_look(&c->streams, &c->arena, STREAMS_MESSAGES, 1);
	load_blocks(c);
	settle_streams(c);
	c->streams.resumed = false;
	return true;
}

/* Drop streams of processes whose slots are free, or never became live: nobody will report their
 * end. */
static void drop_strays(struct collector *c)
{
	for (uint32_t i = c->streams.count; i-- > 0;) {
		struct stream *t = c->streams.all[i];
		if (t->kind != STREAM_OF_MESSAGES) {
			stream_look_last(t, &c->arena);
			blocks_cut_stream(c, t);
		}
	}
}

/* Two rounds: the first finds and drains the dead processes, after the second nothing is left of
 * them. */
static bool drain(struct collector *c)
{
	collector_round(c, BLOCKS_ALL);
	collector_round(c, BLOCKS_ALL);
	if (processes_live(&c->processes))
		return false;
	drop_strays(c);
	return true;
}

/* The arena's head names the directory in which files are written, so it must belong to this
 * user. */
static bool is_ours(const struct arena *a, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == getuid() && a->head->uid == getuid() &&
	       memchr(a->head->directory, 0, sizeof a->head->directory) &&
	       a->head->directory[0] == '/';
}

/* true: END is written. false: the arena stays for the next finisher, unless there is nothing to
 * finish. */
static bool finish_recording(struct collector *c)
{
	struct arena_head *h = c->arena.head;
	int directory_fd = open(h->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	c->ticker.source = h->clock == CLOCK_IS_TSC ? CLOCK_TSC : CLOCK_MONO;
	flight_resume(c);
	c->processes.by_mapping = true;
	if (directory_fd < 0) { /* the recording is gone, so nobody needs its arena */
		if (errno == ENOENT || errno == ENOTDIR)
			collector_unlink(c);
		return false;
	}
	if (store_reopen(&c->store, directory_fd, h->limit_bytes) < 0)
		return false;
	if (!load_records(c)) {
		collector_unlink(c);
		return false;
	}
	if (!drain(c)) {
		store_flush(&c->store);
		return false;
	}
	if (c->store.failed)
		return false;
	collector_write_end(c, true);
	return true;
}

static struct collector *new_finisher(const char *path)
{
	struct collector *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->store = (struct store){
		.directory_fd = -1, .meta_fd = -1, .segment_fd = -1, .first_segment = 1};
	c->processes = (struct processes){.epoll = -1, .by_mapping = true};
	snprintf(c->arena_path, sizeof c->arena_path, "%s", path);
	c->arena_fd = open(c->arena_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return c;
}

/* A lock of the open file, not of the process: a child that inherits the descriptor and exits does
 * not release it. */
static bool set_claim(int fd, short type)
{
	struct flock whole = {.l_type = type, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

void finish_claim(int arena_fd)
{
	set_claim(arena_fd, F_RDLCK);
}

static bool finish_and_free(struct collector *c)
{
	/* The lock decides: it is held by a living collector, or by another finisher. */
	bool locked = c->arena_fd >= 0 && flock(c->arena_fd, LOCK_EX | LOCK_NB) == 0;
	bool done = false;

	if (locked && arena_map(&c->arena, c->arena_fd) == 0) {
		guard_begin(&c->arena);
		done = is_ours(&c->arena, c->arena_fd) && finish_recording(c);
	}
	collector_release(c);
	free(c);
	return done;
}

bool finish_arena(const char *path, int pid, int status)
{
	struct collector *c = new_finisher(path);

	if (!c)
		return false;
	c->processes.known_status = true;
	c->processes.main_pid = pid;
	c->processes.main_status = status;
	return finish_and_free(c);
}

/* Root has given it to the user of a program that it attached. Nothing can be trusted that it says,
 * and nobody else may remove it. */
static void drop_if_given_away(const struct collector *c)
{
	struct stat st;

	if (fstat(c->arena_fd, &st) == 0 && st.st_uid != getuid() &&
		flock(c->arena_fd, LOCK_EX | LOCK_NB) == 0)
		unlink(c->arena_path);
}

static int finish_at(const char *directory, const char *name)
{
	char path[PATH_MAX];
	struct collector *c = NULL;

	if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
		c = new_finisher(path);
	if (c && c->arena_fd >= 0)
		drop_if_given_away(c);
	if (c && c->arena_fd >= 0 && !set_claim(c->arena_fd, F_WRLCK)) {
		close(c->arena_fd);
		c->arena_fd = -1;
	}
	return c && finish_and_free(c);
}

/* The sum of what `ask` returns for each arena of this user. */
static int visit_arenas(const char *directory, int (*ask)(const char *directory, const char *name))
{
	DIR *d = opendir(directory);
	char before[64];
	struct dirent *e;
	int sum = 0;

	snprintf(before, sizeof before, "pathline-%u-", (unsigned)getuid());
	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		if (strncmp(e->d_name, before, strlen(before)) == 0 && n > 6 &&
			strcmp(e->d_name + n - 6, ".arena") == 0)
			sum += ask(directory, e->d_name);
	}
	if (d)
		closedir(d);
	return sum;
}

/* The claim is only queried, and first: `record` must find its own arena's lock free when its
 * collector is dead. */
static int is_dead(const char *directory, const char *name)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
		return 0;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return 0;
	int dead = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type == F_UNLCK &&
		   flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return dead;
}

bool finish_wanted(void)
{
	return visit_arenas(SHM, is_dead) > 0;
}

int finish_dead_arenas(const char *directory)
{
	char real[PATH_MAX];
	int done = visit_arenas(SHM, finish_at);

	if (directory && realpath(directory, real))
		done += visit_arenas(real, finish_at);
	return done;
}
