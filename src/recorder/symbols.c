#define _GNU_SOURCE
#include "recorder/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* How the page of an address is mapped, by the program headers of its object. */
struct protection {
	uintptr_t at;
	int flags; /* PROT_*; 0: in no object */
};

/* The difference is unsigned: what is before the segment is also far above its size. */
static bool lies_in(uintptr_t at, const struct dl_phdr_info *object, const ElfW(Phdr) * h)
{
	return at - (object->dlpi_addr + h->p_vaddr) < h->p_memsz;
}

static int look_into(struct dl_phdr_info *object, size_t size, void *data)
{
	struct protection *p = data;
	(void)size;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && lies_in(p->at, object, h))
			p->flags |= (h->p_flags & PF_R ? PROT_READ : 0) |
				    (h->p_flags & PF_W ? PROT_WRITE : 0) |
				    (h->p_flags & PF_X ? PROT_EXEC : 0);
	}
	/* what the loader makes read-only once it is filled in */
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_GNU_RELRO &&
			lies_in(p->at, object, &object->dlpi_phdr[i]))
			p->flags = PROT_READ;
	return p->flags != 0;
}

/* Write a word that may be in a read-only page. */
static bool write_symbol_word(void *at, uintptr_t value)
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

/* ---- slots that are filled in ---- */

struct change {
	const char *name;
	void *from, *to;
};

/* The parts of an object's dynamic section that name its slots. */
struct dynamic {
	const char *names;
	const ElfW(Sym) * symbols;
	const ElfW(Rela) * tables[2]; /* of functions called, and of data */
	size_t bytes[2];
};

/* The loader has turned most of them into addresses; what it may not write (the vdso's) are
 * offsets. */
static const void *address_of(const struct dl_phdr_info *object, ElfW(Addr) value)
{
	return (const void *)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

static void read_dynamic(
	struct dynamic *d, const struct dl_phdr_info *object, const ElfW(Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_STRTAB:
			d->names = address_of(object, entry->d_un.d_ptr);
			break;
		case DT_SYMTAB:
			d->symbols = address_of(object, entry->d_un.d_ptr);
			break;
		case DT_JMPREL:
			d->tables[0] = address_of(object, entry->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			d->bytes[0] = entry->d_un.d_val;
			break;
		case DT_RELA:
			d->tables[1] = address_of(object, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			d->bytes[1] = entry->d_un.d_val;
			break;
		}
	}
}

/* Only a slot that has the original function is changed. A slot that the loader has not bound yet
 * will get the new value from the symbol table; a slot that another library has taken is not
 * ours. */
static void change_slots(const struct dl_phdr_info *object, const struct dynamic *d, unsigned table,
	const struct change *c)
{
	for (size_t i = 0; i < d->bytes[table] / sizeof(ElfW(Rela)); i++) {
		const ElfW(Rela) *row = &d->tables[table][i];
		size_t number = ELF64_R_SYM(row->r_info);
		if (!number || strcmp(d->names + d->symbols[number].st_name, c->name) != 0)
			continue;
		void **slot = (void **)(object->dlpi_addr + row->r_offset);
		if (*slot == c->from)
			write_symbol_word(slot, (uintptr_t)c->to);
	}
}

static int change_object(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct change *c = data;
	struct dynamic d = {0};
	(void)size;

	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic(&d, object,
				(const ElfW(Dyn) *)(object->dlpi_addr +
						    object->dlpi_phdr[i].p_vaddr));
	for (unsigned table = 0; table < 2; table++)
		if (d.names && d.symbols && d.tables[table])
			change_slots(object, &d, table, c);
	return 0;
}

/* ---- what was replaced ---- */

#define REPLACED_MAX 4

static struct replaced {
	struct change back;
	ElfW(Addr) * value; /* of the symbol; NULL: only slots were changed */
	ElfW(Addr) was, is;
} replaced_symbols[REPLACED_MAX];
static size_t replaced_count;

static void note_replaced(struct replaced r)
{
	for (size_t i = 0; i < replaced_count; i++)
		if (replaced_symbols[i].back.from == r.back.from)
			return;
	if (replaced_count < REPLACED_MAX)
		replaced_symbols[replaced_count++] = r;
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
	ElfW(Addr) *value = (ElfW(Addr) *)(uintptr_t)&symbol->st_value;
	const ElfW(Addr) was = *value, is = (uintptr_t)function - object->l_addr;
	if (!write_symbol_word(value, is))
		return false;
	struct change c = {name, found, function};
	dl_iterate_phdr(change_object, &c);
	note_replaced((struct replaced){{name, function, found}, value, was, is});
	return true;
}

struct one_object {
	uintptr_t inside;
	struct change change;
};

static int change_one(struct dl_phdr_info *object, size_t size, void *data)
{
	struct one_object *one = data;

	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_LOAD &&
			lies_in(one->inside, object, &object->dlpi_phdr[i])) {
			change_object(object, size, &one->change);
			return 1;
		}
	return 0;
}

bool symbol_replace_in(const void *inside, const char *name, void *function, void **original)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	struct one_object one = {(uintptr_t)inside, {name, found, function}};

	if (!found)
		return false;
	*original = found;
	dl_iterate_phdr(change_one, &one);
	note_replaced((struct replaced){.back = {name, function, found}});
	return true;
}

void symbols_give_back(void)
{
	while (replaced_count) {
		struct replaced *r = &replaced_symbols[--replaced_count];
		if (r->value && *r->value == r->is)
			write_symbol_word(r->value, r->was);
		dl_iterate_phdr(change_object, &r->back);
	}
}
