#define _GNU_SOURCE
#include "recorder/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* How the page of an address is mapped, as the program headers of its object have it. */
struct protection {
	uintptr_t at;
	int flags; /* PROT_*; 0: in no object */
};

static int look_into(struct dl_phdr_info *object, size_t size, void *data)
{
	struct protection *p = data;
	(void)size;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		if (h->p_type != PT_LOAD || p->at - (object->dlpi_addr + h->p_vaddr) >= h->p_memsz)
			continue;
		p->flags = (h->p_flags & PF_R ? PROT_READ : 0) |
			   (h->p_flags & PF_W ? PROT_WRITE : 0) |
			   (h->p_flags & PF_X ? PROT_EXEC : 0);
		return 1;
	}
	return 0;
}

/* Write a word that may lie in a page which cannot be written. */
static bool write_word(void *at, uintptr_t value)
{
	uintptr_t page = (uintptr_t)at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	size_t length = (uintptr_t)at + sizeof value - page;
	struct protection p = {.at = (uintptr_t)at};

	dl_iterate_phdr(look_into, &p);
	if (!p.flags || mprotect((void *)page, length, p.flags | PROT_WRITE) < 0)
		return false;
	__atomic_store_n((uintptr_t *)at, value, __ATOMIC_RELEASE);
	mprotect((void *)page, length, p.flags);
	return true;
}

bool symbol_replace(const char *name, void *function, void **original)
{
	const ElfW(Sym) *symbol = NULL;
	struct link_map *object = NULL;
	void *found = dlsym(RTLD_DEFAULT, name);
	Dl_info info;

	if (!found || !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
		!dladdr1(found, &info, (void **)&object, RTLD_DL_LINKMAP) || !object)
		return false;
	if (object->l_addr + symbol->st_value != (uintptr_t)found)
		return false;
	*original = found;
	return write_word((void *)(uintptr_t)&symbol->st_value,
		(uintptr_t)function - object->l_addr);
}
