#define _GNU_SOURCE
#include "collector/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "collector/about.h"
#include "collector/blocks.h"
#include "collector/collector.h"
#include "os/file.h"
#include "os/folder.h"

#define LIMIT_DEFAULT (UINT64_C(64) << 20)

/* ---- in memory ---- */

uint64_t flight_limit(uint64_t limit_bytes)
{
	const uint64_t wished = limit_bytes ? limit_bytes : LIMIT_DEFAULT;
	struct statvfs s;

	if (statvfs(FOLDER_IN_MEMORY, &s) < 0)
		return wished;
	const uint64_t half = (uint64_t)s.f_bavail * s.f_frsize / 2;
	return wished < half ? wished : half > COLLECTOR_LIMIT_MIN ? half : COLLECTOR_LIMIT_MIN;
}

/* The files that a store makes, and the directory. */
static void remove_directory(const struct collector *c)
{
	const struct store *s = &c->store;
	char name[STORE_NAME_MAX];

	for (uint32_t n = s->first_segment; n <= s->last_segment; n++) {
		store_segment_name(n, name);
		unlinkat(s->directory_fd, name, 0);
	}
	unlinkat(s->directory_fd, STORE_META, 0);
	rmdir(c->arena.head->directory);
}

/* ---- a copy ---- */

static int copy_bytes(int to, int from, uint64_t bytes)
{
	off_t at = 0;

	while ((uint64_t)at < bytes) {
		ssize_t n = sendfile(to, from, &at, (size_t)(bytes - (uint64_t)at));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	return 0;
}

static int copy_named(const struct store *s, int to_directory, const char *name, uint64_t bytes)
{
	const int from = openat(s->directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	const int to = openat(to_directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err = from < 0 || to < 0 ? -errno : copy_bytes(to, from, bytes);

	if (to >= 0 && close(to) < 0 && err == 0)
		err = -errno;
	if (from >= 0)
		close(from);
	return err;
}

/* Of a recording that goes on: it ends here. */
static int copy_end(struct collector *c, int to_directory)
{
	struct pl_buf b = {0};
	int err = -errno;
	const int fd = openat(to_directory, STORE_META, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	store_end_of(&c->store, clock_ticks(c->ticker.source), &b);
	err = b.failed ? -ENOMEM : file_append(fd, c->store.meta_bytes, b.at, b.used);
	buf_release(&b);
	if (close(fd) < 0 && err == 0)
		err = -errno;
	return err;
}

/* meta is the last: a directory without it is no recording. */
static int copy_files(struct collector *c, int to_directory, bool ended)
{
	const struct store *s = &c->store;
	char name[STORE_NAME_MAX];
	int err = 0;

	for (uint32_t n = s->first_segment; n <= s->last_segment && err == 0; n++) {
		store_segment_name(n, name);
		err = copy_named(s, to_directory, name, s->segment_sizes[n - s->first_segment]);
	}
	if (err == 0)
		err = copy_named(s, to_directory, STORE_META, s->meta_bytes);
	return err || ended ? err : copy_end(c, to_directory);
}

static void undo_copy(const struct collector *c, int directory, const char *path)
{
	char name[STORE_NAME_MAX];

	for (uint32_t n = c->store.first_segment; n <= c->store.last_segment; n++) {
		store_segment_name(n, name);
		unlinkat(directory, name, 0);
	}
	unlinkat(directory, STORE_META, 0);
	rmdir(path);
}

/* All is in the store. */
static int copy_to(struct collector *c, char path[PATH_MAX], bool ended)
{
	struct flight *f = &c->flight;
	int err = folder_make_named(f->folder, f->name, path);

	if (err)
		return err;
	const int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return errno;
	err = -copy_files(c, directory, ended);
	if (err)
		undo_copy(c, directory, path);
	else
		folder_set_latest(f->folder, strrchr(path, '/') + 1);
	close(directory);
	return err;
}

static void copy_flight(struct collector *c, int64_t now_ns, bool ended)
{
	struct flight *f = &c->flight;
	char path[PATH_MAX];

	if (!ended) {
		blocks_cut(c, BLOCKS_ALL, now_ns);
		collector_sources_flush(c);
		collector_write_clock(c, true);
		store_flush(&c->store);
	}
	f->wanted = false;
	f->written_ns = now_ns;
	f->failed = copy_to(c, path, ended);
	if (f->failed)
		return;
	f->written++;
	snprintf(f->last, sizeof f->last, "%s", path);
}

/* ---- triggers ---- */

static void use_folder(struct flight *f, const char *folder, const char *name)
{
	f->on = true;
	snprintf(f->folder, sizeof f->folder, "%.*s", PATH_MAX - 1, folder);
	snprintf(f->name, sizeof f->name, "%.*s", FLIGHT_NAME_BYTES - 1, name);
}

void flight_begin(struct collector *c, const struct flight_wish *wish)
{
	struct arena_head *h = c->arena.head;

	if (!wish->span_ns)
		return;
	use_folder(&c->flight, wish->folder, wish->name);
	h->flight = 1;
	snprintf(h->flight_folder, sizeof h->flight_folder, "%s", c->flight.folder);
	snprintf(h->flight_name, sizeof h->flight_name, "%s", c->flight.name);
}

void flight_resume(struct collector *c)
{
	const struct arena_head *h = c->arena.head;

	if (!h->flight || h->flight_folder[0] != '/' || strchr(h->flight_name, '/') ||
		!memchr(h->flight_folder, 0, sizeof h->flight_folder) ||
		!memchr(h->flight_name, 0, sizeof h->flight_name))
		return;
	use_folder(&c->flight, h->flight_folder, h->flight_name);
	c->flight.wanted = true;
}

void flight_trigger(struct collector *c, int64_t now_ns)
{
	if (!c->flight.on || c->flight.wanted)
		return;
	c->flight.wanted = true;
	c->flight.wanted_ns = now_ns;
}

static bool is_due(const struct flight *f, int64_t now_ns)
{
	if (!f->wanted || f->written >= FLIGHTS_MAX || now_ns - f->wanted_ns < FLIGHT_AFTER_NS)
		return false;
	return !f->written_ns || now_ns - f->written_ns >= FLIGHT_APART_NS;
}

void flight_round(struct collector *c, int64_t now_ns)
{
	struct flight *f = &c->flight;

	if (!f->on)
		return;
	const uint32_t wanted =
		atomic_load_explicit(&c->arena.head->flight_wanted, memory_order_relaxed);
	if (wanted != f->heard)
		flight_trigger(c, now_ns);
	f->heard = wanted;
	if (is_due(f, now_ns))
		copy_flight(c, now_ns, false);
}

void flight_end(struct collector *c)
{
	struct flight *f = &c->flight;

	if (!f->on)
		return;
	if (f->wanted || atomic_load_explicit(
				 &c->arena.head->flight_wanted, memory_order_relaxed) != f->heard)
		copy_flight(c, 0, true);
	remove_directory(c);
}
