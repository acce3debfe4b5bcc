#define _GNU_SOURCE
#include "collector/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/block.h"
#include "os/file.h"

#define META_LEVEL	  1    /* zstd: 3 makes sources 5% smaller, and takes half as long again */
#define META_PACK_MIN	  1024 /* packing a smaller record takes 30 us to save 90 bytes */
#define RESERVE_BYTES	  (64u << 10)
#define WORDS_BYTES	  (32u << 10) /* of the limit, for the last records */
#define END_BYTES	  (4u << 10)  /* of these, for the very last ones */
#define SLACK_BYTES_MAX	  (1u << 20)
#define SEGMENT_MIN_BYTES (64u << 10)
#define SEGMENT_MAX_BYTES (64u << 20)
#define KEEP_PARTS	  16 /* segments in the time that is kept, at least */

void store_segment_name(uint32_t number, char name[STORE_NAME_MAX])
{
	snprintf(name, STORE_NAME_MAX, "events.%06u", number);
}

/* A sixteenth of the limit, so that dropping one loses little; but not so small that a recording
 * has thousands of files, nor so large that a finisher reads long. */
uint64_t store_segment_max(const struct store *s)
{
	uint64_t part = s->limit_bytes / 16;

	if (!s->limit_bytes || part > SEGMENT_MAX_BYTES)
		return SEGMENT_MAX_BYTES;
	return part < SEGMENT_MIN_BYTES ? SEGMENT_MIN_BYTES : part;
}

uint64_t store_block_max(const struct store *s)
{
	return s->limit_bytes ? store_segment_max(s) : 0;
}

/* Those that are kept: segment_sizes[0] is that of first_segment. */
static uint32_t segment_count(const struct store *s)
{
	return s->last_segment + 1 - s->first_segment;
}

static uint64_t *last_size(const struct store *s)
{
	return &s->segment_sizes[segment_count(s) - 1];
}

uint64_t store_bytes(const struct store *s)
{
	uint64_t sum = s->meta_bytes + s->meta.used;

	for (uint32_t i = 0; i < segment_count(s); i++)
		sum += s->segment_sizes[i];
	return sum;
}

/* Would the recording keep to its limit with so many bytes more, and `kept` free? */
static bool limit_allows(const struct store *s, size_t bytes, uint64_t kept)
{
	return !s->limit_bytes || store_bytes(s) + bytes + kept <= s->limit_bytes;
}

static int refuse_over_limit(struct store *s)
{
	s->over_limit = true;
	s->failed = EDQUOT;
	return -EDQUOT;
}

bool store_followed(const struct store *s)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RECORD_FOLLOWED, .l_len = 1};

	return fcntl(s->meta_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

const char *store_why(const struct store *s)
{
	return s->over_limit ? "the descriptions of code, threads and processes fill --limit; "
			       "give a larger one"
			     : strerror(s->failed);
}

/* Reserve room for the last records: disk blocks after the end of the file are allocated now. */
static void store_reserve(struct store *s)
{
	if (s->meta_bytes + RESERVE_BYTES / 2 <= s->reserved_to || s->failed)
		return;
	if (fallocate(s->meta_fd, FALLOC_FL_KEEP_SIZE, (off_t)s->meta_bytes, RESERVE_BYTES) == 0)
		s->reserved_to = s->meta_bytes + RESERVE_BYTES;
}

/* Is there room for what was put, and after it for the last words? Where no more can be reserved,
 * the disk is full: what was put would take the room of those, and the end would be missing. Only
 * where there is a reserve at all, which a small disk or an odd file system may not have. */
static bool leaves_the_end(struct store *s)
{
	const uint64_t wanted = s->meta_bytes + s->meta.used + 2 * END_BYTES;

	if (!s->reserved_to || wanted <= s->reserved_to)
		return true;
	if (fallocate(s->meta_fd, FALLOC_FL_KEEP_SIZE, (off_t)s->meta_bytes,
		    (off_t)(wanted - s->meta_bytes)) == 0)
		s->reserved_to = wanted;
	return wanted <= s->reserved_to || (errno != ENOSPC && errno != EDQUOT);
}

static void store_begin(struct store *s, int directory_fd, uint64_t limit_bytes)
{
	*s = (struct store){.directory_fd = directory_fd,
		.meta_fd = -1,
		.segment_fd = -1,
		.first_segment = 1,
		.limit_bytes = limit_bytes};
}

int store_create(struct store *s, int directory_fd, uint64_t limit_bytes)
{
	store_begin(s, directory_fd, limit_bytes);
	s->meta_fd =
		openat(directory_fd, STORE_META, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->meta_fd < 0) {
		int err = -errno;
		store_close(s);
		return err;
	}
	store_reserve(s);
	return 0;
}

void store_close(struct store *s)
{
	if (s->meta_fd >= 0 && s->meta_bytes && ftruncate(s->meta_fd, (off_t)s->meta_bytes) < 0) {
		/* the reserve stays, which does no harm */
	}
	int fds[] = {s->segment_fd, s->meta_fd, s->directory_fd};
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(s->segment_sizes);
	free(s->segment_events);
	free(s->segment_written_ns);
	packer_release(&s->packer);
	buf_release(&s->meta);
	buf_release(&s->room);
	store_begin(s, -1, 0);
}

/* ---- meta ---- */

/* Records that may use the reserve when the disk is full. */
static bool is_last_word(enum record_kind kind)
{
	return kind == RECORD_LOSS || kind == RECORD_CLOCK || kind == RECORD_PROCESS_END ||
	       kind == RECORD_END;
}

/* Once the store has failed, only records that say so are accepted, as far as the reserve goes. */
void store_put(struct store *s, enum record_kind kind, const struct pl_buf *payload)
{
	if (payload->failed)
		s->failed = s->failed ? s->failed : ENOMEM;
	if (s->failed && !is_last_word(kind))
		return;
	if (s->failed && kind != RECORD_END && kind != RECORD_CLOCK &&
		!limit_allows(s, payload->used + RECORD_HEAD_BYTES, END_BYTES))
		return;
	record_write(&s->meta, (uint16_t)kind, buf_view(payload), &s->packer,
		payload->used < META_PACK_MIN ? 0 : META_LEVEL);
}

static int append_meta(struct store *s)
{
	int err = file_append(s->meta_fd, s->meta_bytes, s->meta.at, s->meta.used);

	if (err == 0)
		s->meta_bytes += s->meta.used;
	return err;
}

/* What was put is appended to meta. After an error it is dropped, and the error stays: what
 * describes events must be whole, so nothing is recorded after it. */
int store_flush(struct store *s)
{
	if (s->meta.failed)
		s->failed = s->failed ? s->failed : ENOMEM;
	if (!s->meta.used)
		return -s->failed;
	int err = s->failed			     ? append_meta(s)
		  : !limit_allows(s, 0, WORDS_BYTES) ? refuse_over_limit(s)
		  : !leaves_the_end(s)		     ? -ENOSPC
						     : append_meta(s);
	buf_reset(&s->meta);
	s->meta.failed = false;
	if (err < 0 && !s->failed)
		s->failed = -err;
	store_reserve(s);
	return -s->failed;
}

/* | ticks | recovered | meta bytes | first segment | bytes of each segment … | */
static void put_end(const struct store *s, uint64_t ticks, bool recovered, struct pl_buf *b)
{
	buf_varint(b, ticks);
	buf_varint(b, recovered);
	buf_varint(b, s->meta_bytes);
	buf_varint(b, s->first_segment);
	for (uint32_t i = 0; i < segment_count(s); i++)
		buf_varint(b, s->segment_sizes[i]);
}

void store_end_of(struct store *s, uint64_t ticks, struct pl_buf *out)
{
	struct pl_buf b = {0};

	put_end(s, ticks, false, &b);
	record_write(out, RECORD_END, buf_view(&b), &s->packer, 0);
	out->failed |= b.failed;
	buf_release(&b);
}

void store_end(struct store *s, uint64_t ticks, bool recovered)
{
	struct pl_buf b = {0};

	store_flush(s);
	put_end(s, ticks, recovered, &b);
	store_put(s, RECORD_END, &b);
	store_flush(s);
	buf_release(&b);
}

/* ---- segments ---- */

bool store_is_old(const struct store *s)
{
	return s->keep_ns && s->last_segment > s->first_segment &&
	       s->now_ns - s->segment_written_ns[0] > s->keep_ns;
}

/* Kept free: what checkpoints take until the segment is dropped, and small records between two
 * looks. */
bool store_over(const struct store *s, size_t bytes)
{
	const uint64_t part = store_segment_max(s);
	const uint64_t kept = WORDS_BYTES + (part < SLACK_BYTES_MAX ? part : SLACK_BYTES_MAX);

	return store_is_old(s) || (s->last_segment > s->first_segment &&
					  !limit_allows(s, bytes + RECORD_HEAD_BYTES, kept));
}

/* For a segment that another process wrote. */
static uint64_t count_events(const struct store *s, const char *name)
{
	struct pl_buf all = {0};
	uint64_t sum = 0;
	struct block_head head;
	struct record r;
	bool cut;
	int fd = openat(s->directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	if (file_read(fd, SIZE_MAX - 1, &all) == 0) {
		struct pl_view v = buf_view(&all);
		while (v.left) {
			if (record_read(&v, &r, &cut) != 0) {
				size_t skip = record_resync(v);
				v.at += skip;
				v.left -= skip;
			} else if (r.kind == RECORD_BLOCK &&
				   block_read_head(r.payload, &head) == 0) {
				sum += head.events;
			}
		}
	}
	buf_release(&all);
	close(fd);
	return sum;
}

/* The record is written before the file is removed, so that every missing segment is recorded as
 * dropped: who finds one missing reads meta again. */
void store_drop_oldest(struct store *s)
{
	struct pl_buf b = {0};
	char name[STORE_NAME_MAX];

	store_segment_name(s->first_segment, name);
	s->dropped_events += s->segment_events[0] == STORE_NOT_COUNTED ? count_events(s, name)
								       : s->segment_events[0];
	memmove(s->segment_sizes, s->segment_sizes + 1,
		(segment_count(s) - 1) * sizeof *s->segment_sizes);
	memmove(s->segment_events, s->segment_events + 1,
		(segment_count(s) - 1) * sizeof *s->segment_events);
	memmove(s->segment_written_ns, s->segment_written_ns + 1,
		(segment_count(s) - 1) * sizeof *s->segment_written_ns);
	s->first_segment++;
	buf_varint(&b, s->first_segment);
	buf_varint(&b, s->dropped_events);
	store_put(s, RECORD_EVICTED, &b);
	if (store_flush(s) == 0)
		unlinkat(s->directory_fd, name, 0);
	buf_release(&b);
}

static int add_size(struct store *s)
{
	uint32_t count = segment_count(s);

	if (count == s->segment_room) {
		uint32_t room = count ? count * 2 : 16;
		uint64_t *sizes = realloc(s->segment_sizes, room * sizeof *sizes);
		if (!sizes)
			return -ENOMEM;
		s->segment_sizes = sizes;
		uint64_t *events = realloc(s->segment_events, room * sizeof *events);
		if (!events)
			return -ENOMEM;
		s->segment_events = events;
		int64_t *written = realloc(s->segment_written_ns, room * sizeof *written);
		if (!written)
			return -ENOMEM;
		s->segment_written_ns = written;
		s->segment_room = room;
	}
	s->segment_sizes[count] = 0;
	s->segment_events[count] = 0;
	s->segment_written_ns[count] = s->now_ns;
	return 0;
}

static int next_segment(struct store *s)
{
	char name[STORE_NAME_MAX];
	int err = add_size(s);

	if (err < 0)
		return err;
	store_segment_name(s->last_segment + 1, name);
	int fd = openat(s->directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (s->segment_fd >= 0)
		close(s->segment_fd);
	s->segment_fd = fd;
	s->last_segment++;
	s->begun_ns = s->now_ns;
	return 0;
}

static bool store_is_full(const struct store *s, size_t record_bytes)
{
	return s->segment_fd < 0 ||
	       (*last_size(s) &&
		       (*last_size(s) + record_bytes > store_segment_max(s) ||
			       (s->keep_ns && s->now_ns - s->begun_ns > s->keep_ns / KEEP_PARTS)));
}

bool store_begins_segment(const struct store *s, size_t payload_bytes)
{
	return store_is_full(s, RECORD_HEAD_BYTES + payload_bytes);
}

/* meta first: then a reader of the block finds what it names. A record that is larger than a
 * segment gets a segment of its own. */
static int append_record(struct store *s, enum record_kind kind, const struct pl_buf *payload)
{
	int err = store_flush(s);

	if (err < 0)
		return err;
	buf_reset(&s->room);
	record_write(&s->room, (uint16_t)kind, buf_view(payload), NULL, 0);
	err = payload->failed || s->room.failed ? -ENOMEM : 0;
	if (err == 0 && !limit_allows(s, s->room.used, WORDS_BYTES))
		err = refuse_over_limit(s);
	if (err == 0 && store_is_full(s, s->room.used))
		err = next_segment(s);
	if (err == 0)
		err = file_append(s->segment_fd, *last_size(s), s->room.at, s->room.used);
	s->room.failed = false;
	if (err == 0) {
		*last_size(s) += s->room.used;
		s->segment_written_ns[segment_count(s) - 1] = s->now_ns;
	} else
		s->failed = -err;
	return err;
}

int store_block(struct store *s, const struct pl_buf *payload, uint32_t events)
{
	int err = append_record(s, RECORD_BLOCK, payload);

	uint64_t *sum = err == 0 ? &s->segment_events[segment_count(s) - 1] : NULL;

	if (sum && *sum != STORE_NOT_COUNTED)
		*sum += events;
	return err;
}

int store_samples(struct store *s, const struct pl_buf *payload)
{
	return append_record(s, RECORD_SAMPLES, payload);
}

int store_source_events(struct store *s, const struct pl_buf *payload)
{
	return append_record(s, RECORD_SOURCE_EVENTS, payload);
}

/* ---- going on with a recording ---- */

/* The length of the whole records. A damaged one in the middle stays: only the end can be cut
 * short. */
static uint64_t sound_bytes(const uint8_t *at, size_t n)
{
	struct pl_view v = view_of(at, n);
	struct record r;
	bool cut;

	for (;;) {
		int err = record_read(&v, &r, &cut);
		if (err == PL_END)
			return n;
		if (err == 0)
			continue;
		size_t skip = record_resync(v);
		if (skip >= v.left)
			return n - v.left;
		v.at += skip;
		v.left -= skip;
	}
}

/* Open the file and cut off an incomplete record at its end. *bytes: what remains. *fd belongs to
 * the caller, also after a failure; -1: none. */
static int trim(int directory_fd, const char *name, uint64_t *bytes, int *fd)
{
	struct pl_buf all = {0};

	*fd = openat(directory_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (*fd < 0)
		return -errno;
	int err = file_read(*fd, SIZE_MAX - 1, &all);
	if (err == 0) {
		*bytes = sound_bytes(all.at, all.used);
		if (*bytes < all.used && ftruncate(*fd, (off_t)*bytes) < 0)
			err = -errno;
	}
	buf_release(&all);
	return err;
}

/* The range of existing segments, from *first up to the first that is missing; false: none. */
static bool find_segments(int directory_fd, uint32_t *first, uint32_t *last)
{
	char name[STORE_NAME_MAX];
	struct stat st;
	uint32_t n = *first;

	store_segment_name(n, name);
	while (fstatat(directory_fd, name, &st, 0) == 0) {
		*last = n++;
		store_segment_name(n, name);
	}
	return n > *first;
}

/* The oldest segment that is kept, and how many events were dropped, from the last EVICTED. */
static int find_first_kept(struct store *s)
{
	struct pl_buf all = {0};
	int err = lseek(s->meta_fd, 0, SEEK_SET) < 0 ? -errno
						     : file_read(s->meta_fd, SIZE_MAX - 1, &all);
	struct pl_view v = buf_view(&all);
	uint64_t number, events;
	struct record r;
	bool cut;

	s->first_segment = 1;
	while (v.left) {
		if (record_read(&v, &r, &cut) != 0) {
			size_t skip = record_resync(v);
			v.at += skip;
			v.left -= skip;
		} else if (r.kind == RECORD_EVICTED && !(r.flags & RECORD_COMPRESSED) &&
			   view_varint_max(&r.payload, UINT32_MAX - 1, &number) == 0 &&
			   number > s->first_segment) {
			s->first_segment = (uint32_t)number;
			if (view_varint(&r.payload, &events) == 0)
				s->dropped_events = events;
		}
	}
	buf_release(&all);
	return err;
}

static int reopen_segments(struct store *s)
{
	uint32_t last = 0;
	char name[STORE_NAME_MAX];
	struct stat st;
	int err = find_first_kept(s);

	if (err < 0)
		return err;
	s->last_segment = s->first_segment - 1;
	/* killed between the record and the unlink */
	store_segment_name(s->first_segment - 1, name);
	unlinkat(s->directory_fd, name, 0);
	if (!find_segments(s->directory_fd, &s->first_segment, &last))
		return 0;
	for (uint32_t n = s->first_segment; n <= last && err == 0; n++) {
		err = add_size(s);
		if (err < 0)
			break;
		s->last_segment = n;
		s->segment_events[n - s->first_segment] = STORE_NOT_COUNTED;
		store_segment_name(n, name);
		if (n == last)
			err = trim(s->directory_fd, name, last_size(s), &s->segment_fd);
		else if (fstatat(s->directory_fd, name, &st, 0) == 0)
			*last_size(s) = (uint64_t)st.st_size;
	}
	return err;
}

/* After its collector was killed: ends that were half written are cut off, and the next record
 * follows. */
int store_reopen(struct store *s, int directory_fd, uint64_t limit_bytes)
{
	store_begin(s, directory_fd, limit_bytes);
	int err = trim(directory_fd, STORE_META, &s->meta_bytes, &s->meta_fd);
	if (err == 0)
		err = reopen_segments(s);
	if (err < 0)
		store_close(s);
	else
		store_reserve(s);
	return err;
}
