/* When was a code compiled: what its .pyc says of that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include "os/file.h"
#include "recorder/loaded.h"
#include "tests/lib/inside.h"

/* write_pyc writes its head alone, as nothing else of it is read. */
#define BEFORE                                                                                     \
	"import importlib.util, os, shutil, struct, tempfile, time\n"                              \
	"folder = tempfile.mkdtemp()\n"                                                            \
	"path = __file__ = os.path.join(folder, 'cart.py')\n"                                      \
	"pyc = importlib.util.cache_from_source(path)\n"                                           \
	"magic = importlib.util.MAGIC_NUMBER\n"                                                    \
	"second = 10 ** 9\n"                                                                       \
	"os.makedirs(os.path.dirname(pyc))\n"                                                      \
	"def write(path, data):\n"                                                                 \
	"    with open(path, 'wb') as file: file.write(data)\n"                                    \
	"def write_pyc(flags, *words):\n"                                                          \
	"    write(pyc, magic + struct.pack('<III', flags, *words))\n"                             \
	"def set_time(path, ns): os.utime(path, ns=(ns, ns))\n"                                    \
	"def of_function(): call()\n"                                                              \
	"write(path, b'x = 1\\n')\n"                                                               \
	"stat = os.stat(path)\n"

static enum loaded loaded;
static uint64_t hash[2];

static PyObject *look(PyObject *module, PyObject *unused)
{
	PyFrameObject *frame = PyEval_GetFrame();
	PyCodeObject *code = PyFrame_GetCode(frame);
	PyObject *names = PyFrame_GetGlobals(frame);
	const char *path = PyUnicode_AsUTF8(PyDict_GetItemString(names, "path"));
	struct file_stamp stamp = {.bytes = 0};

	(void)module, (void)unused;
	if (path && file_stamp(AT_FDCWD, path, &stamp) == 0)
		loaded = loaded_when(code, path, &stamp, hash);
	Py_DECREF(names);
	Py_DECREF(code);
	Py_RETURN_NONE;
}

static void expect(const char *text, enum loaded expected)
{
	char all[4096];

	loaded = (enum loaded) - 1;
	snprintf(all, sizeof all, "%s%s\nshutil.rmtree(folder)\n", BEFORE, text);
	Py_DECREF(inside_run(all, "/shop/cart.py", "cart", look));
	assert_int_equal(loaded, expected);
	assert_null(PyErr_Occurred());
}

static void without_a_pyc(void **state)
{
	(void)state;
	expect("of_function()", LOADED_NOW);
	expect("write(pyc, magic)\nof_function()", LOADED_NOW);
	expect("write(pyc, b'1234' + bytes(12))\nof_function()", LOADED_NOW);
}

/* What runs as a module belongs to its file if it was imported, which this was not. */
static void what_nobody_imports(void **state)
{
	(void)state;
	expect("call()", LOADED_UNKNOWN);
	expect("__file__ = '/other.py'\nof_function()", LOADED_UNKNOWN);
	expect("del __file__\nof_function()", LOADED_UNKNOWN);
}

static void with_the_time_and_size(void **state)
{
	(void)state;
	expect("while os.path.exists(pyc) is False or os.stat(pyc).st_mtime_ns <= "
	       "stat.st_ctime_ns:\n"
	       "    write_pyc(0, int(stat.st_mtime), 6)\n"
	       "of_function()",
		LOADED_NOW);
	/* Python does not take it */
	expect("write_pyc(0, int(stat.st_mtime), 7)\nof_function()", LOADED_NOW);
	expect("write_pyc(0, int(stat.st_mtime) - 1, 6)\nof_function()", LOADED_NOW);
	assert_true(hash[0] == 0);
}

/* The file has the .pyc's time, and was changed after the .pyc was written. */
#define CHANGED_SINCE                                                                              \
	"while True:\n"                                                                            \
	"    now = int(time.time())\n"                                                             \
	"    write_pyc(0, now, 6)\n"                                                               \
	"    written = os.stat(pyc).st_mtime_ns\n"                                                 \
	"    time.sleep(0.01)\n"                                                                   \
	"    set_time(path, written)\n"                                                            \
	"    if written // second == now: break\n"

static void changed_since(void **state)
{
	(void)state;
	expect(CHANGED_SINCE "of_function()", LOADED_EARLIER);
	/* The .pyc was written in another second, or was copied here. */
	expect("write_pyc(0, 1000, 6)\ntime.sleep(0.01)\nset_time(path, 1000 * second)\n"
	       "of_function()",
		LOADED_UNKNOWN);
	expect("write_pyc(0, 1000, 6)\nset_time(pyc, 1000 * second)\ntime.sleep(0.01)\n"
	       "set_time(path, 1000 * second)\nof_function()",
		LOADED_UNKNOWN);
}

static void with_a_hash(void **state)
{
	uint32_t magic = (uint32_t)PyImport_GetMagicNumber();

	(void)state;
	expect("write_pyc(3, 0x11223344, 0x55667788)\nof_function()", LOADED_NOW);
	assert_true(hash[0] == magic);
	assert_true(hash[1] == 0x5566778811223344);
}

INSIDE_TESTS(loaded)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_pyc),
		cmocka_unit_test(what_nobody_imports),
		cmocka_unit_test(with_the_time_and_size),
		cmocka_unit_test(changed_since),
		cmocka_unit_test(with_a_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
