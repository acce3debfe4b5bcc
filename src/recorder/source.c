/* The text from which code was compiled.
 *
 * All code objects of one compilation share one object as their file name, so a unit is identified
 * by the address of that object. The unit is opened by its first code, which is the module's own
 * unless that ran before the recording began, and the text is looked for then:
 *
 *	a file of long ago       its stamp; the collector reads the file and compares
 *	a file of just now       its bytes, read here: a later change may leave the stamp as it is
 *	a member of a zip file   the same: the zip file's stamp, or the packed bytes in it
 *	no such file             what the program gave to linecache
 *	<frozen NAME>            the collector looks into the standard library
 *	<stdin>                  the file that stdin is redirected from, if it fits the code
 *	<other>                  what linecache has, or the text of -c
 *	a confined program       no file is looked at: a seccomp filter could end the program
 *
 * If the same object is the file name of a second module with another text (a reload, on 3.13 and
 * later), all code in the second module is described at once. So code that comes later belongs to
 * the first.
 *
 * Nothing of the program runs here: only regular files are opened, and linecache's entries are read
 * without calling them. Under the GIL.
 */
#include "recorder/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/view.h"
#include "format/code_text.h"
#include "format/message.h"
#include "os/archive.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/fits.h"
#include "recorder/loaded.h"
#include "recorder/message.h"
#include "recorder/names.h"
#include "recorder/root.h"

#define TEXT_MAX ((size_t)4 << 20)     /* longer ones are not sent; for files see source_texts.h */
#define FRESH_NS ((int64_t)2000000000) /* more than the resolution of any file system's times */

struct unit {
	uint64_t name; /* hash of the file name: the address may be reused */
	uint64_t from; /* identifies its text; 0: nothing shows that it is the same again */
	uint32_t number;
};

/* What was found for a unit that is about to be opened. */
struct found {
	struct code_text text;
	struct file_stamp stamp;
	struct pl_buf bytes; /* owned */
	char directory[PATH_MAX];
	uint64_t from;
};

static struct {
	struct pl_map places; /* address of a file name -> index in units + 1 */
	struct unit *units;   /* owned */
	size_t count, room;
	int64_t began_ns; /* CLOCK_REALTIME */
	/* The unit of which all code is being described, because other code has the same name
	 * object. */
	struct {
		const PyObject *name; /* only compared */
		uint32_t unit;	      /* 0: none */
		bool running;	      /* false: still to be done */
	} apart;
} source;

static int64_t wall_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void source_begin(void)
{
	map_release(&source.places);
	source.count = 0;
	source.apart.unit = 0;
	if (!source.began_ns)
		source.began_ns = wall_clock_ns();
}

/* The known unit with this name, or NULL. Valid until the next unit_put. */
static struct unit *unit_find(const PyObject *name, struct pl_view file)
{
	const uint64_t *place = map_find(&source.places, (uint64_t)(uintptr_t)name);
	struct unit *u = place && *place ? &source.units[*place - 1] : NULL;

	return u && u->name == hash_bytes(file.at, file.left) ? u : NULL;
}

static bool unit_put(const PyObject *name, const struct unit *u)
{
	uint64_t *place = map_put(&source.places, (uint64_t)(uintptr_t)name);

	if (place && !*place) {
		if (source.count == source.room) {
			size_t room = source.room ? source.room * 2 : 256;
			struct unit *at = realloc(source.units, room * sizeof *at);
			if (!at)
				return false;
			source.units = at;
			source.room = room;
		}
		*place = ++source.count;
	}
	if (place)
		source.units[*place - 1] = *u;
	return place != NULL;
}

/* Is it the code that a compilation returns, not one inside it? */
static bool is_top(const PyCodeObject *code)
{
	return PyUnicode_GET_LENGTH(code->co_qualname) == 8 &&
	       PyUnicode_EqualToUTF8(code->co_qualname, "<module>");
}

/* ---- texts that no file has ---- */

/* The lines that linecache has for a file name: borrowed, NULL if none. An entry with a text is
 * (size, mtime, lines, fullname); a lazy one has a function in place of these, which is not called.
 * given: only if the program has set it, not if linecache has read it from a file. */
static PyObject *cached_lines(PyObject *file, bool given)
{
	PyObject *cache = module_attribute("linecache", "cache");
	PyObject *entry =
		cache && PyDict_CheckExact(cache) ? PyDict_GetItemWithError(cache, file) : NULL;

	if (!entry || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 4 ||
		(given && PyTuple_GET_ITEM(entry, 1) != Py_None))
		return NULL;
	PyObject *lines = PyTuple_GET_ITEM(entry, 2);
	return PyList_CheckExact(lines) ? lines : NULL;
}

static void find_text(struct found *f, const void *bytes, size_t n, enum code_text_how how)
{
	buf_reset(&f->bytes);
	buf_put(&f->bytes, bytes, n);
	f->text.how = how;
	f->from = hash_bytes(bytes, n);
}

static bool find_lines(struct found *f, PyObject *file, bool given)
{
	PyObject *lines = cached_lines(file, given), *nothing = NULL, *text = NULL, *keep = NULL;
	size_t n;

	if (lines && PyList_GET_SIZE(lines) && (nothing = PyUnicode_FromString("")))
		text = PyUnicode_Join(nothing, lines);
	if (text) {
		const char *bytes = text_of(text, &n, &keep);
		if (n && n <= TEXT_MAX)
			find_text(f, bytes, n, CODE_TEXT_DECODED);
	}
	PyErr_Clear();
	Py_XDECREF(keep);
	Py_XDECREF(text);
	Py_XDECREF(nothing);
	return f->text.how == CODE_TEXT_DECODED;
}

/* ---- files ---- */

/* The length of the zip file's path in a name like "app.pyz/package/module.py"; 0: there is
 * none. */
static uint32_t archive_length(const char *path, size_t length, struct file_stamp *stamp)
{
	char front[PATH_MAX];
	int err = -ENOTDIR;

	memcpy(front, path, length);
	for (size_t n = length - 1; n && err == -ENOTDIR; n--) {
		if (front[n] != '/')
			continue;
		front[n] = 0;
		err = file_stamp(AT_FDCWD, front, stamp);
		if (err == 0)
			return (uint32_t)n;
	}
	return 0;
}

static int read_archive_member(struct found *f, const char *path, struct file_stamp *stamp)
{
	const size_t n = f->text.archive;
	char archive[PATH_MAX];
	struct archive_member m = {0};

	memcpy(archive, path, n);
	archive[n] = 0;
	const struct archive_wanted w = {
		archive, view_of(path + n + 1, f->text.file.left - n - 1), TEXT_MAX};
	int err = archive_read(&w, stamp, &m, &f->bytes);
	f->text.member[0] = m.method;
	f->text.member[1] = m.crc;
	f->text.member[2] = m.bytes;
	return err;
}

/* A file that was just written may be written again without a change of its stamp. */
static void read_fresh(struct found *f, const char *path)
{
	const bool packed = f->text.how == CODE_TEXT_ARCHIVE;
	struct file_stamp stamp = {0};
	int err = packed ? read_archive_member(f, path, &stamp)
			 : file_read_stamped(AT_FDCWD, path, TEXT_MAX, &stamp, &f->bytes);

	f->from = 0;
	if (err == 0 && memcmp(&stamp, &f->stamp, sizeof stamp) == 0) {
		f->text.how = packed ? CODE_TEXT_MEMBER : CODE_TEXT_BYTES;
		return;
	}
	buf_reset(&f->bytes);
	/* If it is too large, or not in the zip file, the collector finds and reports the same. */
	if (err == 0 || (err != -EFBIG && err != -ENOENT && err != -EBADMSG))
		f->text.how = CODE_TEXT_LATE;
}

/* Is the file what was compiled, as far as the code shows? */
static bool is_proven(struct found *f, PyCodeObject *code, const char *path)
{
	struct file_stamp stamp = {0};
	const enum loaded when = loaded_when(code, path, &f->stamp, f->text.hash);

	if (when != LOADED_UNKNOWN || f->text.how != CODE_TEXT_FILE)
		return when == LOADED_NOW;
	int err = file_read_stamped(AT_FDCWD, path, TEXT_MAX, &stamp, &f->bytes);
	bool fits = err == 0 && !memcmp(&stamp, &f->stamp, sizeof stamp) &&
		    code_fits(code, buf_view(&f->bytes));
	buf_reset(&f->bytes);
	return fits || err == -EFBIG; /* the collector says so */
}

/* Code of a module was compiled at its first run at the latest, other code at any time since the
 * process began. */
static void find_text_file(struct found *f, PyCodeObject *code, const char *path)
{
	size_t length = f->text.file.left;
	int err = -ENOENT;

	f->text.how = CODE_TEXT_FILE;
	if (length && length < PATH_MAX && !memchr(path, 0, length))
		err = file_stamp(AT_FDCWD, path, &f->stamp);
	if (err == -ENOTDIR) {
		f->text.archive = archive_length(path, length, &f->stamp);
		f->text.how = CODE_TEXT_ARCHIVE;
		err = f->text.archive ? 0 : -ENOTDIR;
	}
	if (err < 0) {
		f->text.how = CODE_TEXT_NONE;
		f->text.error = (uint32_t)-err;
		return;
	}
	if (*path != '/' && getcwd(f->directory, sizeof f->directory))
		f->text.directory = view_of(f->directory, strlen(f->directory));
	f->from = hash_bytes(&f->stamp, sizeof f->stamp);
	if (!is_top(code) && f->stamp.changed_ns >= source.began_ns)
		f->text.how = CODE_TEXT_LATE;
	else if (!is_proven(f, code, path))
		f->text.how = CODE_TEXT_OTHER;
	else if (wall_clock_ns() - f->stamp.changed_ns < FRESH_NS)
		read_fresh(f, path);
}

static bool is_confined(void)
{
	return root.confined && atomic_load_explicit(root.confined, memory_order_relaxed);
}

/* `python - <program.py`. The program may have been read from the middle of it, or stdin be another
 * file by now. */
static void find_stdin(struct found *f, PyCodeObject *code)
{
	struct file_stamp stamp;

	if (is_confined() || file_stamp_of(0, &stamp) ||
		file_read_stamped(AT_FDCWD, "/proc/self/fd/0", TEXT_MAX, &stamp, &f->bytes))
		return;
	if (code_fits(code, buf_view(&f->bytes))) {
		f->text.how = CODE_TEXT_BYTES;
		f->from = hash_bytes(f->bytes.at, f->bytes.used);
	} else {
		buf_reset(&f->bytes);
	}
}

static bool is_stdin(struct pl_view file)
{
	return file.left == 7 && !memcmp(file.at, "<stdin>", 7);
}

static void find_text_of(struct found *f, PyCodeObject *code, const char *file)
{
	static const char frozen[] = "<frozen ";
	size_t length = f->text.file.left;

	if (length && file[0] == '<' && file[length - 1] == '>') {
		f->text.how = CODE_TEXT_NONE;
		/* There are many texts of "<string>"; 3.13 gives that of -c to linecache. */
		if (length == 8 && memcmp(file, "<string>", 8) == 0)
			return;
		if (find_lines(f, code->co_filename, false))
			return;
		if (length > sizeof frozen && memcmp(file, frozen, sizeof frozen - 1) == 0) {
			f->text.how = CODE_TEXT_FROZEN;
			f->from = 1;
		} else if (is_stdin(f->text.file)) {
			find_stdin(f, code);
		}
		return;
	}
	if (is_confined()) {
		f->text.how = CODE_TEXT_CONFINED;
	} else {
		find_text_file(f, code, file);
	}
	if (f->text.how == CODE_TEXT_NONE || f->text.how == CODE_TEXT_CONFINED)
		find_lines(f, code->co_filename, true);
}

static bool send_text(struct found *f)
{
	struct pl_buf fields = {0};
	const uint64_t stamp[CODE_TEXT_STAMP] = {f->stamp.device, f->stamp.inode, f->stamp.bytes,
		(uint64_t)f->stamp.written_ns, (uint64_t)f->stamp.changed_ns};

	memcpy(f->text.stamp, stamp, sizeof stamp);
	f->text.text = buf_view(&f->bytes);
	code_text_write(&fields, &f->text);
	bool sent = !f->bytes.failed && message_put(MESSAGE_TEXT, &fields);
	buf_release(&fields);
	return sent;
}

/* ---- units ---- */

static void text_put_apart(const PyObject *name, uint32_t unit)
{
	source.apart.name = name;
	source.apart.unit = unit;
	source.apart.running = false;
}

/* The module of -c? All other code from a "<string>" has the same name. */
static bool is_command(const PyCodeObject *code)
{
	return root.command_text.used && PyUnicode_EqualToUTF8(code->co_filename, "<string>") &&
	       is_top(code);
}

static uint32_t open_command(PyCodeObject *code, struct found *f)
{
	find_text(f, root.command_text.at, root.command_text.used, CODE_TEXT_DECODED);
	buf_release(&root.command_text);
	if (!send_text(f))
		return 0;
	text_put_apart(code->co_filename, f->text.unit);
	return f->text.unit;
}

/* This allocates memory, so other code may be described meanwhile. */
static uint32_t open_unit(PyCodeObject *code, struct found *f, const char *file)
{
	find_text_of(f, code, file);
	const struct unit *u = unit_find(code->co_filename, f->text.file);
	if (u && u->from == f->from && f->from)
		return u->number;
	if ((f->text.how == CODE_TEXT_NONE && *file == '<') || !send_text(f))
		return 0;
	if (u)
		text_put_apart(code->co_filename, f->text.unit);
	else if (!unit_put(code->co_filename,
			 &(struct unit){.name = hash_bytes(f->text.file.at, f->text.file.left),
				 .from = f->from,
				 .number = f->text.unit}))
		return 0;
	return f->text.unit;
}

static uint32_t open_any(PyCodeObject *code, const char *file, size_t length, uint32_t number)
{
	struct found *f = calloc(1, sizeof *f);

	if (!f)
		return 0;
	f->text.unit = number;
	f->text.file = view_of(file, length);
	uint32_t unit = is_command(code) ? open_command(code, f) : open_unit(code, f, file);
	buf_release(&f->bytes);
	free(f);
	return unit;
}

uint32_t source_unit(PyCodeObject *code, uint32_t number)
{
	int saved = errno;
	PyObject *keep = NULL;
	size_t length;

	if (source.apart.running && source.apart.name == code->co_filename)
		return source.apart.unit;
	const char *file = text_of(code->co_filename, &length, &keep);
	const struct unit *u = unit_find(code->co_filename, view_of(file, length));
	uint32_t unit = u && !is_top(code) ? u->number : open_any(code, file, length, number);
	Py_XDECREF(keep);
	PyErr_Clear();
	errno = saved;
	return unit;
}

static void describe_nested(PyCodeObject *code)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
		PyObject *constant = PyTuple_GET_ITEM(code->co_consts, i);
		if (PyCode_Check(constant) && code_record((PyCodeObject *)constant))
			describe_nested((PyCodeObject *)constant);
	}
}

void source_described(PyCodeObject *code)
{
	if (!source.apart.unit || source.apart.running || source.apart.name != code->co_filename)
		return;
	source.apart.running = true;
	describe_nested(code);
	source.apart.unit = 0;
	source.apart.running = false;
}
