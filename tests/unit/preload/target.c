/* Which programs would load our library, and what is said of the others. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "preload/left.h"
#include "preload/preload.h"
#include "preload/target.h"

#define LOADER "/lib64/the-loader.so.2"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

struct preload preload = {.loader = LOADER};
static enum left_kind left;
/* Its name is chosen by mkdtemp, which also makes it with mode 0700. */
static char folder[] = "/tmp/pathline-target-XXXXXX";

void left_out(enum left_kind kind, const char *path)
{
	(void)path;
	left = kind;
}

/* A file of the folder. */
static const char *file(const char *name)
{
	static char path[2][PATH_MAX];
	static unsigned n;

	n ^= 1;
	snprintf(path[n], sizeof path[n], "%s/%s", folder, name);
	return path[n];
}

static void write_file(const char *name, const void *bytes, size_t n)
{
	int fd = open(file(name), O_CREAT | O_TRUNC | O_WRONLY, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

/* A program of one segment, which asks for the loader; NULL: for none. */
static void write_program(const char *name, unsigned machine, const char *loader)
{
	struct {
		ElfW(Ehdr) head;
		ElfW(Phdr) segment;
		char loader[64];
	} p = {.head = {.e_machine = (ElfW(Half))machine,
		       .e_phoff = sizeof p.head,
		       .e_phentsize = sizeof p.segment,
		       .e_phnum = 1},
		.segment = {.p_type = loader ? PT_INTERP : PT_LOAD,
			.p_offset = sizeof p.head + sizeof p.segment,
			.p_filesz = loader ? strlen(loader) + 1 : 0}};

	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] = ELFCLASS64;
	p.head.e_ident[EI_DATA] = ELFDATA2LSB;
	snprintf(p.loader, sizeof p.loader, "%s", loader ? loader : "");
	write_file(name, &p, sizeof p);
}

static bool loads(const char *name)
{
	left = LEFT_KIND_COUNT;
	errno = 4711;
	bool good = target_at(AT_FDCWD, file(name), 0);
	assert_int_equal(errno, 4711);
	return good;
}

static void programs(void **state)
{
	(void)state;
	write_program("good", MACHINE, LOADER);
	assert_true(loads("good"));
	assert_int_equal(left, LEFT_KIND_COUNT);
	write_program("musl", MACHINE, "/lib/ld-musl.so.1");
	assert_false(loads("musl"));
	assert_int_equal(left, LEFT_LIBC);
	write_program("static", MACHINE, NULL);
	assert_false(loads("static"));
	assert_int_equal(left, LEFT_STATIC);
	write_program("other", EM_SPARC, LOADER);
	assert_false(loads("other"));
	assert_int_equal(left, LEFT_MACHINE);
	assert_false(loads("absent"));
	assert_int_equal(left, LEFT_KIND_COUNT);
}

static void scripts(void **state)
{
	char text[PATH_MAX + 16];

	(void)state;
	write_program("good", MACHINE, LOADER);
	snprintf(text, sizeof text, "#! %s -e\n", file("good"));
	write_text("script", text);
	assert_true(loads("script"));
	snprintf(text, sizeof text, "#!%s\n", file("script"));
	write_text("twice", text);
	assert_true(loads("twice"));
	snprintf(text, sizeof text, "#!%s\n", file("round"));
	write_text("round", text);
	assert_false(loads("round"));
	write_text("empty", "#!\n");
	assert_false(loads("empty"));
	write_text("plain", "echo\n");
	assert_false(loads("plain"));
}

/* Opening a FIFO would wait for its other end. */
static void not_a_file(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(file("fifo"), 0755), 0);
	assert_false(loads("fifo"));
	assert_false(loads("."));
}

static void by_descriptor(void **state)
{
	(void)state;
	write_program("good", MACHINE, LOADER);
	int fd = open(file("good"), O_PATH | O_CLOEXEC);
	assert_true(target_at(fd, "", AT_EMPTY_PATH));
	assert_false(target_at(fd, "", 0));
	close(fd);
}

/* The first executable file counts, as for exec. */
static void along_path(void **state)
{
	char list[PATH_MAX * 2];

	(void)state;
	assert_int_equal(mkdir(file("one"), 0755), 0);
	assert_int_equal(mkdir(file("two"), 0755), 0);
	write_program("one/static", MACHINE, NULL);
	write_program("two/static", MACHINE, LOADER);
	write_program("two/good", MACHINE, LOADER);
	snprintf(list, sizeof list, "%s/none:%s/one:%s/two", folder, folder, folder);
	setenv("PATH", list, 1);
	assert_true(target_in_path("good"));
	assert_false(target_in_path("static"));
	assert_false(target_in_path("absent"));
	assert_true(target_in_path(file("two/good")));
}

static void out_of_reach(void **state)
{
	(void)state;
	write_program("good", MACHINE, LOADER);
	strcpy(preload.arena_path, "/does/not/exist");
	assert_false(loads("good"));
	assert_int_equal(left, LEFT_REACH);
	strcpy(preload.arena_path, folder);
	assert_true(loads("good"));
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	strcpy(preload.own_path, folder);
	strcpy(preload.arena_path, folder);
	return 0;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"good", "musl", "static", "other", "script", "twice",
		"round", "empty", "plain", "fifo", "one/static", "two/static", "two/good", "one",
		"two", ""};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		remove(file(names[i]));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(scripts),
		cmocka_unit_test(not_a_file),
		cmocka_unit_test(by_descriptor),
		cmocka_unit_test(along_path),
		cmocka_unit_test(out_of_reach),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
