/* Which loader will start a program, from files that are made here. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/loader.h"

static char path[64], script[64];

static int make_names(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/unit-loader-%d", (int)getpid());
	snprintf(script, sizeof script, "/tmp/unit-script-%d", (int)getpid());
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(path);
	unlink(script);
	return 0;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
	const int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* An ELF file with one segment, which names this loader. */
static void write_elf(const char *loader)
{
	struct {
		ElfW(Ehdr) head;
		ElfW(Phdr) segment;
		char loader[64];
	} file = {.head = {.e_phoff = sizeof file.head,
			  .e_phentsize = sizeof file.segment,
			  .e_phnum = 1},
		.segment = {.p_type = PT_INTERP, .p_filesz = strlen(loader) + 1}};

	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.segment.p_offset = (size_t)((char *)file.loader - (char *)&file);
	strcpy(file.loader, loader);
	write_file(path, &file, sizeof file);
}

static void by_its_loader(void **state)
{
	char loader[64];

	(void)state;
	write_elf("/lib64/ld-linux-x86-64.so.2");
	assert_false(loader_is_foreign(path, loader, sizeof loader));
	write_elf("/lib/ld-musl-x86_64.so.1");
	assert_true(loader_is_foreign(path, loader, sizeof loader));
	assert_string_equal(loader, "/lib/ld-musl-x86_64.so.1");
	assert_false(loader_is_foreign(path, loader, 4)); /* no room */
}

/* The interpreter that a script names. */
static void of_a_script(void **state)
{
	char text[128], loader[64];

	(void)state;
	write_elf("/lib/ld-musl-x86_64.so.1");
	snprintf(text, sizeof text, "#! %s -B\n", path);
	write_file(script, text, strlen(text));
	assert_true(loader_is_foreign(script, loader, sizeof loader));
	snprintf(text, sizeof text, "#!%s\n", script); /* itself, again and again */
	write_file(script, text, strlen(text));
	assert_false(loader_is_foreign(script, loader, sizeof loader));
}

/* What cannot be read is not foreign. */
static void unreadable(void **state)
{
	char loader[64];
	ElfW(Ehdr) head = {.e_phnum = 200, .e_phentsize = sizeof(ElfW(Phdr))};

	(void)state;
	assert_false(loader_is_foreign("/nowhere/at/all", loader, sizeof loader));
	assert_false(loader_is_foreign(NULL, loader, sizeof loader));
	write_file(path, "#!", 2);
	assert_false(loader_is_foreign(path, loader, sizeof loader));
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	write_file(path, &head, sizeof head);
	assert_false(loader_is_foreign(path, loader, sizeof loader));
	write_file(path, &head, 10);
	assert_false(loader_is_foreign(path, loader, sizeof loader));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_its_loader),
		cmocka_unit_test(of_a_script),
		cmocka_unit_test(unreadable),
	};

	return cmocka_run_group_tests(tests, make_names, remove_files);
}
