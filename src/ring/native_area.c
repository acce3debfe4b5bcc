#define _GNU_SOURCE
#include "ring/native_area.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "os/stat.h"

static off_t length_with(uint32_t rings)
{
	return (off_t)(NATIVE_HEAD_BYTES + (size_t)rings * NATIVE_RING_BYTES);
}

/* Under a tight RLIMIT_AS take what can be had. */
static int map_native(struct native_area *out, int fd)
{
	for (uint32_t limit = NATIVE_RINGS; limit >= 4; limit /= 2) {
		const size_t bytes = (size_t)length_with(limit);
		void *at = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		if (at != MAP_FAILED) {
			*out = (struct native_area){
				.head = at, .mapped_bytes = bytes, .ring_limit = limit};
			return 0;
		}
		if (errno != ENOMEM)
			return -errno;
	}
	return -ENOMEM;
}

bool native_area_path(const char *arena_path, char out[PATH_MAX])
{
	static const char from[] = ".arena", to[] = ".native";
	const size_t n = strlen(arena_path), cut = sizeof from - 1;

	if (n < cut || n + 1 >= PATH_MAX || strcmp(arena_path + n - cut, from) != 0)
		return false;
	memcpy(out, arena_path, n - cut);
	strcpy(out + n - cut, to);
	return true;
}

int native_area_create(struct native_area *out, const char *path, uint32_t rings, int *fd)
{
	*fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0)
		return -errno;
	int err = fallocate(*fd, 0, 0, length_with(rings)) < 0 ? -errno : 0;
	if (err == 0)
		err = map_native(out, *fd);
	if (err < 0) {
		close(*fd);
		*fd = -1;
		unlink(path);
		return err;
	}
	out->head->magic = NATIVE_MAGIC;
	out->head->abi = NATIVE_ABI;
	out->head->head_bytes = sizeof *out->head;
	out->file_rings = rings;
	atomic_store_explicit(&out->head->ring_count, rings, memory_order_release);
	return 0;
}

int native_area_map(struct native_area *out, int fd)
{
	struct stat st;

	if (os_fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < length_with(1) || st.st_uid != geteuid())
		return -EPROTO;
	const int err = map_native(out, fd);
	if (err < 0)
		return err;
	const struct native_head *h = out->head;
	const uint32_t rings = atomic_load_explicit(&h->ring_count, memory_order_acquire);
	if (h->magic == NATIVE_MAGIC && h->abi == NATIVE_ABI && h->head_bytes == sizeof *h &&
		rings <= NATIVE_RINGS && st.st_size >= length_with(rings))
		return 0;
	native_area_unmap(out);
	return -EPROTO;
}

void native_area_unmap(struct native_area *a)
{
	if (a->head)
		munmap(a->head, a->mapped_bytes);
	*a = (struct native_area){0};
}

int native_area_grow(struct native_area *a, int fd, uint32_t rings)
{
	const off_t from = length_with(a->file_rings);

	if (rings > a->ring_limit || rings <= a->file_rings)
		return -ENOSPC;
	if (fallocate(fd, 0, from, length_with(rings) - from) < 0)
		return -errno;
	a->file_rings = rings;
	atomic_store_explicit(&a->head->ring_count, rings, memory_order_release);
	return 0;
}
