/* A process begins: the shared memory, and numbers for what is in it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "native/native.h"
#include "os/stat.h"

struct native native;

#define ARENA_NAME "PATHLINE_ARENA="

/* "<path of the arena>", or with ":<number>", becomes the path of the area. */
static void learn_path(const char *arena)
{
	char path[PATH_MAX];
	const char *colon = strrchr(arena, ':');
	const size_t n = colon ? (size_t)(colon - arena) : strlen(arena);

	if (n >= sizeof path)
		return;
	memcpy(path, arena, n);
	path[n] = 0;
	if (!native_area_path(path, native.path))
		native.path[0] = 0;
}

/* The preload takes the variable away; so it says what it was, in case no function ran before.
 * NULL: there is no recording. */
NATIVE_EXPORT void pathline_native_begin(const char *arena);
NATIVE_EXPORT void pathline_native_begin(const char *arena)
{
	if (!native_lock())
		return;
	if (!native.area.head && arena)
		learn_path(arena);
	else if (!arena)
		atomic_store(&native.state, NATIVE_OFF);
	native_unlock();
}

static bool find_path(void)
{
	for (char **e = environ; !native.path[0] && e && *e; e++)
		if (!strncmp(*e, ARENA_NAME, sizeof ARENA_NAME - 1))
			learn_path(*e + sizeof ARENA_NAME - 1);
	return native.path[0] != 0;
}

/* Rings of the program that was in this process before exec have no thread any more. */
static void leave_old_rings(void)
{
	struct native_head *h = native.area.head;

	for (uint32_t i = 0; i < native.area.ring_limit; i++) {
		struct native_ring *r = &h->rings[i];
		const uint32_t state = atomic_load_explicit(&r->state, memory_order_acquire);
		if ((state == NATIVE_RING_OWNED || state == NATIVE_RING_ENDED) &&
			r->pid == native.pid && r->pid_space == native.pid_space)
			atomic_store_explicit(&r->state, NATIVE_RING_LEFT, memory_order_release);
	}
}

static uint32_t pid_space(void)
{
	struct stat st;

	return os_fstatat(AT_FDCWD, "/proc/self/ns/pid", &st, 0) < 0 ? 0 : (uint32_t)st.st_ino;
}

static bool map_area(void)
{
	const int fd = open(native.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

	if (fd < 0)
		return false;
	const int err = native_area_map(&native.area, fd);
	close(fd);
	return err == 0;
}

/* Its page is private and anonymous, as MADV_WIPEONFORK wants it. */
static bool make_generation(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return false;
	if (madvise(at, page, MADV_WIPEONFORK) < 0) {
		munmap(at, page);
		return false;
	}
	native.generation = at;
	return true;
}

static bool begin_locked(void)
{
	const bool first = !native.area.head;

	if (first && !find_path())
		return false; /* environ comes late, or the preload will say it */
	if (first && (!map_area() || !make_generation())) {
		native_area_unmap(&native.area);
		atomic_store(&native.state, NATIVE_OFF);
		return false;
	}
	native.pid = (uint32_t)getpid();
	native.pid_space = pid_space();
	native.image = atomic_fetch_add(&native.area.head->images, 1) + 1;
	native_modules_reset();
	if (first)
		leave_old_rings();
	atomic_store(&native.state, NATIVE_ON);
	atomic_store_explicit(native.generation, ++native.last_generation, memory_order_release);
	return true;
}

bool native_begin_process(void)
{
	if (atomic_load_explicit(&native.state, memory_order_relaxed) == NATIVE_OFF)
		return false;
	const int saved = errno;
	if (!native_lock())
		return false;
	const bool begun =
		native.generation && atomic_load_explicit(native.generation, memory_order_acquire);
	const bool ready = begun || begin_locked();
	native_unlock();
	errno = saved;
	return ready;
}
