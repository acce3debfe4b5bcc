#define _GNU_SOURCE
#include "collector/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/varint.h"
#include "os/file.h"

#define PATH_ROOM (2 * PATH_MAX)

struct source_file {
	struct file_stamp stamp;
	uint32_t number;
};

static uint64_t hash_pair(uint64_t number, struct pl_view name)
{
	uint64_t pair[2] = {number, hash_bytes(name.at, name.left)};

	return hash_bytes(pair, sizeof pair);
}

/* The length is part of the key: two texts of one hash and one length do not happen by chance. */
static uint64_t *place_of(
	struct sources *s, struct pl_view file, struct pl_view text, const char *reason)
{
	struct pl_view words = view_of(reason, strlen(reason));

	if (!words.left)
		return map_put(&s->texts, hash_pair(text.left, text));
	return map_put(&s->texts, hash_pair(hash_bytes(words.at, words.left), file));
}

/* Give a text, or the reason why there is none, its number. The bounds are of one text and of all:
 * what is over them is a source with a reason. */
static uint32_t number_of(struct sources *s, struct store *out, struct pl_view file,
	struct pl_view text, const char *reason)
{
	if (!*reason && text.left > SOURCE_TEXT_MAX)
		reason = "limit: the text is larger than 4 MiB";
	uint64_t *number = place_of(s, file, text, reason);
	if (!number)
		return 0;
	if (!*number && !*reason && s->total_bytes + text.left > SOURCES_TOTAL_MAX) {
		reason = "limit: the recording holds 256 MiB of texts";
		number = place_of(s, file, text, reason);
		if (!number)
			return 0;
	}
	if (*number)
		return (uint32_t)*number - 1;
	*number = ++s->count + 1;
	if (*reason)
		text.left = 0;
	s->total_bytes += text.left;
	buf_reset(&s->record);
	buf_reserve(&s->record, file.left + strlen(reason) + text.left + 4 * PL_VARINT_MAX);
	buf_varint(&s->record, s->count);
	buf_string(&s->record, file.at, file.left);
	buf_string(&s->record, reason, strlen(reason));
	buf_string(&s->record, text.at, text.left);
	store_put(out, RECORD_SOURCE, &s->record);
	return s->count;
}

void sources_tell(struct sources *s, struct store *out, uint32_t process, struct pl_view file,
	struct pl_view text)
{
	uint32_t number = text.left ? number_of(s, out, file, text, "") : 0;
	uint64_t *told = map_put(&s->told, hash_pair(process, file));
	uint64_t now = number ? number + 1 : 0;

	if (!told || *told == now)
		return;
	*told = now;
	buf_reset(&s->record);
	buf_varint(&s->record, process);
	buf_varint(&s->record, now);
	buf_string(&s->record, file.at, file.left);
	store_put(out, RECORD_TOLD, &s->record);
}

/* Numbers grow with time, so a way up the parents ends, whatever the arena says. */
void sources_forked(struct sources *s, uint32_t process, uint32_t parent)
{
	uint64_t *place = parent && parent < process ? map_put(&s->forks, process) : NULL;

	if (place)
		*place = parent;
}

/* What was told in this process, else in the one that it was forked from, as it was then or later.
 */
static const uint64_t *told_number(
	const struct sources *s, const struct source_place *p, struct pl_view file)
{
	const uint64_t *told = NULL, *parent;

	for (uint64_t process = p->process; process; process = parent ? *parent : 0) {
		told = map_find(&s->told, hash_pair(process, file));
		if (told)
			break;
		parent = map_find(&s->forks, process);
	}
	return told && *told ? told : NULL;
}

/* ---- files ---- */

/* NAME of "<frozen NAME>", or none. */
static bool frozen_name(struct pl_view file, char *name, size_t room)
{
	static const char before[] = "<frozen ";
	size_t n = sizeof before - 1;

	if (file.left < n + 2 || memcmp(file.at, before, n) != 0 || file.at[file.left - 1] != '>')
		return false;
	snprintf(name, room, "%.*s", (int)(file.left - n - 1), (const char *)file.at + n);
	for (char *c = name; *c; c++)
		if (*c == '.')
			*c = '/';
	return true;
}

/* Through the program's own root first: it may live in another one, by chroot or as a container. */
static int read_at(const struct source_place *p, const char *path, struct file_stamp *stamp,
	struct pl_buf *text)
{
	char full[PATH_ROOM + 64];

	snprintf(full, sizeof full, "/proc/%d/root%s", p->pid, path);
	const char *tries[] = {full, path};
	int err = -ENOENT;
	for (int i = 0; i < 2 && err < 0 && err != -EFBIG; i++) {
		err = text ? file_read_stamped(AT_FDCWD, tries[i], SOURCE_TEXT_MAX, stamp, text)
			   : file_stamp(AT_FDCWD, tries[i], stamp);
	}
	return err;
}

/* The directory where it is now: a script started by a relative name that has not changed its
 * directory yet. */
static bool current_directory(const struct source_place *p, char *to, size_t room)
{
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/cwd", p->pid);
	ssize_t n = readlink(link, to, room - 1);
	to[n < 0 ? 0 : n] = 0;
	return n > 0;
}

/* text NULL: the stamp only. */
static int read_file(const struct source_place *p, struct pl_view file, struct file_stamp *stamp,
	struct pl_buf *text)
{
	char path[PATH_ROOM], name[PATH_MAX], directory[PATH_MAX];
	int err = -ENOENT;

	if (frozen_name(file, name, sizeof name)) {
		if (!*p->stdlib_dir)
			return -ENOENT;
		snprintf(path, sizeof path, "%s/%s.py", p->stdlib_dir, name);
		err = read_at(p, path, stamp, text);
		if (err == -ENOENT) {
			snprintf(path, sizeof path, "%s/%s/__init__.py", p->stdlib_dir, name);
			err = read_at(p, path, stamp, text);
		}
		return err;
	}
	if (file.left >= PATH_MAX || memchr(file.at, 0, file.left))
		return -ENAMETOOLONG;
	if (file.at[0] == '/') {
		snprintf(path, sizeof path, "%.*s", (int)file.left, (const char *)file.at);
		return read_at(p, path, stamp, text);
	}
	if (*p->directory) {
		snprintf(path, sizeof path, "%s/%.*s", p->directory, (int)file.left,
			(const char *)file.at);
		err = read_at(p, path, stamp, text);
	}
	if (err < 0 && current_directory(p, directory, sizeof directory)) {
		snprintf(path, sizeof path, "%s/%.*s", directory, (int)file.left,
			(const char *)file.at);
		err = read_at(p, path, stamp, text);
	}
	return err;
}

/* A name in angle brackets is no file's, but for the frozen ones. */
static bool is_no_file(struct pl_view file)
{
	char name[PATH_MAX];

	return !file.left || (file.at[0] == '<' && file.at[file.left - 1] == '>' &&
				     !frozen_name(file, name, sizeof name));
}

static struct source_file *stamp_place(struct sources *s, struct pl_view file, bool *known)
{
	uint64_t *index = map_put(&s->files, hash_bytes(file.at, file.left));

	if (!index)
		return NULL;
	*known = *index != 0;
	if (*index)
		return &s->stamps[*index - 1];
	if (s->stamp_count == s->stamp_room) {
		size_t room = s->stamp_room ? s->stamp_room * 2 : 64;
		struct source_file *at = realloc(s->stamps, room * sizeof *at);
		if (!at)
			return NULL;
		s->stamps = at;
		s->stamp_room = room;
	}
	*index = ++s->stamp_count;
	s->stamps[*index - 1] = (struct source_file){0};
	return &s->stamps[*index - 1];
}

static const char *reason_of(int err, char *room, size_t size)
{
	switch (err) {
	case 0:
		return "";
	case -ENOENT:
	case -ENOTDIR:
		return "no such file";
	case -EINVAL:
		return "not a regular file";
	case -EFBIG:
		return "limit: the file is larger than 4 MiB";
	default:
		snprintf(room, size, "cannot be read: %s", strerror(-err));
		return room;
	}
}

/* A file is read at its first code, and again when its module's body comes anew, if its stamp has
 * changed: a reload. Functions that come later are of the text that was read with their module. */
static uint32_t file_number(struct sources *s, struct store *out, const struct source_place *p,
	struct pl_view file, bool is_module)
{
	struct file_stamp stamp = {0};
	char room[128];
	bool known;
	struct source_file *f = stamp_place(s, file, &known);

	if (!f)
		return 0;
	if (known && (!is_module || (read_file(p, file, &stamp, NULL) == 0 &&
					    memcmp(&stamp, &f->stamp, sizeof stamp) == 0)))
		return f->number;
	int err = read_file(p, file, &stamp, &s->text);
	if (err < 0 && known && f->number)
		return f->number; /* it is gone since: what was read is the best that is known */
	f->stamp = stamp;
	f->number = number_of(s, out, file, buf_view(&s->text), reason_of(err, room, sizeof room));
	return f->number;
}

uint32_t sources_number(struct sources *s, struct store *out, const struct source_place *p,
	struct pl_view file, bool is_module)
{
	const uint64_t *told = told_number(s, p, file);
	char reason[256];

	if (told)
		return (uint32_t)*told - 1;
	if (!is_no_file(file))
		return file_number(s, out, p, file, is_module);
	snprintf(reason, sizeof reason, "no file: %.*s", (int)(file.left > 200 ? 200 : file.left),
		(const char *)file.at);
	return number_of(s, out, file, (struct pl_view){0}, reason);
}

/* What was read before holds also when the file is gone since, or out of reach. */
static void remember_file(
	struct sources *s, struct pl_view file, uint32_t number, const char *reason)
{
	bool known;
	struct source_file *f = *reason || is_no_file(file) ? NULL : stamp_place(s, file, &known);

	if (f)
		*f = (struct source_file){.number = number};
}

void sources_load(struct sources *s, struct pl_view v)
{
	uint64_t number;
	struct pl_view file, reason, text;
	char words[256];

	if (view_varint_max(&v, UINT32_MAX - 2, &number) || view_string(&v, &file) ||
		view_string(&v, &reason) || view_string(&v, &text))
		return;
	snprintf(words, sizeof words, "%.*s", (int)(reason.left > 255 ? 255 : reason.left),
		(const char *)reason.at);
	uint64_t *place = place_of(s, file, text, words);
	if (place)
		*place = number + 1;
	if (number > s->count)
		s->count = (uint32_t)number;
	s->total_bytes += text.left;
	remember_file(s, file, (uint32_t)number, words);
}

void sources_load_told(struct sources *s, struct pl_view v)
{
	uint64_t process, source;
	struct pl_view file;

	if (view_varint_max(&v, UINT32_MAX, &process) || view_varint_max(&v, UINT32_MAX, &source) ||
		view_string(&v, &file))
		return;
	uint64_t *told = map_put(&s->told, hash_pair(process, file));
	if (told)
		*told = source;
}

void sources_release(struct sources *s)
{
	map_release(&s->texts);
	map_release(&s->told);
	map_release(&s->forks);
	map_release(&s->files);
	free(s->stamps);
	buf_release(&s->record);
	buf_release(&s->text);
	*s = (struct sources){0};
}
