/* Which file a function is in. The collector reads files; here is only said which, and where in
 * memory it is: for libraries that are loaded and unloaded while the program runs, that is known
 * nowhere else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include "native/native.h"
#include "os/clock.h"

#define KNOWN_MAX 256

/* Files of this process that are told. Slots are never moved, so that a reader needs no lock. */
static struct {
	_Atomic uint32_t count;
	struct known {
		_Atomic uintptr_t start;
		uintptr_t length;
		struct native_module *module; /* in the area; NULL: it found no place there */
	} all[KNOWN_MAX];
} known;

void native_modules_reset(void)
{
	atomic_store(&known.count, 0);
}

static bool find_known(uintptr_t address, struct native_range *out)
{
	const uint32_t count = atomic_load_explicit(&known.count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const uintptr_t start =
			atomic_load_explicit(&known.all[i].start, memory_order_acquire);
		if (start && address - start < known.all[i].length) {
			*out = (struct native_range){start, known.all[i].length};
			return true;
		}
	}
	return false;
}

/* ---- what the loader knows ---- */

struct found {
	uintptr_t address; /* that is looked for */
	uintptr_t start, end, bias;
	const char *path;
	const ElfW(Phdr) * headers;
	uint32_t header_count;
};

/* From the first page of a loaded segment to the end of the last one. */
static int look_at_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct found *f = data;
	uintptr_t start = UINTPTR_MAX, end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		const uintptr_t at = info->dlpi_addr + p->p_vaddr;
		start = at < start ? at : start;
		end = at + p->p_memsz > end ? at + p->p_memsz : end;
	}
	if (f->address < start || f->address >= end)
		return 0;
	f->start = start;
	f->end = end;
	f->bias = info->dlpi_addr;
	f->path = info->dlpi_name;
	f->headers = info->dlpi_phdr;
	f->header_count = (uint32_t)info->dlpi_phnum;
	return 1;
}

/* As glibc 2.35 has it in dlfcn.h; it takes no lock. dl_iterate_phdr takes the loader's, as
 * exceptions of C++ did before. */
struct object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *rest[4];
};
typedef int find_object(void *, struct object *);

static bool look_without_lock(find_object *look, struct found *f)
{
	struct object o;

	if (look((void *)f->address, &o) != 0 || !o.map)
		return false;
	const ElfW(Ehdr) *elf = o.start;
	f->start = (uintptr_t)o.start;
	f->end = (uintptr_t)o.end;
	f->bias = o.map->l_addr;
	f->path = o.map->l_name;
	if (!memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_phoff &&
		elf->e_phoff + elf->e_phnum * sizeof(ElfW(Phdr)) <= 4096) {
		f->headers = (const void *)(f->start + elf->e_phoff);
		f->header_count = elf->e_phnum;
	}
	return true;
}

static bool look_up(struct found *f)
{
	static find_object *look;
	static bool looked;

	if (!looked) {
		look = (find_object *)(uintptr_t)dlsym(RTLD_DEFAULT, "_dl_find_object");
		looked = true;
	}
	return look ? look_without_lock(look, f) : dl_iterate_phdr(look_at_loaded, f) != 0;
}

/* ---- telling ---- */

static size_t round_up(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* | name bytes u32 | bytes u32 | type u32 | "GNU" | the build-id | */
static void tell_note(struct native_module *m, const uint8_t *at, size_t left)
{
	while (left >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)at;
		const size_t name = round_up(n->n_namesz), bytes = round_up(n->n_descsz);
		if (name > left || bytes > left || sizeof *n + name + bytes > left)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			!memcmp(at + sizeof *n, "GNU", 4)) {
			m->id_bytes = n->n_descsz < NATIVE_ID_MAX ? n->n_descsz : NATIVE_ID_MAX;
			memcpy(m->id, at + sizeof *n + name, m->id_bytes);
			return;
		}
		at += sizeof *n + name + bytes;
		left -= sizeof *n + name + bytes;
	}
}

static void tell_path(struct native_module *m, const char *path)
{
	ssize_t n = 0;

	if (path[0] == '/' && strlen(path) < sizeof m->path) {
		strcpy(m->path, path);
	} else if (path[0] && strlen(path) < sizeof m->path / 2) {
		if (getcwd(m->path, sizeof m->path / 2)) {
			strcat(m->path, "/");
			strcat(m->path, path);
		}
	} else if (!path[0]) {
		n = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
		m->path[n > 0 ? n : 0] = 0;
	}
}

static void tell_module(struct native_module *m, const struct found *f)
{
	m->image = native.image;
	m->pid = native.pid;
	m->pid_space = native.pid_space;
	m->start = f->start;
	m->end = f->end;
	m->bias = f->bias;
	atomic_store_explicit(&m->to_ticks, 0, memory_order_relaxed);
	m->id_bytes = 0;
	m->path[0] = 0;
	for (uint32_t i = 0; i < f->header_count && !m->id_bytes; i++)
		if (f->headers[i].p_type == PT_NOTE)
			tell_note(m, (const uint8_t *)f->bias + f->headers[i].p_vaddr,
				f->headers[i].p_memsz);
	tell_path(m, f->path ? f->path : "");
	atomic_store_explicit(&m->state, NATIVE_MODULE_THERE, memory_order_release);
	atomic_fetch_add(&native.area.head->modules_told, 1);
}

static struct native_module *take_place(void)
{
	for (uint32_t i = 0; i < NATIVE_MODULES; i++) {
		uint32_t free = NATIVE_MODULE_FREE;
		struct native_module *m = &native.area.head->modules[i];
		if (atomic_load_explicit(&m->state, memory_order_relaxed) == free &&
			atomic_compare_exchange_strong(&m->state, &free, NATIVE_MODULE_TAKEN))
			return m;
	}
	atomic_fetch_add(&native.area.head->modules_left_out, 1);
	return NULL;
}

/* With the lock. Code outside of all files, made while the program runs, is no range. */
static bool learn_module(uintptr_t address, struct native_range *out)
{
	struct found f = {.address = address};

	if (find_known(address, out))
		return true;
	if (!look_up(&f) || f.end <= f.start) {
		*out = (struct native_range){address, 1};
		return true;
	}
	uint32_t at = 0;
	const uint32_t count = atomic_load(&known.count);
	while (at < count && atomic_load(&known.all[at].start))
		at++;
	*out = (struct native_range){f.start, f.end - f.start};
	if (at == KNOWN_MAX)
		return true;
	struct known *k = &known.all[at];
	k->module = take_place();
	if (k->module)
		tell_module(k->module, &f);
	k->length = f.end - f.start;
	atomic_store_explicit(&k->start, f.start, memory_order_release);
	if (at == count)
		atomic_store_explicit(&known.count, count + 1, memory_order_release);
	return true;
}

bool native_module_of(uintptr_t address, struct native_range *out)
{
	if (find_known(address, out))
		return true;
	if (!native_lock())
		return false;
	const int saved = errno;
	const bool found = learn_module(address, out);
	errno = saved;
	native_unlock();
	return found;
}

/* ---- unloading ---- */

/* What is not where it was. */
static void forget_unloaded(void)
{
	const uint64_t now = clock_ticks((enum clock_source)native.area.head->clock);

	for (uint32_t i = 0; i < atomic_load(&known.count); i++) {
		struct known *k = &known.all[i];
		const uintptr_t start = atomic_load(&k->start);
		struct found f = {.address = start};
		if (!start || (look_up(&f) && f.start == start && f.end - f.start == k->length))
			continue;
		if (k->module)
			atomic_store_explicit(&k->module->to_ticks, now, memory_order_release);
		atomic_store_explicit(&k->start, 0, memory_order_release);
		atomic_fetch_add(&native.area.head->modules_told, 1);
	}
	atomic_store_explicit(native.generation, ++native.last_generation, memory_order_release);
}

/* A library that comes back at the same place between this call and another thread's dlopen has
 * the name of the first one, if it also has its length. */
NATIVE_EXPORT int dlclose(void *handle)
{
	static int (*original)(void *);

	if (!original)
		original = (int (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
	const int result = original ? original(handle) : -1;
	if (native.generation && atomic_load(native.generation) && native_lock()) {
		const int saved = errno;
		forget_unloaded();
		errno = saved;
		native_unlock();
	}
	return result;
}
