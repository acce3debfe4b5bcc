/* A quick comparison of a run's dump and oracle, before compare.py: alike ORACLE DUMP.tsv
 *
 * Exit code 0: in every thread the dump's rows are the oracle's, one for one; compare.py would
 * print the same words. Exit code 1: not found equal; then compare.py decides, because it alone
 * knows what may differ (the ends of threads that were running, images after exec, where a window
 * begins). Whatever is unusual is left to it. Exit code 2: the files could not be read. In most
 * runs all rows are equal, and there are tens of millions of them.
 *
 *   oracle   event file first code line         a file a thread, up to its first NUL
 *   dump     pid tid event file first code line the line is for `line` only; else 0 in the oracle
 *
 * Left out on both sides are rows of the oracle's own files and of runpy; the main thread of the
 * first process begins after the return of __oracle_begin__, and a process ends at the call of
 * __oracle_end__ or the row `end`.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/map.h"
#include "base/view.h"

#define OWN_MAX 64

enum { ALIKE, NOT_SEEN, UNREADABLE };

struct row {
	struct pl_view event;
	struct pl_view rest; /* file to line */
	struct pl_view file;
};

struct thread {
	struct pl_view rows; /* the oracle's, those to come; mapped until the end */
	uint64_t alike;
	bool begins; /* its window begins after __oracle_begin__, which has not come yet */
	bool begun;  /* a row of the dump came */
	bool closed, dump_closed;
};

struct run {
	struct pl_view own[OWN_MAX]; /* the first one is the oracle's folder */
	size_t own_count;
	uint64_t main;
	struct thread *threads; /* owned */
	size_t count;
	struct pl_map places; /* pid and tid -> number in threads, from 1 */
};

static bool is(struct pl_view v, const char *text)
{
	return v.left == strlen(text) && !memcmp(v.at, text, v.left);
}

static bool same(struct pl_view a, struct pl_view b)
{
	return a.left == b.left && !memcmp(a.at, b.at, a.left);
}

static bool starts_with(struct pl_view v, struct pl_view head)
{
	return v.left >= head.left && !memcmp(v.at, head.at, head.left);
}

static bool ends_with(struct pl_view v, const char *tail)
{
	size_t n = strlen(tail);

	return v.left >= n && !memcmp(v.at + v.left - n, tail, n);
}

/* Up to the separator, which is eaten too, or to the end. */
static struct pl_view eat_until(struct pl_view *v, char separator)
{
	const uint8_t *end = v->left ? memchr(v->at, separator, v->left) : NULL;
	struct pl_view head = view_of(v->at, end ? (size_t)(end - v->at) : v->left);
	size_t eaten = head.left + (end != NULL);

	*v = view_of(v->at + eaten, v->left - eaten);
	return head;
}

static struct row row_of(struct pl_view line)
{
	struct row row = {.event = eat_until(&line, '\t'), .rest = line};

	row.file = eat_until(&line, '\t');
	return row;
}

static struct pl_view without_last_field(struct pl_view v)
{
	const uint8_t *tab = memrchr(v.at, '\t', v.left);

	return view_of(v.at, tab ? (size_t)(tab - v.at) : 0);
}

static bool has_name(const struct row *row, const char *name)
{
	struct pl_view rest = row->rest;

	eat_until(&rest, '\t');
	eat_until(&rest, '\t');
	return is(eat_until(&rest, '\t'), name);
}

static bool is_own(const struct run *run, const struct row *row)
{
	for (size_t i = 0; i < run->own_count; i++)
		if (starts_with(row->file, run->own[i]))
			return true;
	return is(row->file, "<frozen runpy>") || ends_with(row->file, "/runpy.py");
}

/* Does the row count? It may close the window, after which none does. */
static bool counts(const struct run *run, const struct row *row, bool *closed)
{
	if (is(row->event, "end") ||
		(is(row->event, "call") && starts_with(row->file, run->own[0]) &&
			has_name(row, "__oracle_end__")))
		*closed = true;
	return !*closed && !is_own(run, row);
}

static bool next_of_oracle(const struct run *run, struct thread *thread, struct row *row)
{
	while (thread->rows.left && !thread->closed) {
		*row = row_of(eat_until(&thread->rows, '\n'));
		if (counts(run, row, &thread->closed))
			return true;
	}
	return false;
}

static bool same_rows(const struct row *oracle, const struct row *dumped)
{
	if (!same(oracle->event, dumped->event))
		return false;
	if (is(oracle->event, "line"))
		return same(oracle->rest, dumped->rest);
	return ends_with(oracle->rest, "\t0") &&
	       same(without_last_field(oracle->rest), without_last_field(dumped->rest));
}

static bool is_compared(struct pl_view event)
{
	static const char *const events[] = {
		"line", "call", "return", "yield", "resume", "throw", "unwind"};

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (is(event, events[i]))
			return true;
	return false;
}

/* One row of a thread that the oracle has too. */
static bool follow(const struct run *run, struct thread *thread, const struct row *dumped)
{
	struct row row;

	if (thread->begins) {
		thread->begins =
			!(is(dumped->event, "return") && starts_with(dumped->file, run->own[0]) &&
				has_name(dumped, "__oracle_begin__"));
		thread->begun = true;
		return true;
	}
	if (!thread->begun) { /* nothing stands in front of the oracle's first one */
		struct pl_view rows = thread->rows;

		row = row_of(eat_until(&rows, '\n'));
		if (!same_rows(&row, dumped))
			return false;
		thread->begun = true;
	}
	if (thread->dump_closed || !counts(run, dumped, &thread->dump_closed))
		return true;
	thread->alike++;
	return next_of_oracle(run, thread, &row) && same_rows(&row, dumped);
}

static bool number(struct pl_view v, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < v.left; i++) {
		if (v.at[i] < '0' || v.at[i] > '9')
			return false;
		*out = *out * 10 + (v.at[i] - '0');
	}
	return v.left && v.left < 10;
}

static uint64_t key_of(uint64_t pid, uint64_t tid)
{
	return pid << 32 | tid;
}

static int follow_dump(struct run *run, struct pl_view dump)
{
	while (dump.left) {
		struct pl_view line = eat_until(&dump, '\n');
		struct pl_view pid_text = eat_until(&line, '\t'), tid_text = eat_until(&line, '\t');
		struct row row = row_of(line);
		uint64_t pid, tid, *place;

		if (!is_compared(row.event))
			continue;
		if (!number(pid_text, &pid) || !number(tid_text, &tid))
			return NOT_SEEN;
		place = map_find(&run->places, key_of(pid, tid));
		if (place && !follow(run, &run->threads[*place - 1], &row))
			return NOT_SEEN;
	}
	return ALIKE;
}

static int report(const struct run *run)
{
	uint64_t events = 0, threads = 0;
	struct row row;

	for (size_t i = 0; i < run->count; i++) {
		struct thread *thread = &run->threads[i];

		if (thread->begins || next_of_oracle(run, thread, &row))
			return NOT_SEEN;
		events += thread->alike;
		threads += thread->alike > 0;
	}
	if (!events)
		return NOT_SEEN;
	printf("%" PRIu64 " threads, %" PRIu64 " events compared, 0 differ\n", threads, events);
	return ALIKE;
}

/* Mapped until the end of the program. An empty file is an empty view. */
static bool map_file(int dir, const char *name, struct pl_view *out)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes = MAP_FAILED;

	*out = view_of(NULL, 0);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return st.st_size == 0;
	*out = view_of(bytes, (size_t)st.st_size);
	return true;
}

/* Each process writes them down. */
static void add_own(struct run *run, struct pl_view path)
{
	for (size_t i = 0; i < run->own_count; i++)
		if (same(run->own[i], path))
			return;
	run->own[run->own_count++] = path;
}

static bool read_own(struct run *run, int dir)
{
	struct pl_view text;

	if (!map_file(dir, "main", &text) || !number(eat_until(&text, '\n'), &run->main) ||
		!map_file(dir, "own", &text))
		return false;
	while (text.left && run->own_count < OWN_MAX)
		add_own(run, eat_until(&text, '\n'));
	return run->own_count && !text.left;
}

/* What was being written when the process died ends at a NUL, in the midst of a row: no row. */
static struct pl_view whole_rows(struct pl_view file)
{
	const uint8_t *nul = file.left ? memchr(file.at, 0, file.left) : NULL, *end;

	if (!nul)
		return file;
	end = memrchr(file.at, '\n', (size_t)(nul - file.at));
	return view_of(file.at, end ? (size_t)(end + 1 - file.at) : 0);
}

static int add_thread(struct run *run, int dir, const char *name)
{
	struct thread *threads = realloc(run->threads, (run->count + 1) * sizeof *threads), *thread;
	uint64_t pid, tid, *place;
	struct pl_view text = view_of(name, strlen(name)), pid_text = eat_until(&text, '-');

	if (!threads)
		return UNREADABLE;
	run->threads = threads;
	text.left -= strlen(".tsv");
	if (!number(pid_text, &pid) || !number(text, &tid))
		return NOT_SEEN; /* a second image */
	thread = &threads[run->count++];
	*thread = (struct thread){.begins = pid == tid && pid == run->main};
	place = map_put(&run->places, key_of(pid, tid));
	if (!place || !map_file(dir, name, &thread->rows))
		return UNREADABLE;
	*place = run->count;
	thread->rows = whole_rows(thread->rows);
	return ALIKE;
}

static int read_oracle(struct run *run, const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int rc = ALIKE;

	if (!folder)
		return UNREADABLE;
	if (!read_own(run, dirfd(folder)))
		rc = UNREADABLE;
	while (rc == ALIKE && (entry = readdir(folder)))
		if (ends_with(view_of(entry->d_name, strlen(entry->d_name)), ".tsv"))
			rc = add_thread(run, dirfd(folder), entry->d_name);
	closedir(folder);
	return rc;
}

int main(int argc, char **argv)
{
	struct run run = {0};
	struct pl_view dump;
	int rc;

	if (argc != 3) {
		fprintf(stderr, "usage: alike ORACLE DUMP.tsv\n");
		return UNREADABLE;
	}
	rc = read_oracle(&run, argv[1]);
	if (rc == ALIKE && !map_file(AT_FDCWD, argv[2], &dump))
		rc = UNREADABLE;
	if (rc == ALIKE)
		rc = follow_dump(&run, dump);
	if (rc == ALIKE)
		rc = report(&run);
	if (rc == UNREADABLE)
		fprintf(stderr, "alike: cannot read what %s or %s holds\n", argv[1], argv[2]);
	map_release(&run.places);
	free(run.threads);
	return rc;
}
