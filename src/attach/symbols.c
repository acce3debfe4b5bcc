#define _GNU_SOURCE
#include "attach/symbols.h"

#include <elf.h>
#include <string.h>
#include <sys/uio.h>

#define SEGMENTS_MAX 64
#define DYNAMIC_MAX  512
#define CHAIN_MAX    4096

/* The tables of one object, as addresses in the process. */
struct tables {
	int pid;
	uint64_t bias;
	uint64_t symbols, texts, hash;
	uint64_t dynamic, dynamic_bytes;
};

bool memory_read(int pid, uint64_t at, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)at, bytes};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

bool memory_write(int pid, uint64_t at, const void *from, size_t bytes)
{
	struct iovec here = {(void *)(uintptr_t)from, bytes};
	struct iovec there = {(void *)(uintptr_t)at, bytes};

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static bool find_segments(struct tables *t, uint64_t base)
{
	Elf64_Ehdr head;
	Elf64_Phdr segments[SEGMENTS_MAX];
	bool loaded = false;

	if (!memory_read(t->pid, base, &head, sizeof head) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof *segments ||
		head.e_phnum > SEGMENTS_MAX ||
		!memory_read(
			t->pid, base + head.e_phoff, segments, head.e_phnum * sizeof *segments))
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		const Elf64_Phdr *s = &segments[i];
		if (s->p_type == PT_LOAD && !loaded) {
			t->bias = base - (s->p_vaddr & ~(uint64_t)4095);
			loaded = true;
		} else if (s->p_type == PT_DYNAMIC) {
			t->dynamic = s->p_vaddr;
			t->dynamic_bytes = s->p_memsz;
		}
	}
	return loaded && t->dynamic;
}

/* The loader has added the bias to some of these addresses; which ones differs by libc. */
static uint64_t absolute(const struct tables *t, uint64_t address)
{
	return address < t->bias ? address + t->bias : address;
}

static bool find_tables(struct tables *t, uint64_t base)
{
	Elf64_Dyn rows[DYNAMIC_MAX];

	if (!find_segments(t, base))
		return false;
	size_t count = t->dynamic_bytes / sizeof *rows;
	if (count > DYNAMIC_MAX)
		count = DYNAMIC_MAX;
	if (!memory_read(t->pid, t->bias + t->dynamic, rows, count * sizeof *rows))
		return false;
	for (size_t i = 0; i < count && rows[i].d_tag != DT_NULL; i++) {
		uint64_t at = absolute(t, rows[i].d_un.d_ptr);
		if (rows[i].d_tag == DT_SYMTAB)
			t->symbols = at;
		else if (rows[i].d_tag == DT_STRTAB)
			t->texts = at;
		else if (rows[i].d_tag == DT_GNU_HASH)
			t->hash = at;
	}
	return t->symbols && t->texts && t->hash;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool symbol_is(const struct tables *t, const Elf64_Sym *symbol, const char *name)
{
	char text[64];
	size_t n = strlen(name) + 1;

	return n <= sizeof text && symbol->st_shndx != SHN_UNDEF &&
	       memory_read(t->pid, t->texts + symbol->st_name, text, n) &&
	       memcmp(text, name, n) == 0;
}

/* | buckets u32 | first u32 | words u32 | shift u32 | bloom … | bucket u32 … | chain u32 … |
 * The lowest bit of a chain's word ends it. */
static uint64_t look_up(const struct tables *t, const char *name)
{
	uint32_t head[4], index, word;
	uint32_t hash = gnu_hash(name);
	Elf64_Sym symbol;

	if (!memory_read(t->pid, t->hash, head, sizeof head) || !head[0])
		return 0;
	uint64_t buckets = t->hash + sizeof head + head[2] * sizeof(uint64_t);
	uint64_t chain = buckets + head[0] * sizeof(uint32_t);
	if (!memory_read(t->pid, buckets + hash % head[0] * sizeof index, &index, sizeof index) ||
		index < head[1])
		return 0;
	for (int i = 0; i < CHAIN_MAX; i++, index++) {
		uint64_t at = chain + (uint64_t)(index - head[1]) * sizeof word;
		if (!memory_read(t->pid, at, &word, sizeof word))
			return 0;
		if ((word | 1) == (hash | 1) &&
			memory_read(t->pid, t->symbols + index * sizeof symbol, &symbol,
				sizeof symbol) &&
			symbol_is(t, &symbol, name))
			return t->bias + symbol.st_value;
		if (word & 1)
			return 0;
	}
	return 0;
}

uint64_t symbol_find(int pid, uint64_t base, const char *name)
{
	struct tables t = {.pid = pid};

	return find_tables(&t, base) ? look_up(&t, name) : 0;
}
