#include "trace/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/array.h"
#include "format/record.h"
#include "trace/code.h"
#include "trace/event_sources.h"
#include "trace/source.h"
#include "trace/fast_forward.h"

/* The most missing thread numbers in a recording. Readers ask for each number up to a process's
 * thread_count, so this bounds the work that a few bytes of a hostile file can cause. Recorders
 * number threads without holes; at a hole, a THREAD record and all blocks of the thread were
 * damaged. */
#define THREADS_MISSING_MAX (1u << 20)

/* ---- entries ---- */

/* Each entry is allocated by itself, so that it never moves. */
void *entries_add(struct entries *e, size_t bytes)
{
	void **at = array_room(e->at, e->count, &e->room, sizeof *at);

	if (!at)
		return NULL;
	e->at = at;
	void *entry = calloc(1, bytes);
	if (entry)
		e->at[e->count++] = entry;
	return entry;
}

static void entries_release(struct entries *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->at[i]);
	free(e->at);
	*e = (struct entries){0};
}

struct process_entry *recording_find_process(const struct pl_recording *r, uint32_t number)
{
	const uint64_t *found = map_find(&r->processes, number);

	return found ? (struct process_entry *)(uintptr_t)*found : NULL;
}

struct process_entry *recording_process(struct pl_recording *r, uint32_t number)
{
	struct process_entry *p = recording_find_process(r, number);

	if (p || !number)
		return p;
	uint64_t *slot = map_put(&r->processes, number);
	p = slot ? entries_add(&r->process_list, sizeof *p) : NULL;
	if (!p) {
		map_remove(&r->processes, number);
		return NULL;
	}
	*slot = (uintptr_t)p;
	p->stdlib_dir = "";
	p->public = (struct pl_process){.number = number,
		.command = "",
		.executable = "",
		.interpreter = "",
		.how = "start"};
	return p;
}

static uint64_t thread_key(uint32_t process, uint32_t thread)
{
	return (uint64_t)process << 32 | thread;
}

struct thread_entry *recording_find_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread)
{
	const uint64_t *found = map_find(&r->threads, thread_key(process, thread));

	return found ? (struct thread_entry *)(uintptr_t)*found : NULL;
}

static bool reserve_thread(struct process_entry *p)
{
	if (p->thread_count < p->thread_room)
		return true;
	size_t room = p->thread_room ? p->thread_room * 2 : 4;
	struct thread_entry **threads = realloc(p->threads, room * sizeof *threads);
	if (!threads)
		return false;
	p->threads = threads;
	p->thread_room = room;
	return true;
}

/* By how much thread_count grows with a thread of this number. */
static uint64_t new_numbers(const struct process_entry *p, uint32_t thread)
{
	return thread < p->public.thread_count ? 0 : (uint64_t)thread + 1 - p->public.thread_count;
}

static bool leaves_too_many_out(
	const struct pl_recording *r, const struct process_entry *p, uint32_t thread)
{
	uint64_t there = r->threads.used + 1;

	return r->thread_numbers + new_numbers(p, thread) > there + THREADS_MISSING_MAX;
}

/* All that can fail comes before the first change, so after a failure the recording is as before,
 * except for an entry of its process. */
struct thread_entry *recording_thread(struct pl_recording *r, uint32_t process, uint32_t thread)
{
	struct thread_entry *t = recording_find_thread(r, process, thread);
	struct process_entry *p;

	if (t)
		return t;
	p = recording_process(r, process);
	if (!p || leaves_too_many_out(r, p, thread) || !reserve_thread(p))
		return NULL;
	t = calloc(1, sizeof *t);
	uint64_t *slot = t ? map_put(&r->threads, thread_key(process, thread)) : NULL;
	if (!slot) {
		free(t);
		return NULL;
	}
	*slot = (uintptr_t)t;
	t->public = (struct pl_thread){.process = process, .number = thread, .name = ""};
	p->threads[p->thread_count++] = t;
	const uint64_t more = new_numbers(p, thread);
	p->public.thread_count += (uint32_t)more;
	r->thread_numbers += more;
	return t;
}

/* ---- what the parts share ---- */

/* There is room for all words of RECORD_KINDS and "unknown" (sizes_init). */
static struct pl_size *size_of(struct pl_recording *r, const char *word)
{
	for (size_t i = 0; i < r->size_count; i++)
		if (strcmp(r->sizes[i].kind, word) == 0)
			return &r->sizes[i];
	r->sizes[r->size_count] = (struct pl_size){.kind = word};
	return &r->sizes[r->size_count++];
}

/* All kinds have a row from the beginning, with 0 records, so that the rows of `info` do not depend
 * on the recording. */
static int sizes_init(struct pl_recording *r)
{
#define X(constant, number, word, fields) +1
	r->sizes = calloc(1 RECORD_KINDS(X), sizeof *r->sizes);
#undef X
	if (!r->sizes)
		return PL_ERR_MEMORY;
#define X(constant, number, word, fields) size_of(r, word);
	RECORD_KINDS(X)
#undef X
	return 0;
}

void recording_count(struct pl_recording *r, uint16_t kind, uint64_t bytes)
{
	struct pl_size *s = size_of(r, record_kind_word(kind));

	s->records++;
	s->bytes += bytes;
	r->records++;
}

/* Damage is a loss with a text, as those are that the recorder told. Without memory it is only
 * counted. */
void recording_damage(struct pl_recording *r, uint32_t file, uint64_t off, const char *what)
{
	char name[FILE_NAME_MAX], text[FILE_NAME_MAX + 160];
	struct loss_entry *loss;

	file_name(file, name);
	r->damaged++;
	if (r->report)
		r->report(r->report_arg,
			&(struct pl_damage){.file = name, .offset = off, .what = what});
	snprintf(text, sizeof text, "%s, offset %" PRIu64 ": %s", name, off, what);
	loss = entries_add(&r->losses, sizeof *loss);
	if (!loss)
		return;
	loss->public.reason = PL_GAP_DAMAGED;
	loss->public.text = texts_keep(&r->texts, view_of(text, strlen(text)));
	if (!loss->public.text)
		loss->public.text = "";
}

void recording_samples_damage(struct pl_recording *r, struct sample_ref *ref)
{
	if (!ref->told)
		recording_damage(r, ref->file, ref->off, "samples are damaged");
	ref->told = true;
}

int recording_failed(struct pl_err *err, int code, const struct pl_err *why)
{
	if (why->used)
		return pl_err_cause(err, code, "%s", why->text);
	return err && err->used ? code : pl_err_cause(err, code, "%s", pl_error_name(code));
}

/* 0 is "not known" for ticks, and so it is for the time. */
int64_t recording_time(const struct pl_recording *r, uint64_t ticks)
{
	struct clock_time time;

	if (!ticks)
		return 0;
	clockmap_time(&r->clock, ticks, &time);
	return time.real_ns;
}

const char *recording_string(const struct pl_recording *r, uint64_t number)
{
	const uint64_t *found = map_find(&r->strings, number);

	return found ? (const char *)(uintptr_t)*found : "?";
}

bool recording_lost_bytes(const struct pl_recording *r, const struct thread_entry *t, uint64_t seq)
{
	for (size_t i = 0; i < r->losses.count; i++) {
		const struct loss_entry *l = r->losses.at[i];
		if (l->off && l->public.reason == PL_GAP_DAMAGED && l->public.seq == seq &&
			l->public.process == t->public.process &&
			l->public.thread == t->public.number)
			return true;
	}
	return false;
}

/* Was the thread there when its process ended, or is that not known? */
static bool is_there_at_end(const struct pl_recording *r, const struct thread_entry *t)
{
	const struct process_entry *p = recording_find_process(r, t->public.process);

	return !t->ended || (p && p->ended && t->end_ticks >= p->end_ticks);
}

/* Is it of a process, and of no place? That of a recorded GAP has no text. */
static bool is_of_process(const struct pl_loss *l)
{
	return l->process && !l->thread && !l->seq && l->text[0];
}

/* A LOSS of the recording as a whole ends the path of each thread that had not ended by then. One
 * of a process ends that of each thread that stops in the middle of a frame; and, if the recorder
 * stopped itself, that of each thread that was there at the end. */
static bool ends_path(const struct pl_recording *r, const struct pl_loss *l,
	const struct thread_entry *t, bool has_frame)
{
	if (l->reason == PL_GAP_COLLECTOR && !l->process)
		return !t->ended;
	if (!is_of_process(l) || l->process != t->public.process)
		return false;
	if (l->reason == PL_GAP_COLLECTOR || l->reason == PL_GAP_STOPPED)
		return has_frame || is_there_at_end(r, t);
	return has_frame && (l->reason == PL_GAP_FULL || l->reason == PL_GAP_DROPPED);
}

const struct pl_loss *recording_end_loss(
	const struct pl_recording *r, const struct thread_entry *t, bool has_frame)
{
	for (size_t i = r->losses.count; i-- > 0;) {
		const struct loss_entry *l = r->losses.at[i];
		if (ends_path(r, &l->public, t, has_frame))
			return &l->public;
	}
	return NULL;
}

bool recording_killed(const struct pl_recording *r, const struct thread_entry *t)
{
	const struct process_entry *p = recording_find_process(r, t->public.process);
	bool over = r->info.finished || (r->unfinished_for_good && !r->info.snapshot);

	/* a thread that is there when its process ends, ends with it; one that ended before ended
	 * by itself */
	if (t->ended && (!p || !p->ended || t->end_ticks < p->end_ticks))
		return false;
	if (!p || !p->ended)
		return over;
	/* one that was left runs on, and its threads' paths end in a gap that says so */
	return p->public.end == PL_PROCESS_LOST || p->public.end == PL_PROCESS_SIGNALED;
}

/* ---- open, refresh, close ---- */

/* Compute the times of what was read again, now that more of the clock is known. */
static void settle_times(struct pl_recording *r)
{
	for (size_t i = 0; i < r->process_list.count; i++) {
		struct process_entry *p = r->process_list.at[i];
		p->public.start_ns = recording_time(r, p->start_ticks);
		p->public.end_ns = recording_time(r, p->end_ticks);
		for (size_t j = 0; j < p->thread_count; j++) {
			struct thread_entry *t = p->threads[j];
			t->public.start_ns = recording_time(r, t->start_ticks);
			t->public.end_ns = recording_time(r, t->end_ticks);
		}
	}
	for (size_t i = 0; i < r->losses.count; i++) {
		struct loss_entry *l = r->losses.at[i];
		l->public.time_ns = recording_time(r, l->ticks);
	}
	r->info.unfinished = r->unfinished_for_good;
	r->info.end_ns = r->info.finished ? recording_time(r, r->end_ticks) : 0;
	r->info.ticks_per_us = r->clock.slope > 0 ? 1000 / r->clock.slope : 0;
}

/* Nothing writes it any more, and there is no END. */
static bool is_orphaned(const struct pl_recording *r)
{
	const char *arena = r->info.arena;

	if (r->info.finished || r->unfinished_for_good || !r->header_read)
		return false;
	return !*arena || !r->files->ops->exists(r->files, arena);
}

#define TURNS_MAX 100 /* if it grows faster than it is read, reading stops here */

/* meta has what the blocks name, and says which blocks are a thread's last; both files grow while
 * they are read. So they are read in turns until one has nothing new: then whatever a block names
 * is known, and all blocks of an end are there. */
static int read_new_files(struct pl_recording *r, bool *news, struct pl_err *err)
{
	bool more = true;
	int code = meta_read(r, news, err);

	for (int turn = 0; code == 0 && more && turn < TURNS_MAX; turn++) {
		more = false;
		code = turn & 1 ? meta_read(r, &more, err) : index_read(r, &more, err);
		*news |= more;
	}
	return code;
}

/* Read what is new; at first, everything. Times are computed again each time, because a clock
 * record says more about the time before it. */
static int read_news(struct pl_recording *r, bool *news, struct pl_err *err)
{
	int code = read_new_files(r, news, err);

	/* END is written before the arena is removed, but perhaps after we read: so if there is no
	 * arena, read once more */
	if (code == 0 && is_orphaned(r)) {
		code = read_new_files(r, news, err);
		if (code == 0 && is_orphaned(r)) {
			r->unfinished_for_good = true;
			r->info.snapshot = r->files->is_whole;
			if (!r->info.snapshot)
				recording_damage(r, FILE_META, r->meta_off,
					"the recording's end is missing");
		}
	}
	if (code == 0) {
		clockmap_settle(&r->clock);
		settle_times(r);
	}
	return code;
}

static int recording_init(struct pl_recording *r)
{
	r->info = (struct pl_recording_info){.directory = "",
		.passes = "",
		.stamps = "",
		.values = "",
		.values_of = "",
		.values_limit = "",
		.secrets = "",
		.redact = "",
		.stripped = "",
		.filter = "",
		.command = "",
		.host = "",
		.system = "",
		.pathline = "",
		.clock = "",
		.arena = ""};
	r->unknown_code = code_new_unknown(r);
	return r->unknown_code ? sizes_init(r) : PL_ERR_MEMORY;
}

/* r has its files, and all else is zero. After a failure it is closed. */
static int recording_start(struct pl_recording **out, struct pl_recording *r, struct pl_err *err)
{
	bool news = false;
	int code = recording_init(r);

	if (code)
		pl_err_cause(err, code, "no memory");
	else
		code = read_news(r, &news, err);
	if (code) {
		pl_recording_close(r);
		return code;
	}
	*out = r;
	return 0;
}

int recording_open_files(struct pl_recording **out, struct files *files, struct pl_err *err)
{
	struct pl_recording *r = calloc(1, sizeof *r);

	if (!r) {
		files->ops->close(files);
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory");
	}
	r->files = files;
	return recording_start(out, r, err);
}

/* A second reading of the same files, from the beginning, for `check`: it reports what it finds,
 * and leaves the host as it is. It must be closed before its host, whose files it reads. */
int recording_open_guest(struct pl_recording **out, struct pl_recording *host,
	void (*report)(void *arg, const struct pl_damage *d), void *arg, struct pl_err *err)
{
	struct pl_recording *r = calloc(1, sizeof *r);

	if (!r)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory");
	r->files = host->files;
	r->guest = true;
	r->report = report;
	r->report_arg = arg;
	return recording_start(out, r, err);
}

int pl_recording_open(struct pl_recording **out, const char *path, struct pl_err *err)
{
	struct files *files;
	int code = files_open(&files, path, err);

	if (code == 0)
		code = recording_open_files(out, files, err);
	if (code)
		return pl_err_cause(err, code, "%s cannot be read", path);
	(*out)->info.directory = texts_keep(&(*out)->texts, view_of(path, strlen(path)));
	if (!(*out)->info.directory)
		(*out)->info.directory = "";
	return 0;
}

int pl_recording_refresh(struct pl_recording *r, struct pl_err *err)
{
	bool news = false;
	int code = read_news(r, &news, err);

	if (code)
		return pl_err_cause(err, code, "%s cannot be read any further", r->info.directory);
	return news ? 0 : PL_END;
}

void pl_recording_follow(struct pl_recording *r)
{
	if (r->files->ops->follow && !r->guest)
		r->files->ops->follow(r->files);
}

static void release_processes(struct pl_recording *r)
{
	for (size_t i = 0; i < r->process_list.count; i++) {
		struct process_entry *p = r->process_list.at[i];
		for (size_t j = 0; j < p->thread_count; j++) {
			free(p->threads[j]->blocks);
			free(p->threads[j]);
		}
		free(p->threads);
	}
	entries_release(&r->process_list);
	map_release(&r->processes);
	map_release(&r->threads);
}

void pl_recording_close(struct pl_recording *r)
{
	if (!r)
		return;
	release_processes(r);
	for (size_t i = 0; i < r->codes.count; i++)
		code_release(r->codes.at[i]);
	entries_release(&r->codes);
	for (size_t i = 0; i < r->source_list.count; i++)
		source_release(r->source_list.at[i]);
	entries_release(&r->source_list);
	free(r->recorded);
	entries_release(&r->losses);
	map_release(&r->strings);
	map_release(&r->bodies);
	map_release(&r->plans);
	map_release(&r->sources);
	clockmap_release(&r->clock);
	texts_release(&r->texts);
	free(r->segments);
	free(r->samples);
	event_sources_release(r);
	free(r->sizes);
	if (r->forward)
		fast_forward_release(r->forward);
	free(r->forward);
	if (!r->guest)
		r->files->ops->close(r->files);
	free(r);
}

/* ---- questions ---- */

void pl_recording_info(const struct pl_recording *r, struct pl_recording_info *out)
{
	*out = r->info;
}

uint32_t pl_recording_process_count(const struct pl_recording *r)
{
	return (uint32_t)r->process_list.count;
}

const struct pl_process *pl_recording_process(const struct pl_recording *r, uint32_t index)
{
	if (index >= r->process_list.count)
		return NULL;
	return &((const struct process_entry *)r->process_list.at[index])->public;
}

const struct pl_process *pl_recording_find_process(const struct pl_recording *r, uint32_t number)
{
	const struct process_entry *p = recording_find_process(r, number);

	return p ? &p->public : NULL;
}

const struct pl_thread *pl_recording_thread(
	const struct pl_recording *r, uint32_t process, uint32_t thread)
{
	const struct thread_entry *t = recording_find_thread(r, process, thread);

	return t ? &t->public : NULL;
}

uint32_t pl_recording_recorded_count(const struct pl_recording *r)
{
	return (uint32_t)r->recorded_count;
}

bool pl_recording_recorded(struct pl_recording *r, uint32_t index, struct pl_recorded *out)
{
	if (index >= r->recorded_count)
		return false;
	const struct pl_code *code = code_open(r, r->recorded[index].body);
	out->code = code ? code_first(code) : r->unknown_code;
	memcpy(out->counts, r->recorded[index].counts, sizeof out->counts);
	return true;
}

uint64_t pl_recording_collector_ns(const struct pl_recording *r)
{
	return r->collector_ns;
}

uint32_t pl_recording_loss_count(const struct pl_recording *r)
{
	return (uint32_t)r->losses.count;
}

const struct pl_loss *pl_recording_loss(const struct pl_recording *r, uint32_t index)
{
	return index < r->losses.count ? &((const struct loss_entry *)r->losses.at[index])->public
				       : NULL;
}

const struct pl_size *pl_recording_size(const struct pl_recording *r, uint32_t index)
{
	return index < r->size_count ? &r->sizes[index] : NULL;
}

uint64_t pl_recording_block_reads(const struct pl_recording *r)
{
	return r->block_reads;
}

uint64_t pl_recording_damage_count(const struct pl_recording *r)
{
	return r->damaged;
}
