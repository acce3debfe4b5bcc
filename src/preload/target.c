#define _GNU_SOURCE
#include "preload/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "os/stat.h"
#include "preload/left.h"
#include "preload/preload.h"

#define HEAD_BYTES   256 /* the kernel reads this much to find the kind and the interpreter */
#define SCRIPTS_MAX  5	 /* the interpreter of a script may be a script, up to this often */
#define SEGMENTS_MAX 128

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#error "say which ELF machine this is"
#endif

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Opening a FIFO or a device would be noticed. */
static int open_target(int dirfd, const char *path, int flags)
{
	struct stat st;
	int follow = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;

	if (os_fstatat(dirfd, path, &st, flags & AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return openat(dirfd, path, OPEN_FLAGS | follow);
}

/* A descriptor made with O_PATH cannot be read; its name under /proc can be opened. */
static int reopen_target(int fd)
{
	char path[32] = "/proc/self/fd/";
	char digits[12];
	size_t n = 0;
	char *at = path + strlen(path);

	if (fd < 0)
		return -1;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		*at++ = digits[--n];
	*at = 0;
	return open_target(AT_FDCWD, path, 0);
}

/* Will the kernel give it rights that its caller lacks? Then ld.so runs it in secure mode. */
static bool gains_rights(int fd)
{
	struct stat st;

	if (os_fstat(fd, &st) < 0)
		return true;
	uid_t user = st.st_mode & S_ISUID ? st.st_uid : geteuid();
	gid_t group =
		(st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) ? st.st_gid : getegid();
	if (user != getuid() || group != getgid())
		return true;
	return user != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

/* Another loader is that of another libc (musl), or of another architecture: it cannot load our
 * library, and says so on the program's stderr. */
static bool asks_for_our_loader(int fd, const ElfW(Phdr) * segment)
{
	char name[HEAD_BYTES] = "";
	size_t n = segment->p_filesz;

	if (n < 2 || n > sizeof name || pread(fd, name, n, (off_t)segment->p_offset) != (ssize_t)n)
		return false;
	return name[n - 1] == 0 && strcmp(name, preload.loader) == 0;
}

/* What keeps this program from loading us; LEFT_KIND_COUNT: nothing. */
static enum left_kind target_obstacle(int fd, const ElfW(Ehdr) * head)
{
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
		head->e_machine != OUR_MACHINE || head->e_phentsize != sizeof(ElfW(Phdr)) ||
		head->e_phnum > SEGMENTS_MAX)
		return LEFT_MACHINE;
	if (gains_rights(fd))
		return LEFT_RIGHTS;
	for (unsigned i = 0; i < head->e_phnum; i++) {
		ElfW(Phdr) segment;
		off_t at = (off_t)(head->e_phoff + i * sizeof segment);
		if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
			return LEFT_MACHINE;
		if (segment.p_type == PT_INTERP)
			return asks_for_our_loader(fd, &segment) ? LEFT_KIND_COUNT : LEFT_LIBC;
	}
	return LEFT_STATIC;
}

/* The interpreter named in "#! /bin/sh -e\n", in place; NULL: none that the kernel would take. */
static char *interpreter_of(char *head)
{
	char *from = head + 2;

	while (from < head + HEAD_BYTES && (*from == ' ' || *from == '\t'))
		from++;
	for (char *to = from; to < head + HEAD_BYTES; to++) {
		if (*to == ' ' || *to == '\t' || *to == '\n' || *to == 0) {
			*to = 0;
			return to > from ? from : NULL;
		}
	}
	return NULL;
}

enum kind { KIND_OTHER, KIND_ELF, KIND_SCRIPT };

static enum kind kind_of_head(const char *head, ssize_t n)
{
	if (n >= (ssize_t)sizeof(ElfW(Ehdr)) && memcmp(head, ELFMAG, SELFMAG) == 0)
		return KIND_ELF;
	return n >= 2 && head[0] == '#' && head[1] == '!' ? KIND_SCRIPT : KIND_OTHER;
}

/* Can the next program, from where this process is, load us and open the arena? After a chroot they
 * may be out of reach, and ld.so would print that. */
static bool in_reach(void)
{
	return faccessat(AT_FDCWD, preload.own_path, R_OK, 0) == 0 &&
	       faccessat(AT_FDCWD, preload.arena_path, R_OK | W_OK, AT_EACCESS) == 0;
}

static bool loads_us(int fd, const ElfW(Ehdr) * head, const char *path)
{
	enum left_kind kind = in_reach() ? target_obstacle(fd, head) : LEFT_REACH;

	if (kind != LEFT_KIND_COUNT)
		left_out(kind, path);
	return kind == LEFT_KIND_COUNT;
}

/* From script to interpreter, down to a program, as the kernel does. Closes fd, which is that of
 * `path`. `shell` runs a file of unknown kind, NULL: nothing does. */
static bool judge_program(int fd, const char *path, const char *shell)
{
	union {
		ElfW(Ehdr) elf;
		char bytes[HEAD_BYTES];
	} head;
	char name[HEAD_BYTES];
	bool good = false;

	for (int level = 0; fd >= 0 && level <= SCRIPTS_MAX; level++) {
		const char *next = NULL;
		memset(&head, 0, sizeof head);
		ssize_t n = pread(fd, head.bytes, sizeof head.bytes, 0);
		enum kind kind = kind_of_head(head.bytes, n);
		if (kind == KIND_ELF)
			good = loads_us(fd, &head.elf, path);
		else if (kind == KIND_SCRIPT)
			next = interpreter_of(head.bytes);
		else if (n >= 0)
			next = shell;
		close(fd);
		fd = next ? open_target(AT_FDCWD, next, 0) : -1;
		if (next)
			path = strcpy(name, next); /* head is written again */
		shell = NULL;
	}
	if (fd >= 0)
		close(fd);
	return good;
}

/* errno is kept: this runs within exec, whose caller looks at it. */
bool target_at(int dirfd, const char *path, int flags)
{
	int saved = errno;
	bool itself = flags & AT_EMPTY_PATH && path && !path[0];
	bool good = itself ? judge_program(reopen_target(dirfd), "(a descriptor)", NULL)
			   : judge_program(open_target(dirfd, path, flags), path, NULL);

	errno = saved;
	return good;
}

static bool judge_file(const char *path)
{
	return judge_program(open_target(AT_FDCWD, path, 0), path, "/bin/sh");
}

/* The first executable file along PATH: exec stops there. */
static bool judge_along(const char *list, const char *file, size_t n)
{
	char path[PATH_MAX];

	for (;;) {
		size_t length = strcspn(list, ":");
		if (length + 1 + n < sizeof path) {
			memcpy(path, list, length);
			path[length] = '/';
			memcpy(path + length + (length != 0), file, n + 1);
			struct stat st;
			if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 &&
				os_fstatat(AT_FDCWD, path, &st, 0) == 0 && S_ISREG(st.st_mode))
				return judge_file(path);
		}
		if (!list[length])
			return false;
		list += length + 1;
	}
}

bool target_in_path(const char *file)
{
	int saved = errno;
	const char *list = getenv("PATH");
	bool good = strchr(file, '/')
			    ? judge_file(file)
			    : judge_along(list ? list : "/bin:/usr/bin", file, strlen(file));

	errno = saved;
	return good;
}
