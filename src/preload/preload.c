#define _GNU_SOURCE
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "preload/begin.h"
#include "preload/env.h"
#include "preload/hook.h"
#include "preload/slot.h"

struct preload preload;

/* glibc before 2.34 has no execveat. */
static int raw_execveat(
	int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	return (int)syscall(SYS_execveat, dirfd, path, argv, envp, flags);
}

/* execve is the last one, because a found execve says that the others were looked up, too. */
static void resolve_originals(struct originals *o)
{
#define RESOLVE(field, name) o->field = (__typeof__(o->field))dlsym(RTLD_NEXT, name)
	RESOLVE(execvpe, "execvpe");
	RESOLVE(fexecve, "fexecve");
	RESOLVE(execveat, "execveat");
	RESOLVE(posix_spawn, "posix_spawn");
	RESOLVE(posix_spawnp, "posix_spawnp");
	RESOLVE(system, "system");
	RESOLVE(popen, "popen");
	RESOLVE(pclose, "pclose");
	RESOLVE(exit_now, "_exit");
	RESOLVE(quick_exit, "quick_exit");
	RESOLVE(setspecific, "pthread_setspecific");
	RESOLVE(getattr_np, "pthread_getattr_np");
	RESOLVE(epoll_wait, "epoll_wait");
	RESOLVE(epoll_pwait, "epoll_pwait");
	RESOLVE(poll, "poll");
	RESOLVE(ppoll, "ppoll");
	RESOLVE(select, "select");
	RESOLVE(kill, "kill");
	RESOLVE(killpg, "killpg");
	RESOLVE(raise, "raise");
	RESOLVE(prctl, "prctl");
	if (!o->execveat)
		o->execveat = raw_execveat;
	RESOLVE(execve, "execve");
#undef RESOLVE
}

/* The constructor calls this first, so that dlsym is never called in a signal handler or a vfork'ed
 * child. Only the constructor of another library can run before it, with one thread. */
const struct originals *originals(void)
{
	static struct originals found;

	if (!found.execve)
		resolve_originals(&found);
	return &found;
}

/* With --no-children only the first process passes the recording on. */
bool preload_hands_on(void)
{
	if (!preload.arena_path[0])
		return false;
	return !preload.only_first || slot_number() == 0;
}

/* Where our library was loaded from: children load the same file. */
static void learn_own_path(void)
{
	Dl_info info;

	if (!dladdr((void *)learn_own_path, &info) || !info.dli_fname)
		return;
	if (info.dli_fname[0] == '/' && strlen(info.dli_fname) < sizeof preload.own_path)
		strcpy(preload.own_path, info.dli_fname);
	else if (!realpath(info.dli_fname, preload.own_path))
		preload.own_path[0] = 0;
}

#define NATIVE "pathline-native.so"

/* The hooks of native functions lie beside us, if this recording wants them. */
static void learn_native_path(void)
{
	const char *slash = strrchr(preload.own_path, '/');
	const size_t n = slash ? (size_t)(slash - preload.own_path) + 1 : 0;

	if (!n || n + sizeof NATIVE > sizeof preload.native_path)
		return;
	memcpy(preload.native_path, preload.own_path, n);
	strcpy(preload.native_path + n, NATIVE);
	if (!env_has_native(environ, preload.native_path))
		preload.native_path[0] = 0;
}

/* They look for the arena in the environment, from which it goes now. */
static void begin_native(const char *arena_path)
{
	void (*begin)(const char *) =
		(void (*)(const char *))(uintptr_t)dlsym(RTLD_DEFAULT, "pathline_native_begin");

	if (begin)
		begin(arena_path);
}

/* The program itself comes first. */
static int learn_loader(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_INTERP && p->p_memsz <= sizeof preload.loader)
			memcpy(preload.loader, (const char *)info->dlpi_addr + p->p_vaddr,
				p->p_memsz);
	}
	return 1;
}

/* "<path>:<number>" becomes the path and the number. */
static bool parse_arena(char *variable, uint32_t *parent)
{
	char *colon = strrchr(variable, ':');
	char *end;

	if (!colon || variable[0] != '/')
		return false;
	unsigned long number = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || *end || number > UINT32_MAX)
		return false;
	*colon = 0;
	*parent = (uint32_t)number;
	return true;
}

/* An arena that is closed belongs to a recording that has ended: nobody would read what is
 * written. */
static bool open_arena(struct arena *arena)
{
	int fd = open(preload.arena_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return false;
	int err = arena_map(arena, fd);
	close(fd);
	if (err < 0)
		return false;
	if (atomic_load_explicit(&arena->head->state, memory_order_acquire) == ARENA_OPEN)
		return true;
	arena_unmap(arena);
	return false;
}

/* One page stays that cannot be accessed: /proc/PID/maps shows the collector that this program may
 * still start a Python, and so the collector stays. */
static void leave_sign(struct arena *arena)
{
	char *at = (char *)arena->head;
	long page = sysconf(_SC_PAGESIZE);

	munmap(at + page, arena->mapped_bytes - (size_t)page);
	mprotect(at, (size_t)page, PROT_NONE);
	*arena = (struct arena){0};
}

bool preload_join(void)
{
	return preload.arena_path[0] && (preload.arena.head || open_arena(&preload.arena));
}

/* Read once what a program without an interpreter needs of the arena. */
static void join_arena(struct arena *arena)
{
	atomic_fetch_add_explicit(&arena->head->preloaded, 1, memory_order_relaxed);
	preload.only_first = arena->head->no_children;
	preload.arena = *arena;
	if (hook_wanted()) {
		slot_watch();
		hook_add();
	} else {
		leave_sign(&preload.arena);
	}
}

/* The recording that a program of it handed on to us. */
static bool join_handed(struct arena *arena)
{
	env_find(environ, preload.arena_path, sizeof preload.arena_path);
	return preload.arena_path[0] && parse_arena(preload.arena_path, &preload.parent) &&
	       open_arena(arena);
}

/* Or one of our own, where the environment names a directory for it: we are its first process. */
static bool join_begun(struct arena *arena, const char *directory)
{
	if (!directory || !begin_wanted(directory) || !hook_wanted() ||
		!begin_recording(directory, preload.arena_path, sizeof preload.arena_path))
		return false;
	preload.parent = 0;
	return open_arena(arena);
}

/* The collector recognises us by the environment or by what we have mapped: at any time by one of
 * them. Where the environment names a directory and there is no recording we stay in LD_PRELOAD:
 * what this program starts may begin one. */
__attribute__((constructor)) static void preload_init(void)
{
	int saved = errno;
	struct arena arena;

	originals();
	learn_own_path();
	dl_iterate_phdr(learn_loader, NULL);
	if (environ)
		learn_native_path();
	const char *directory = environ ? begin_named(environ) : NULL;
	const bool joins = environ && (join_handed(&arena) || join_begun(&arena, directory));
	if (preload.native_path[0])
		begin_native(joins ? preload.arena_path : NULL);
	if (environ)
		env_take(environ, joins || !directory ? preload.own_path : "");
	if (joins)
		join_arena(&arena);
	else
		preload.arena_path[0] = 0;
	errno = saved;
}
