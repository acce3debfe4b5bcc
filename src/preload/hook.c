#define _GNU_SOURCE
#include "preload/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "format/message.h"
#include "os/readable.h"
#include "preload/preload.h"
#include "preload/slot.h"
#include "recorder/recorder.h"

typedef int hook_function(const char *event, void *arguments, void *data);

/* _Py_AuditHookEntry, as CPython lays it out from 3.8 on (Include/internal/pycore_runtime.h). */
struct hook_entry {
	struct hook_entry *next;
	hook_function *function;
	void *data;
};

/* Set by the constructor. */
static const char *(*get_version)(void);
static int (*is_initialized)(void);
static void *(*get_frame)(void);
static void *(*tuple_item)(void *, ssize_t);
static const char *(*utf8)(void *);
/* This interpreter is not recorded, also if it is started again. */
static _Atomic bool refused;
/* Our entry is in the list. */
static _Atomic bool listening;
/* Where the runtime keeps the first entry; NULL: not found. */
static struct hook_entry **hook_list;

/* Words of the runtime are taken for pointers here, which most are not. So before each is followed,
 * the system is asked whether it can be read. *good_page is a page that is known to be readable, 0:
 * none. */
static bool readable_entry(const struct hook_entry *entry, uintptr_t *good_page)
{
	uintptr_t first = (uintptr_t)entry & ~(uintptr_t)4095;
	uintptr_t last = ((uintptr_t)(entry + 1) - 1) & ~(uintptr_t)4095;

	if (first == 0 || first >> 47 || (uintptr_t)entry % sizeof(void *))
		return false;
	if (first == *good_page && last == *good_page)
		return true;
	if (!readable_word(entry) || !readable_word(&entry->data))
		return false;
	*good_page = first;
	return true;
}

static int on_audit(const char *event, void *arguments, void *data);

/* Other libraries may have added hooks before us. */
static bool leads_to_us(const struct hook_entry *entry, uintptr_t *good_page)
{
	for (int step = 0; step < 8 && readable_entry(entry, good_page); step++) {
		if (entry->function == on_audit)
			return true;
		entry = entry->next;
	}
	return false;
}

/* The list's head is a private field, in a different place in each version, and there is no header
 * here to name it. But it is the only word of the runtime's state that leads to an entry with our
 * function. */
static struct hook_entry **find_list(void)
{
	char *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
	const ElfW(Sym) *symbol = NULL;
	uintptr_t good_page = 0;
	Dl_info info;

	if (!runtime || !dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return NULL;
	for (size_t at = 0; at + sizeof(void *) <= symbol->st_size; at += sizeof(void *)) {
		struct hook_entry **word = (struct hook_entry **)(runtime + at);
		bool inside = (char *)*word >= runtime && (char *)*word < runtime + symbol->st_size;
		if (!inside && leads_to_us(*word, &good_page))
			return word;
	}
	return NULL;
}

/* A thread that walks the list at this time is at our entry, whose pointer to the next stays valid,
 * or does not see it. */
static void unlink_entry(void)
{
	struct hook_entry **link = hook_list;

	hook_list = NULL;
	atomic_store_explicit(&listening, false, memory_order_relaxed);
	while (link && *link && (*link)->function != on_audit)
		link = &(*link)->next;
	if (link && *link)
		__atomic_store_n(link, (*link)->next, __ATOMIC_RELEASE);
}

/* It has an interface to C of its own, and none of what the recorder needs. */
static bool is_pypy(void)
{
	return dlsym(RTLD_DEFAULT, "pypy_main_startup") != NULL;
}

/* The first one says why; the rest are counted. */
static void refuse_interpreter(const char *why)
{
	struct arena_head *head = preload.arena.head;
	char executable[256];
	const char *version = get_version ? get_version() : "";
	const char *name = get_version ? "CPython " : is_pypy() ? "PyPy" : "CPython";

	atomic_store_explicit(&refused, true, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&head->refused, 1, memory_order_acq_rel) != 0)
		return;
	ssize_t n = readlink("/proc/self/exe", executable, sizeof executable - 1);
	executable[n > 0 ? n : 0] = 0;
	snprintf(head->refused_why, sizeof head->refused_why, "%s%.*s (%s): %s", name,
		(int)strcspn(version, " "), version, executable, why);
}

/* "3.13.0 (main, …" -> "3.13" */
static int minor_version(const char **version)
{
	const char *dot;

	*version = get_version();
	dot = strchr(*version, '.');
	return dot ? (int)(dot - *version + 1 + (ptrdiff_t)strspn(dot + 1, "0123456789")) : 0;
}

/* 3.15.0rc2, 3.16.0a1+ */
static bool is_prerelease(const char *version)
{
	return version[strspn(version, "0123456789.")] >= 'a';
}

/* The recorder reads the interpreter's internals as its headers have them; these builds have
 * others. */
static const char *unsupported_build(const char *version)
{
	if (is_prerelease(version))
		return "pre-releases are not recorded";
	if (strstr(version, "free-threading"))
		return "free-threaded builds are not recorded";
	if (dlsym(RTLD_DEFAULT, "_Py_NegativeRefcount"))
		return "debug builds are not recorded";
	return NULL;
}

/* Its entry point; or NULL with *why, which may be in `text`. */
static __typeof__(pathline_recorder_start) *load_recorder(char *text, size_t size, const char **why)
{
	char path[PATH_MAX + 64];
	const char *version;
	int n = minor_version(&version);
	int directory = (int)(strrchr(preload.own_path, '/') - preload.own_path);

	*why = unsupported_build(version);
	if (*why)
		return NULL;
	snprintf(path, sizeof path, "%.*s/pathline-recorder-%.*s.so", directory, preload.own_path,
		n, version);
	*why = text;
	if (access(path, F_OK) < 0) {
		snprintf(text, size, "no recorder was built for %.*s", n, version);
		return NULL;
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *entry = library ? dlsym(library, RECORDER_ENTRY) : NULL;
	if (!entry) {
		const char *error = dlerror();
		snprintf(text, size, "%s", error ? error : "the recorder has no entry");
	}
	return (__typeof__(pathline_recorder_start) *)entry;
}

/* Did a recorded interpreter become this program by exec? */
static bool came_by_exec(void)
{
	for (unsigned i = 0; preload.parent && i < ARENA_PROCESSES; i++) {
		const struct process_slot *slot = &preload.arena.head->slots[i];
		if (slot->number == preload.parent)
			return slot->pid == (uint32_t)getpid();
	}
	return false;
}

/* With the GIL. The library is never unloaded, because the interpreter has its callbacks. */
static void start_recorder(const char *event)
{
	struct recorder_start start = {
		.arena = preload.arena,
		.parent = preload.parent,
		.how = came_by_exec() ? HOW_EXEC : HOW_START,
		.at_main = strcmp(event, "cpython.run_module") != 0 && strcmp(event, "import") != 0,
		.slot = &preload.slot,
		.on_key = &preload.on_key,
		.on_leave = &preload.on_leave,
		.on_wait = &preload.on_wait,
		.confined = &preload.confined,
	};
	char text[384];
	const char *why = NULL;
	__typeof__(pathline_recorder_start) *entry = load_recorder(text, sizeof text, &why);

	if (!entry || entry(&start, &why) < 0)
		refuse_interpreter(why ? why : "the recorder gave no reason");
}

static bool is_start(const char *event)
{
	static const char *const starts[] = {"file", "module", "command", "stdin"};

	if (strncmp(event, "cpython.run_", 12) != 0)
		return false;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (strcmp(event + 12, starts[i]) == 0)
			return true;
	return false;
}

/* What the interpreter imports by itself, from C, when it is initialised and before it runs a
 * program. */
static bool is_own_import(void *arguments)
{
	static const char *const own[] = {"site", "readline", "rlcompleter", "warnings"};
	void *item = tuple_item(arguments, 0);
	const char *name = item ? utf8(item) : NULL;

	for (size_t i = 0; name && i < sizeof own / sizeof *own; i++)
		if (strcmp(name, own[i]) == 0)
			return true;
	return !name;
}

/* A program that embeds Python runs its first code. */
static bool is_embedded_start(const char *event, void *arguments)
{
	bool import = strcmp(event, "import") == 0;

	if (!import && strcmp(event, "compile") != 0 && strcmp(event, "exec") != 0)
		return false;
	if (!is_initialized || !get_frame || !tuple_item || !utf8)
		return false;
	return is_initialized() && !get_frame() && !(import && is_own_import(arguments));
}

static int on_audit(const char *event, void *arguments, void *data)
{
	int saved = errno;

	(void)data;
	if (is_start(event) || is_embedded_start(event, arguments)) {
		unlink_entry();
		start_recorder(event);
	} else if (strcmp(event, "cpython._PySys_ClearAuditHooks") == 0) {
		unlink_entry();
	}
	errno = saved;
	return 0;
}

bool hook_wanted(void)
{
	get_version = (__typeof__(get_version))dlsym(RTLD_DEFAULT, "Py_GetVersion");
	if (!get_version)
		return is_pypy();
#define FIND(variable, name) variable = (__typeof__(variable))dlsym(RTLD_DEFAULT, name)
	FIND(is_initialized, "Py_IsInitialized");
	FIND(get_frame, "PyEval_GetFrame");
	FIND(tuple_item, "PyTuple_GetItem");
	FIND(utf8, "PyUnicode_AsUTF8");
#undef FIND
	return true;
}

void hook_add(void)
{
	int (*add)(hook_function *, void *) =
		(__typeof__(add))dlsym(RTLD_DEFAULT, "PySys_AddAuditHook");

	static _Atomic bool counted;

	if (!atomic_exchange(&counted, true))
		atomic_fetch_add_explicit(&preload.arena.head->pythons, 1, memory_order_relaxed);
	if (!get_version)
		refuse_interpreter("only CPython is recorded");
	else if (!add)
		refuse_interpreter("no recorder was built for so old a version");
	else if (add(on_audit, NULL) == 0) {
		hook_list = find_list();
		atomic_store_explicit(&listening, true, memory_order_relaxed);
	}
}

static bool is_of_python(const Dl_info *object)
{
	const char *name = strrchr(object->dli_fname, '/');
	Dl_info own;

	if (get_version)
		return dladdr((void *)get_version, &own) && own.dli_fbase == object->dli_fbase;
	return name && strncmp(name, "/libpython3", 11) == 0;
}

/* Programs that set values often must lose little time, so callers are remembered. */
static bool is_interpreter(const void *caller)
{
	static const void *_Atomic yes, *_Atomic no[16];
	const void *_Atomic *known = &no[((uintptr_t)caller >> 4) % 16];
	Dl_info info;

	if (atomic_load_explicit(&yes, memory_order_relaxed) == caller)
		return true;
	if (atomic_load_explicit(known, memory_order_relaxed) == caller)
		return false;
	bool found = dladdr(caller, &info) && info.dli_fname && is_of_python(&info);
	atomic_store_explicit(found ? &yes : known, caller, memory_order_relaxed);
	return found;
}

/* Its allocator sets a value too, while the library is being loaded and its symbols cannot be seen
 * yet. */
static bool is_tss_set(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_sname &&
	       strcmp(info.dli_sname, "PyThread_tss_set") == 0;
}

bool hook_meet(const void *caller, bool whole)
{
	int saved = errno;

	if (!preload.arena_path[0] || atomic_load_explicit(&refused, memory_order_relaxed) ||
		!is_interpreter(caller))
		return false;
	bool begins = is_initialized ? !is_initialized() : preload_join();
	if (begins && !atomic_load_explicit(&listening, memory_order_relaxed)) {
		bool late = !is_initialized;
		if (late)
			slot_watch();
		if (hook_wanted())
			hook_add();
		else if (late && (whole || is_tss_set(caller)))
			refuse_interpreter(
				"libpython was loaded for one library alone, without RTLD_GLOBAL");
	}
	errno = saved;
	return begins;
}
