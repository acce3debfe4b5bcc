/* The look-up itself, in a process of its own (symbols.h). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "source/rust_name.h"
#include "source/symbols.h"

/* Its functions that are used. */
#define DW_FUNCTIONS(X)                                                                            \
	X(dwfl_begin)                                                                              \
	X(dwfl_end)                                                                                \
	X(dwfl_report_begin)                                                                       \
	X(dwfl_report_end)                                                                         \
	X(dwfl_report_elf)                                                                         \
	X(dwfl_module_build_id)                                                                    \
	X(dwfl_module_getelf)                                                                      \
	X(dwfl_module_addrinfo)                                                                    \
	X(dwfl_module_getsrc)                                                                      \
	X(dwfl_lineinfo)                                                                           \
	X(dwfl_line_comp_dir)                                                                      \
	X(dwfl_standard_find_debuginfo)                                                            \
	X(dwfl_offline_section_address)

static struct {
#define X(name) __typeof__(&name) name;
	DW_FUNCTIONS(X)
#undef X
	char *(*demangle)(const char *, char *, size_t *, int *);
} dw;

static bool load_dw(void)
{
	static int loaded; /* 1: it is there, -1: it is not */

	if (loaded)
		return loaded > 0;
	loaded = -1;
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
#define X(name)                                                                                    \
	dw.name = (__typeof__(&name))(uintptr_t)dlsym(library, #name);                             \
	if (!dw.name)                                                                              \
		return false;
	DW_FUNCTIONS(X)
#undef X
	void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (cxx)
		dw.demangle = (char *(*)(const char *, char *, size_t *, int *))(uintptr_t)dlsym(
			cxx, "__cxa_demangle");
	loaded = 1;
	return true;
}

/* ---- files ---- */

#define FILES_OPEN_MAX 16

struct symbol_file {
	struct symbol_question asked; /* path, build-id and process are its key */
	Dwfl *dwfl;		      /* NULL: it cannot be read */
	Dwfl_Module *module;
	GElf_Addr bias;
};

static bool has_build_id(const struct symbol_file *f, const struct symbol_question *q)
{
	const unsigned char *id;
	GElf_Addr at;
	const int bytes = dw.dwfl_module_build_id(f->module, &id, &at);

	return !q->id_bytes || (bytes >= (int)q->id_bytes && q->id_bytes <= NATIVE_ID_MAX &&
				       !memcmp(id, q->id, q->id_bytes));
}

/* Only a regular file: a FIFO would never end. */
static bool open_file(struct symbol_file *f, const char *path, const struct symbol_question *q)
{
	static char *no_path;
	static const Dwfl_Callbacks callbacks;
	static Dwfl_Callbacks used;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	used = callbacks;
	used.find_debuginfo = dw.dwfl_standard_find_debuginfo;
	used.section_address = dw.dwfl_offline_section_address;
	used.debuginfo_path = &no_path;
	f->dwfl = dw.dwfl_begin(&used);
	if (!f->dwfl) {
		close(fd);
		return false;
	}
	dw.dwfl_report_begin(f->dwfl);
	f->module = dw.dwfl_report_elf(f->dwfl, path, path, fd, 0, true);
	dw.dwfl_report_end(f->dwfl, NULL, NULL);
	if (!f->module)
		close(fd);
	if (f->module && dw.dwfl_module_getelf(f->module, &f->bias) && has_build_id(f, q))
		return true;
	dw.dwfl_end(f->dwfl);
	f->dwfl = NULL;
	return false;
}

static struct symbol_file *file_of(const struct symbol_question *q)
{
	static struct symbol_file files[FILES_OPEN_MAX];
	static uint32_t count;
	char path[NATIVE_PATH_MAX + 32];

	for (uint32_t i = 0; i < count && i < FILES_OPEN_MAX; i++)
		if (!strcmp(files[i].asked.path, q->path) &&
			files[i].asked.id_bytes == q->id_bytes &&
			!memcmp(files[i].asked.id, q->id, sizeof q->id))
			return files[i].dwfl ? &files[i] : NULL;
	struct symbol_file *f = &files[count++ % FILES_OPEN_MAX];
	if (f->dwfl)
		dw.dwfl_end(f->dwfl);
	*f = (struct symbol_file){.asked = *q};
	/* as the process sees it, if it is still there */
	snprintf(path, sizeof path, "/proc/%u/root%s", q->pid, q->path);
	if (q->path[0] != '/' || (!open_file(f, path, q) && !open_file(f, q->path, q)))
		return NULL;
	return f;
}

/* ---- names ---- */

static void name_function(const char *symbol, struct symbol_answer *out)
{
	int status = -1;
	char *plain = NULL;

	if (dw.demangle && !strncmp(symbol, "_Z", 2))
		plain = dw.demangle(symbol, NULL, NULL, &status);
	snprintf(out->name, sizeof out->name, "%s", plain && status == 0 ? plain : symbol);
	free(plain);
	rust_name(out->name);
}

void symbols_answer(const struct symbol_question *q, struct symbol_answer *out)
{
	struct symbol_file *f = load_dw() ? file_of(q) : NULL;
	GElf_Sym symbol;
	GElf_Off offset = 0;
	int line = 0;

	if (!f)
		return;
	const GElf_Addr at = q->address + f->bias;
	const char *name =
		dw.dwfl_module_addrinfo(f->module, at, &offset, &symbol, NULL, NULL, NULL);
	if (name && offset == 0)
		name_function(name, out);
	Dwfl_Line *found = dw.dwfl_module_getsrc(f->module, at);
	const char *file = found ? dw.dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL) : NULL;
	const char *folder = file && file[0] != '/' ? dw.dwfl_line_comp_dir(found) : NULL;
	if (file && line > 0)
		snprintf(out->place, sizeof out->place, "%s%s%s:%d", folder ? folder : "",
			folder ? "/" : "", file, line);
}
