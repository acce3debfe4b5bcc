/* When was a module's code compiled? Just now, from the existing file, or earlier, and then it came
 * from a .pyc.
 *
 *	a script               just now
 *	an import, or -m       just now, unless its .pyc has the file's time and size, or its hash
 *	exec by the program    not known
 *
 * The .pyc has the time in seconds. So it belongs to another text if the file was changed within
 * one second and kept its size, or if a program set the time. Such a file was changed after the
 * .pyc was written; but so were files that were only copied, linked or given to another user. If
 * the .pyc was written in the file's second, and in this place, the file counts as changed.
 * Otherwise it is not known.
 *
 * Nothing of the program runs here.
 */
#include "recorder/loaded.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "base/view.h"
#include "os/file.h"
#include "recorder/compat/python.h"
#include "recorder/compat/frame.h"
#include "recorder/globals.h"
#include "recorder/names.h"

#define PYC_HEAD_BYTES 16
#define FLAG_HASH      1 /* instead of time and size */
#define SECOND_NS      ((int64_t)1000000000)

/* The 16 bytes before the code. */
struct pyc_head {
	uint32_t magic;
	uint32_t flags;
	union {
		struct {
			uint32_t written_s, bytes;
		};
		uint64_t hash;
	};
};

static bool is_of_importlib(py_frame *frame)
{
	PyObject *keep;
	size_t length;
	const char *file = text_of(frame_code(frame)->co_filename, &length, &keep);
	bool is = length > 8 && !memcmp(file, "<frozen ", 8);

	Py_XDECREF(keep);
	return is;
}

/* Are the frame's globals those of a module of this file? */
static bool is_of_file(py_frame *frame, const char *path)
{
	PyObject *keep;
	struct pl_view file = global_text(frame, "__file__", &keep);
	bool is = file.left == strlen(path) && !memcmp(file.at, path, file.left);

	Py_XDECREF(keep);
	return is;
}

/* ---- its .pyc ---- */

/* -O and -OO have a .pyc of their own. */
static long optimize_level(void)
{
	PyObject *flags = PySys_GetObject("flags");
	PyObject *level = flags && PyTuple_Check(flags) && PyTuple_GET_SIZE(flags) > 3
				  ? PyTuple_GET_ITEM(flags, 3)
				  : NULL;

	return level && PyLong_CheckExact(level) ? PyLong_AsLong(level) : 0;
}

/* dir/name.py -> dir/__pycache__/name.cpython-313.pyc; with sys.pycache_prefix in PREFIX/dir, only
 * if dir is absolute. */
static bool pyc_path(const char *path, char *out, size_t room)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.'), *front = "";
	const long optimize = optimize_level();
	PyObject *prefix = PySys_GetObject("pycache_prefix"), *keep = NULL;
	char level[32] = "";
	size_t length = 0;

	if (prefix && PyUnicode_Check(prefix))
		front = text_of(prefix, &length, &keep);
	if (optimize > 0)
		snprintf(level, sizeof level, ".opt-%ld", optimize);
	int n = snprintf(out, room, "%s%.*s%s%.*s.cpython-%d%d%s.pyc", front, (int)(name - path),
		path, length ? "" : "__pycache__/",
		(int)(dot ? (size_t)(dot - name) : strlen(name)), name, PYTHON_VERSION >> 8,
		PYTHON_VERSION & 0xff, level);
	Py_XDECREF(keep);
	return n > 0 && (size_t)n < room && (!length || *path == '/');
}

/* false: there is none that Python would have used. */
static bool read_pyc(const char *pyc, struct pyc_head *head, struct file_stamp *stamp)
{
	int fd = file_open_regular(AT_FDCWD, pyc, stamp);

	if (fd < 0)
		return false;
	bool got = read(fd, head, PYC_HEAD_BYTES) == PYC_HEAD_BYTES;
	close(fd);
	return got && head->magic == (uint32_t)PyImport_GetMagicNumber();
}

static bool is_of_this_time(const struct pyc_head *head, const struct file_stamp *file)
{
	return head->written_s == (uint32_t)(file->written_ns / SECOND_NS) &&
	       head->bytes == (uint32_t)file->bytes;
}

static enum loaded ask_pyc(const char *path, const struct file_stamp *file, uint64_t hash[2])
{
	struct file_stamp pyc;
	struct pyc_head head;
	char name[2 * PATH_MAX + 64];

	if (!pyc_path(path, name, sizeof name))
		return LOADED_UNKNOWN;
	if (!read_pyc(name, &head, &pyc))
		return LOADED_NOW;
	if (head.flags & FLAG_HASH) {
		hash[0] = head.magic;
		hash[1] = head.hash;
		return LOADED_NOW;
	}
	if (!is_of_this_time(&head, file) || file->changed_ns < pyc.written_ns)
		return LOADED_NOW;
	const bool copied = pyc.changed_ns - pyc.written_ns >= 2 * SECOND_NS;
	const bool same_second = file->written_ns / SECOND_NS == pyc.written_ns / SECOND_NS;
	/* If the times are equal, both may have been written by what runs now. */
	return same_second && !copied && file->changed_ns > pyc.written_ns ? LOADED_EARLIER
									   : LOADED_UNKNOWN;
}

enum loaded loaded_when(
	PyCodeObject *code, const char *path, const struct file_stamp *stamp, uint64_t hash[2])
{
	py_frame *frame = frame_of(code);

	hash[0] = hash[1] = 0;
	if (!frame || !is_of_file(frame, path))
		return LOADED_UNKNOWN;
	py_frame *caller = frame_code(frame) == code ? frame_caller(frame) : frame;
	const bool is_module = PyUnicode_EqualToUTF8(code->co_qualname, "<module>");
	if (is_module && !caller)
		return LOADED_NOW;
	return !is_module || is_of_importlib(caller) ? ask_pyc(path, stamp, hash) : LOADED_UNKNOWN;
}
