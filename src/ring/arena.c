#define _GNU_SOURCE
#include "ring/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "os/stat.h"

/* Reserves the address space of all chunks that there can ever be: a mapping never moves, and the
 * file can grow without telling the recorders. */
static int map(struct arena *out, int fd)
{
	size_t bytes = ARENA_BYTES_MAX;

	/* Under a tight RLIMIT_AS take what can be had: half the chunks, a quarter, … */
	for (uint32_t limit = ARENA_CHUNKS; limit >= 64; limit /= 2) {
		bytes = ARENA_HEAD_BYTES + (size_t)limit * CHUNK_BYTES;
		void *at = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		if (at != MAP_FAILED) {
			*out = (struct arena){
				.head = at, .mapped_bytes = bytes, .chunk_limit = limit};
			return 0;
		}
		if (errno != ENOMEM)
			return -errno;
	}
	return -ENOMEM;
}

static off_t length_for(uint32_t chunks)
{
	return (off_t)(ARENA_HEAD_BYTES + (size_t)chunks * CHUNK_BYTES);
}

static void offer_chunk(struct arena *a, uint32_t index)
{
	atomic_fetch_or_explicit(
		&a->head->free[index / 64], UINT64_C(1) << (index % 64), memory_order_release);
}

/* The first `from` chunks are there already. posix_fallocate's fallback writes, which a tmpfs never
 * needs. */
static int lengthen(int fd, uint32_t from, uint32_t to)
{
	off_t start = from ? length_for(from) : 0;

	return fallocate(fd, 0, start, length_for(to) - start) < 0 ? -errno : 0;
}

_Static_assert(CHUNK_FREE == 0, "what is new is zero");

/* They are FREE as they come, and stay untouched: a page costs its first touch. */
static void offer_new_chunks(struct arena *a, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		offer_chunk(a, i);
}

int arena_create(struct arena *out, const char *path, uint32_t chunks, int *fd)
{
	int err;

	*fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0)
		return -errno;
	err = lengthen(*fd, 0, chunks);
	if (err == 0)
		err = map(out, *fd);
	if (err < 0) {
		close(*fd);
		unlink(path);
		return err;
	}
	out->head->magic = ARENA_MAGIC;
	out->head->abi = ARENA_ABI;
	out->head->head_bytes = sizeof *out->head;
	out->head->uid = (uint32_t)getuid();
	offer_new_chunks(out, 0, chunks);
	/* the last store: a recorder that sees the count finds all else */
	atomic_store_explicit(&out->head->chunk_count, chunks, memory_order_release);
	out->file_chunks = chunks;
	return 0;
}

bool arena_link_path(const char *arena_path, char out[PATH_MAX])
{
	size_t n = strlen(arena_path);

	if (n < 6 || n >= PATH_MAX || strcmp(arena_path + n - 6, ".arena") != 0)
		return false;
	memcpy(out, arena_path, n - 6);
	strcpy(out + n - 6, ".lib");
	return true;
}

int arena_map(struct arena *out, int fd)
{
	struct stat st;

	if (os_fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size < (off_t)ARENA_HEAD_BYTES || st.st_uid != geteuid())
		return -EPROTO;
	int err = map(out, fd);
	if (err < 0)
		return err;
	struct arena_head *h = out->head;
	uint32_t chunks = atomic_load_explicit(&h->chunk_count, memory_order_acquire);
	if (h->magic != ARENA_MAGIC || h->abi != ARENA_ABI || h->head_bytes != sizeof *h ||
		chunks > ARENA_CHUNKS || st.st_size < length_for(chunks)) {
		arena_unmap(out);
		return -EPROTO;
	}
	out->file_chunks = chunks;
	return 0;
}

void arena_unmap(struct arena *a)
{
	if (a->head)
		munmap(a->head, a->mapped_bytes);
	*a = (struct arena){0};
}

int arena_grow(struct arena *a, int fd, uint32_t chunks)
{
	uint32_t have = a->file_chunks;

	if (chunks > a->chunk_limit)
		chunks = a->chunk_limit;
	if (chunks <= have)
		return 0;
	int err = lengthen(fd, have, chunks);
	if (err < 0)
		return err;
	a->file_chunks = chunks;
	atomic_store_explicit(&a->head->chunk_count, chunks, memory_order_release);
	offer_new_chunks(a, have, chunks);
	return 0;
}

/* The acquire pairs with the release of arena_free_chunk: what the collector read of the chunk's
 * life before, it has read before we write. */
int32_t arena_take_chunk(struct arena *a)
{
	for (uint32_t w = 0; w < a->chunk_limit / 64; w++) {
		uint64_t bits = atomic_load_explicit(&a->head->free[w], memory_order_relaxed);
		while (bits) {
			uint64_t bit = bits & -bits;
			if (atomic_compare_exchange_weak_explicit(&a->head->free[w], &bits,
				    bits & ~bit, memory_order_acquire, memory_order_relaxed))
				return (int32_t)(w * 64 + (uint32_t)__builtin_ctzll(bit));
		}
	}
	return -1;
}

bool arena_has_free(const struct arena *a)
{
	uint64_t bits = 0;

	for (uint32_t w = 0; w < a->chunk_limit / 64; w++)
		bits |= atomic_load_explicit(&a->head->free[w], memory_order_relaxed);
	return bits != 0;
}

/* State first. The collector takes a chunk whose bit is clear and whose state is not FREE for one
 * that has a head; if the state of its last life were still there, a chunk that was taken a moment
 * ago would be read with its old head. */
void arena_free_chunk(struct arena *a, uint32_t index)
{
	atomic_store_explicit(&arena_chunk(a, index)->state, CHUNK_FREE, memory_order_relaxed);
	offer_chunk(a, index);
}

uint32_t arena_pid_space(void)
{
	struct stat st;

	return os_fstatat(AT_FDCWD, "/proc/self/ns/pid", &st, 0) < 0 ? 0 : (uint32_t)st.st_ino;
}

/* Numbers come from a counter and are never given again, as slots and pids are: a process that is
 * told of later by its number is always the same one. */
struct process_slot *arena_take_slot(struct arena *a)
{
	for (uint32_t i = 0; i < ARENA_PROCESSES; i++) {
		struct process_slot *s = &a->head->slots[i];
		uint32_t expected = SLOT_FREE;
		if (!atomic_compare_exchange_strong_explicit(&s->state, &expected, SLOT_TAKEN,
			    memory_order_acquire, memory_order_relaxed))
			continue;
		s->number =
			atomic_fetch_add_explicit(&a->head->next_process, 1, memory_order_relaxed) +
			1;
		s->parent = s->pid = s->pid_space = 0;
		s->start_ticks = 0;
		atomic_store_explicit(&s->end, SLOT_END_UNKNOWN, memory_order_relaxed);
		atomic_store_explicit(&s->end_code, 0, memory_order_relaxed);
		atomic_store_explicit(&s->switches, 0, memory_order_relaxed);
		atomic_store_explicit(&s->waits, 0, memory_order_relaxed);
		atomic_store_explicit(&s->lost, 0, memory_order_relaxed);
		atomic_store_explicit(&s->stopped, 0, memory_order_relaxed);
		return s;
	}
	return NULL;
}
