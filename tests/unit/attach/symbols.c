/* Symbols of what a loader has mapped: those of our own libc, and objects that lie. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "attach/symbols.h"

#define IMAGE_BYTES 8192u
#define NAME	    "Py_Version"

/* An object with one symbol, as it would be mapped. A page that cannot be read follows. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[4];
	Elf64_Sym symbols[2];
	char texts[32];
	uint32_t hash[4];
	uint64_t bloom;
	uint32_t bucket, chain;
};

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static void *map_image(void)
{
	uint8_t *at = mmap(
		NULL, 2 * IMAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(mprotect(at + IMAGE_BYTES, IMAGE_BYTES, PROT_NONE), 0);
	return at;
}

static struct image *make_image(void)
{
	struct image *i = map_image();

	memcpy(i->head.e_ident, ELFMAG, SELFMAG);
	i->head.e_ident[EI_CLASS] = ELFCLASS64;
	i->head.e_phoff = offsetof(struct image, segments);
	i->head.e_phentsize = sizeof i->segments[0];
	i->head.e_phnum = 2;
	i->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_memsz = IMAGE_BYTES};
	i->segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
		.p_vaddr = offsetof(struct image, dynamic),
		.p_memsz = sizeof i->dynamic};
	i->dynamic[0] = (Elf64_Dyn){DT_SYMTAB, {offsetof(struct image, symbols)}};
	i->dynamic[1] = (Elf64_Dyn){DT_STRTAB, {offsetof(struct image, texts)}};
	i->dynamic[2] = (Elf64_Dyn){DT_GNU_HASH, {offsetof(struct image, hash)}};
	i->symbols[1] = (Elf64_Sym){.st_name = 1, .st_shndx = 1, .st_value = 0x1234};
	memcpy(i->texts + 1, NAME, sizeof NAME);
	i->hash[0] = i->hash[1] = i->hash[2] = 1; /* buckets, first symbol, words of the filter */
	i->bucket = 1;
	i->chain = hash_of(NAME) | 1;
	return i;
}

static uint64_t find_in(const struct image *i)
{
	return symbol_find(getpid(), (uintptr_t)i, NAME);
}

static void release(struct image *i)
{
	munmap(i, 2 * IMAGE_BYTES);
}

static void test_our_libc(void **state)
{
	Dl_info info;
	(void)state;

	assert_int_not_equal(dladdr((void *)(uintptr_t)getppid, &info), 0);
	assert_int_equal(symbol_find(getpid(), (uintptr_t)info.dli_fbase, "getppid"),
		(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"));
	assert_int_equal(symbol_find(getpid(), (uintptr_t)info.dli_fbase, "no such function"), 0);
}

static void test_an_object(void **state)
{
	struct image *i = make_image();
	(void)state;

	assert_int_equal(find_in(i), (uintptr_t)i + 0x1234);
	assert_int_equal(symbol_find(getpid(), (uintptr_t)i, "Py_Versions"), 0);
	i->symbols[1].st_shndx = SHN_UNDEF;
	assert_int_equal(find_in(i), 0);
	release(i);
}

/* One lie each: nothing is found, and nothing outside is read. */
static void test_lies(void **state)
{
	(void)state;
	for (int lie = 0; lie < 14; lie++) {
		struct image *i = make_image();
		switch (lie) {
		case 0:
			i->head.e_ident[0] = 0;
			break;
		case 1:
			i->head.e_ident[EI_CLASS] = ELFCLASS32;
			break;
		case 2:
			i->head.e_phoff = UINT64_MAX - 8;
			break;
		case 3:
			i->head.e_phnum = UINT16_MAX;
			break;
		case 4:
			i->head.e_phentsize = 8;
			break;
		case 5:
			i->segments[1].p_vaddr = UINT64_MAX / 2;
			break;
		case 6:
			i->segments[1].p_memsz = 0;
			break;
		case 7:
			i->dynamic[0].d_un.d_ptr = UINT64_MAX / 2;
			break;
		case 8:
			i->symbols[1].st_name = UINT32_MAX;
			break;
		case 9:
			i->hash[0] = 0;
			break;
		case 10:
			i->hash[0] = UINT32_MAX;
			break;
		case 11:
			i->hash[1] = UINT32_MAX;
			break;
		case 12:
			i->hash[2] = UINT32_MAX;
			break;
		case 13:
			i->bucket = UINT32_MAX;
			break;
		}
		assert_int_equal(find_in(i), 0);
		release(i);
	}
}

/* A chain without an end. */
static void test_a_long_chain(void **state)
{
	struct image *i = make_image();
	(void)state;

	memset(&i->chain, 0, IMAGE_BYTES - offsetof(struct image, chain));
	assert_int_equal(find_in(i), 0);
	release(i);
}

static void test_a_part_of_a_name(void **state)
{
	struct image *i = make_image();
	(void)state;

	memcpy(i->texts + 1, NAME "s", sizeof NAME + 1);
	assert_int_equal(find_in(i), 0);
	release(i);
}

static void test_memory_read(void **state)
{
	uint8_t *image = map_image(), byte[2] = {0};
	(void)state;

	assert_true(memory_read(getpid(), (uintptr_t)image + IMAGE_BYTES - 1, byte, 1));
	assert_false(memory_read(getpid(), (uintptr_t)image + IMAGE_BYTES - 1, byte, 2));
	assert_false(memory_read(getpid(), 0, byte, 1));
	munmap(image, 2 * IMAGE_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_our_libc),
		cmocka_unit_test(test_an_object),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_a_long_chain),
		cmocka_unit_test(test_a_part_of_a_name),
		cmocka_unit_test(test_memory_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
