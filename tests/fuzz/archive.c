#define _GNU_SOURCE
/* Fuzz zip files: a member is looked for and unpacked.
 *
 *	input: | length of the name u8 | name … | zip file … |
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collector/unpack.h"

#define MAX ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_member(const char *path, struct pl_view name)
{
	struct pl_buf packed = {0}, text = {0};
	struct file_stamp stamp = {0};
	struct archive_member m = {0};

	if (archive_read(&(struct archive_wanted){path, name, MAX}, &stamp, &m, &packed) == 0) {
		if (packed.used > MAX)
			abort();
		int err = unpack(&m, buf_view(&packed), MAX, &text);
		if (text.used > MAX + 1 || (err == 0 && text.used != m.bytes))
			abort();
	}
	buf_release(&packed);
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static int fd = -1;
	char path[64];

	if (n < 1 || bytes[0] > n - 1)
		return 0;
	if (fd < 0)
		fd = memfd_create("zip", MFD_CLOEXEC);
	const struct pl_view name = view_of(bytes + 1, bytes[0]);
	const size_t before = 1 + (size_t)bytes[0];
	if (fd < 0 || ftruncate(fd, 0) < 0 ||
		pwrite(fd, bytes + before, n - before, 0) != (ssize_t)(n - before))
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	read_member(path, name);
	return 0;
}
