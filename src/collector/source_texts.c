#define _GNU_SOURCE
#include "collector/source_texts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/varint.h"
#include "collector/encoding.h"
#include "collector/unpack.h"

#define PATH_ROOM (2 * PATH_MAX)

static uint64_t hash_pair(uint64_t number, struct pl_view name)
{
	uint64_t pair[2] = {number, hash_bytes(name.at, name.left)};

	return hash_bytes(pair, sizeof pair);
}

/* The length is part of the key: two texts with one hash and one length do not occur by chance. */
static uint64_t *place_of(
	struct source_texts *s, struct pl_view file, struct pl_view text, const char *reason)
{
	struct pl_view words = view_of(reason, strlen(reason));

	if (!words.left)
		return map_put(&s->texts, hash_pair(text.left, text));
	return map_put(&s->texts, hash_pair(hash_bytes(words.at, words.left), file));
}

/* Texts, and the reasons why there is none, may take half of the recording's limit: events come
 * first. */
static bool is_over_limit(const struct source_texts *s, const struct store *out, size_t bytes)
{
	return out->limit_bytes && s->stored_bytes + bytes > out->limit_bytes / 2;
}

/* Number a text, or the reason why there is none. The limits are for one text and for all: a text
 * beyond them becomes a record with a reason. */
static uint32_t number_of(struct source_texts *s, struct store *out, struct pl_view file,
	struct pl_view text, const char *reason)
{
	if (!*reason && text.left > SOURCE_TEXT_MAX)
		reason = "limit: the text is larger than 4 MiB";
	uint64_t *number = place_of(s, file, text, reason);
	if (!number)
		return 0;
	const bool over = is_over_limit(s, out, *reason ? file.left : text.left);
	if (!*number &&
		(over || (!*reason && s->total_bytes + text.left > SOURCE_TEXTS_TOTAL_MAX))) {
		reason = over ? "limit: texts would take more than half of --limit"
			      : "limit: the recording holds 256 MiB of texts";
		if (over) /* one number for all of these, because their names take room too */
			file = (struct pl_view){0};
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
	const size_t before = out->meta.used;
	store_put(out, RECORD_SOURCE, &s->record);
	s->stored_bytes += out->meta.used - before;
	return s->count;
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

/* A file, or, if `name` is set, a member of a zip file. */
struct wanted {
	const char *path;
	struct pl_view name;
};

static int read_wanted(
	const char *path, struct pl_view name, struct file_stamp *stamp, struct source_texts *s)
{
	struct archive_member m;

	if (!name.left)
		return file_read_stamped(AT_FDCWD, path, SOURCE_TEXT_MAX, stamp, &s->bytes);
	const struct archive_wanted w = {path, name, SOURCE_TEXT_MAX};
	int err = archive_read(&w, stamp, &m, &s->packed);
	return err < 0 ? err : unpack(&m, buf_view(&s->packed), SOURCE_TEXT_MAX, &s->bytes);
}

/* Read into s->bytes, first through the program's own root, which may differ from ours, by chroot
 * or in a container. */
static int read_at(struct source_texts *s, const struct text_place *p, struct wanted w,
	struct file_stamp *stamp)
{
	char full[PATH_ROOM + 64];

	snprintf(full, sizeof full, "/proc/%d/root%s", p->pid, w.path);
	const char *tries[] = {full, w.path};
	int err = -ENOENT;
	for (int i = 0; i < 2 && err < 0 && err != -EFBIG; i++)
		err = read_wanted(tries[i], w.name, stamp, s);
	return err;
}

static const char *reason_of(int err, char *room, size_t size)
{
	switch (err) {
	case 0:
		return "";
	case -ENOENT:
	case -ENOTDIR:
		return "no such file";
	case -ESTALE:
		return "the file was changed before it was read";
	case -EINVAL:
		return "not a regular file";
	case -EFBIG:
		return "limit: the file is larger than 4 MiB";
	case -EBADMSG:
		return "the zip file is damaged";
	case -ENOTSUP:
		return "it is packed in another way than Python reads";
	default:
		snprintf(room, size, "cannot be read: %s", strerror(-err));
		return room;
	}
}

/* Frozen modules have no file, but the standard library has their text: NAME.py, or
 * NAME/__init__.py. */
static int read_frozen(struct source_texts *s, const struct text_place *p, struct pl_view file)
{
	char path[PATH_ROOM], name[PATH_MAX];
	struct file_stamp stamp;

	if (!*p->stdlib_dir || !frozen_name(file, name, sizeof name))
		return -ENOENT;
	snprintf(path, sizeof path, "%s/%s.py", p->stdlib_dir, name);
	int err = read_at(s, p, (struct wanted){path}, &stamp);
	if (err == -ENOENT) {
		snprintf(path, sizeof path, "%s/%s/__init__.py", p->stdlib_dir, name);
		err = read_at(s, p, (struct wanted){path}, &stamp);
	}
	return err;
}

static struct file_stamp stamp_of(const struct code_text *t)
{
	return (struct file_stamp){.device = t->stamp[0],
		.inode = t->stamp[1],
		.bytes = t->stamp[2],
		.written_ns = (int64_t)t->stamp[3],
		.changed_ns = (int64_t)t->stamp[4]};
}

/* The first `length` bytes of the file's name, as an absolute path. */
static bool path_of(const struct code_text *t, size_t length, char path[PATH_ROOM])
{
	if (!length || length >= PATH_MAX || t->directory.left >= PATH_MAX ||
		memchr(t->file.at, 0, length))
		return false;
	bool whole = t->file.at[0] == '/';
	snprintf(path, PATH_ROOM, "%.*s%s%.*s", whole ? 0 : (int)t->directory.left,
		(const char *)t->directory.at, whole ? "" : "/", (int)length,
		(const char *)t->file.at);
	return true;
}

/* The bytes of the file or member, if the file still has the stamp that it had when the unit was
 * opened. */
static const char *read_stamped(
	struct source_texts *s, const struct text_place *p, const struct code_text *t)
{
	const bool packed = t->how == CODE_TEXT_ARCHIVE && t->archive < t->file.left;
	const size_t length = packed ? t->archive : t->file.left;
	struct wanted w = {0};
	static char room[128];
	const struct file_stamp then = stamp_of(t);
	struct file_stamp now = {0};
	char path[PATH_ROOM];

	if (!path_of(t, length, path))
		return "no such file";
	w.path = path;
	if (packed)
		w.name = view_of(t->file.at + length + 1, t->file.left - length - 1);
	int err = read_at(s, p, w, &now);
	if (err == 0 && memcmp(&now, &then, sizeof now) != 0)
		err = -ESTALE;
	return reason_of(err, room, sizeof room);
}

/* ---- units ---- */

/* The bytes are what was compiled, as far as is known. A .pyc by hash has the hash of its source,
 * which then must fit (t->hash). */
static uint32_t put_bytes(
	struct source_texts *s, struct store *out, const struct code_text *t, struct pl_view bytes)
{
	const struct pl_view file = t->file;
	char reason[256];

	if (t->hash[0] && text_hash(t->hash[0], bytes) != t->hash[1])
		return number_of(s, out, file, (struct pl_view){0},
			"the file has another text than what was compiled");
	const char *why = text_decode(bytes, &s->text);
	if (!why)
		return number_of(s, out, file, buf_view(&s->text), "");
	snprintf(reason, sizeof reason, "it cannot be what ran: %s", why);
	return number_of(s, out, file, (struct pl_view){0}, reason);
}

/* A file is read once for each stamp, however many codes are of it; after a failure it is tried
 * again with the next one. */
static uint32_t put_file(struct source_texts *s, struct store *out, const struct text_place *p,
	const struct code_text *t)
{
	uint64_t stamp = hash_bytes(t->stamp, sizeof t->stamp) ^ t->hash[1];
	uint64_t *known = map_put(&s->files, hash_pair(stamp, t->file));

	if (!known || *known)
		return known ? (uint32_t)*known - 1 : 0;
	const char *why = read_stamped(s, p, t);
	if (*why)
		return number_of(s, out, t->file, (struct pl_view){0}, why);
	uint32_t number = put_bytes(s, out, t, buf_view(&s->bytes));
	*known = number ? (uint64_t)number + 1 : 0;
	return number;
}

static uint32_t put_frozen(
	struct source_texts *s, struct store *out, const struct text_place *p, struct pl_view file)
{
	char room[128];
	struct pl_view place = view_of(p->stdlib_dir, strlen(p->stdlib_dir));
	uint64_t *known = map_put(&s->files, hash_pair(hash_bytes(place.at, place.left), file));

	if (!known || *known)
		return known ? (uint32_t)*known - 1 : 0;
	const char *why = reason_of(read_frozen(s, p, file), room, sizeof room);
	uint32_t number =
		*why ? number_of(s, out, file, (struct pl_view){0}, why)
		     : put_bytes(s, out, &(struct code_text){.file = file}, buf_view(&s->bytes));
	*known = number ? (uint64_t)number + 1 : 0;
	return number;
}

/* The recorder has sent the member as it is packed. */
static uint32_t put_member(struct source_texts *s, struct store *out, const struct code_text *t)
{
	const struct archive_member m = {
		.method = t->member[0], .crc = t->member[1], .bytes = t->member[2]};
	char room[128];
	const char *why =
		reason_of(unpack(&m, t->text, SOURCE_TEXT_MAX, &s->bytes), room, sizeof room);

	return *why ? number_of(s, out, t->file, (struct pl_view){0}, why)
		    : put_bytes(s, out, t, buf_view(&s->bytes));
}

/* By how the recorder knew the text (format/code_text.h). Each way ends in a record with a text, or
 * in one with the reason why there is none. */
static uint32_t put_text(struct source_texts *s, struct store *out, const struct text_place *p,
	const struct code_text *t)
{
	char room[128];

	switch (t->how) {
	case CODE_TEXT_BYTES:
		return put_bytes(s, out, t, t->text);
	case CODE_TEXT_DECODED:
		return number_of(s, out, t->file, t->text, "");
	case CODE_TEXT_MEMBER:
		return put_member(s, out, t);
	case CODE_TEXT_FILE:
	case CODE_TEXT_ARCHIVE:
		return put_file(s, out, p, t);
	case CODE_TEXT_FROZEN:
		return put_frozen(s, out, p, t->file);
	case CODE_TEXT_LATE:
		return number_of(s, out, t->file, (struct pl_view){0},
			"the file may have been changed after it was compiled");
	case CODE_TEXT_OTHER:
		return number_of(s, out, t->file, (struct pl_view){0},
			"the file has another text than what was compiled");
	case CODE_TEXT_CONFINED:
		return number_of(s, out, t->file, (struct pl_view){0},
			"the program had given up rights (prctl), so it was not looked at");
	case CODE_TEXT_NONE:
		return number_of(s, out, t->file, (struct pl_view){0},
			reason_of(-(int)(t->error & 0xffff), room, sizeof room));
	default:
		return number_of(s, out, t->file, (struct pl_view){0}, "no such file");
	}
}

void source_texts_open(struct source_texts *s, struct store *out, const struct text_place *p,
	const struct code_text *t)
{
	uint32_t number = put_text(s, out, p, t);
	uint64_t *unit = number ? map_put(&s->units, t->unit) : NULL;

	if (!unit)
		return;
	*unit = (uint64_t)number + 1;
	buf_varint(&s->new_units, t->unit);
	buf_varint(&s->new_units, (uint64_t)number + 1);
}

/* For a code whose text unit is not known: the record says so. */
uint32_t source_texts_number(
	struct source_texts *s, struct store *out, uint32_t unit, struct pl_view file)
{
	const uint64_t *known = unit ? map_find(&s->units, unit) : NULL;
	char reason[256];

	if (known && *known)
		return (uint32_t)*known - 1;
	if (!unit && file.left == 7 && !memcmp(file.at, "<stdin>", 7))
		return number_of(s, out, file, (struct pl_view){0},
			"it came to stdin from a pipe or a terminal, and is not kept; a program "
			"from a file has its text");
	snprintf(reason, sizeof reason, "%s: %.*s", unit ? "its text was lost" : "no file",
		(int)(file.left > 200 ? 200 : file.left), (const char *)file.at);
	return number_of(s, out, file, (struct pl_view){0}, reason);
}

void source_texts_flush(struct source_texts *s, struct store *out)
{
	if (s->new_units.used || s->new_units.failed)
		store_put(out, RECORD_UNITS, &s->new_units);
	buf_reset(&s->new_units);
	s->new_units.failed = false;
}

/* When another collector goes on with a recording: its texts have their numbers already. */
void source_texts_load(struct source_texts *s, struct pl_view v)
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
	s->stored_bytes += text.left; /* at most */
}

void source_texts_load_units(struct source_texts *s, struct pl_view v)
{
	uint64_t unit, text;

	while (v.left && !view_varint_max(&v, UINT32_MAX, &unit) &&
		!view_varint_max(&v, UINT32_MAX, &text)) {
		uint64_t *place = map_put(&s->units, unit);
		if (place)
			*place = text;
	}
}

void source_texts_release(struct source_texts *s)
{
	map_release(&s->texts);
	map_release(&s->units);
	map_release(&s->files);
	buf_release(&s->record);
	buf_release(&s->bytes);
	buf_release(&s->packed);
	buf_release(&s->text);
	buf_release(&s->new_units);
	*s = (struct source_texts){0};
}
