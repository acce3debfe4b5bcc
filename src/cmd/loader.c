#define _GNU_SOURCE
#include "cmd/loader.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 128
#define SCRIPTS_MAX  5

/* The interpreter of an ELF file: the kernel starts it, and it loads the libraries. */
static bool read_loader(int fd, char *loader, size_t size)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;

	if (pread(fd, &head, sizeof head, 0) != sizeof head ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof segment ||
		head.e_phnum > SEGMENTS_MAX)
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		off_t at = (off_t)(head.e_phoff + i * sizeof segment);
		if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		size_t n = segment.p_filesz;
		if (!n || n > size || pread(fd, loader, n, (off_t)segment.p_offset) != (ssize_t)n)
			return false;
		return loader[n - 1] == 0;
	}
	return false;
}

/* "#! /usr/bin/python3 -B" -> "/usr/bin/python3" */
static bool read_script(int fd, char *interpreter, size_t size)
{
	char line[256] = "";
	ssize_t n = pread(fd, line, sizeof line - 1, 0);

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	const char *from = line + 2 + strspn(line + 2, " \t");
	return snprintf(interpreter, size, "%.*s", (int)strcspn(from, " \t\n"), from) > 0;
}

static bool is_musl(const char *loader)
{
	const char *slash = strrchr(loader, '/');

	return slash && strncmp(slash + 1, "ld-musl-", 8) == 0;
}

/* Only to say why nothing was recorded, so whatever cannot be read is not foreign. */
bool loader_is_foreign(const char *path, char *loader, size_t size)
{
	char script[256];
	bool elf = false;

#if !defined(__GLIBC__)
	return false;
#endif
	for (int level = 0; path && !elf && level <= SCRIPTS_MAX; level++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			return false;
		elf = read_loader(fd, loader, size);
		path = !elf && read_script(fd, script, sizeof script) ? script : NULL;
		close(fd);
	}
	return elf && is_musl(loader);
}
