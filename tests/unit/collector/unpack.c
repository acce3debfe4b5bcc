/* Zip files as zipimport reads them: members are found and unpacked; what is damaged is refused,
 * and never read past its end. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>
#include "collector/unpack.h"

#define MAX 100000

static char path[PATH_MAX];

/* How a member is written, where it is not as it should be. */
struct odd {
	uint16_t method;
	uint32_t crc, bytes, packed, at, directory;
};

static void put_file(const struct pl_buf *b)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(b->at, 1, b->used, f), b->used);
	assert_int_equal(fclose(f), 0);
}

static void pack(struct pl_buf *out, struct pl_view text)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (uint8_t *)(uintptr_t)text.at;
	z.avail_in = (uInt)text.left;
	z.next_out = buf_reserve(out, text.left + 100);
	z.avail_out = (uInt)text.left + 100;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->used += text.left + 100 - z.avail_out;
	deflateEnd(&z);
}

/* front | local header | packed | directory of one | its end | comment */
static void make(struct pl_buf *b, const char *front, struct pl_view text, const struct odd *odd,
	size_t comment)
{
	const uint16_t method = odd->method == 99 ? 0 : ARCHIVE_DEFLATED ^ odd->method;
	struct pl_buf packed = {0};

	if (method == ARCHIVE_STORED)
		buf_put(&packed, text.at, text.left);
	else
		pack(&packed, text);
	buf_put(b, front, strlen(front));
	buf_put(b, "PK\3\4", 4);
	for (int i = 0; i < 22; i++)
		buf_u8(b, 0);
	buf_u16(b, 4);
	buf_u16(b, 2); /* more, of its own length */
	buf_put(b, "a.py", 4);
	buf_u16(b, 0);
	buf_put(b, packed.at, packed.used);
	const size_t directory = b->used;
	buf_put(b, "PK\1\2", 4);
	buf_u32(b, 0);
	buf_u16(b, 0);
	buf_u16(b, method);
	buf_u32(b, 0);
	buf_u32(b, (uint32_t)crc32(0, text.at, (uInt)text.left) ^ odd->crc);
	buf_u32(b, (uint32_t)packed.used + odd->packed);
	buf_u32(b, (uint32_t)text.left + odd->bytes);
	buf_u16(b, 4);
	buf_u16(b, 0);
	buf_u16(b, 0);
	for (int i = 0; i < 8; i++)
		buf_u8(b, 0);
	buf_u32(b, odd->at);
	buf_put(b, "a.py", 4);
	const size_t end = b->used;
	buf_put(b, "PK\5\6", 4);
	buf_u64(b, 0);
	buf_u32(b, (uint32_t)(end - directory) + odd->directory);
	buf_u32(b, (uint32_t)(directory - strlen(front)));
	buf_u16(b, (uint16_t)comment);
	for (size_t i = 0; i < comment; i++)
		buf_u8(b, 'c');
	put_file(b);
	buf_release(&packed);
}

static int read_it(const char *name, struct pl_buf *out)
{
	struct pl_buf packed = {0};
	struct file_stamp stamp = {0};
	struct archive_member m = {0};

	const struct archive_wanted w = {path, view_of(name, strlen(name)), MAX};
	int err = archive_read(&w, &stamp, &m, &packed);
	if (err == 0)
		err = unpack(&m, buf_view(&packed), MAX, out);
	buf_release(&packed);
	return err;
}

static const char long_text[] = "one line\ntwo lines\none line\ntwo lines\none line\n";

static void reads(void **state)
{
	const struct pl_view text = view_of(long_text, sizeof long_text - 1);

	(void)state;
	for (int i = 0; i < 8; i++) {
		const struct odd odd = {.method = i & 1 ? ARCHIVE_DEFLATED : 0};
		struct pl_buf b = {0}, out = {0};
		make(&b, i & 2 ? "#!/usr/bin/python3\n" : "", text, &odd, i & 4 ? 60000 : 0);
		assert_int_equal(read_it("a.py", &out), 0);
		assert_int_equal(out.used, text.left);
		assert_memory_equal(out.at, text.at, text.left);
		assert_int_equal(read_it("b.py", &out), -ENOENT);
		assert_int_equal(read_it("", &out), -ENOENT);
		buf_release(&b);
		buf_release(&out);
	}
}

static void refuses(void **state)
{
	static const struct {
		struct odd odd;
		int err;
	} cases[] = {
		{{.crc = 1}, -EBADMSG},
		{{.bytes = 1}, -EBADMSG},
		{{.bytes = (uint32_t)-1}, -EBADMSG},
		{{.bytes = MAX}, -EFBIG},
		{{.packed = (uint32_t)-1}, -EBADMSG},
		{{.packed = MAX}, -EFBIG},
		{{.packed = 5000}, -EBADMSG},
		{{.at = 1}, -EBADMSG},
		{{.at = UINT32_MAX}, -EBADMSG},
		{{.directory = UINT32_MAX - 100}, -EBADMSG},
		{{.method = 1}, -ENOTSUP},
	};
	const struct pl_view text = view_of(long_text, sizeof long_text - 1);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pl_buf b = {0}, out = {0};
		make(&b, "", text, &cases[i].odd, 0);
		assert_int_equal(read_it("a.py", &out), cases[i].err);
		buf_release(&b);
		buf_release(&out);
	}
}

/* Cut anywhere, and each byte of it another: an error, or the text. */
static void damaged(void **state)
{
	const struct pl_view text = view_of(long_text, sizeof long_text - 1);
	struct pl_buf b = {0}, out = {0};

	(void)state;
	make(&b, "", text, &(struct odd){0}, 0);
	struct pl_buf part = b;
	for (size_t i = 0; i < b.used; i++) {
		b.at[i] ^= 0xff;
		put_file(&b);
		if (read_it("a.py", &out) == 0) {
			assert_int_equal(out.used, text.left);
			assert_memory_equal(out.at, text.at, text.left);
		}
		b.at[i] ^= 0xff;
		part.used = i;
		put_file(&part);
		assert_int_not_equal(read_it("a.py", &out), 0);
	}
	buf_release(&b);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(refuses),
		cmocka_unit_test(damaged),
	};
	const char *folder = getenv("TMPDIR"); /* the test run's own, which it removes */

	snprintf(
		path, sizeof path, "%s/zip-XXXXXX", folder ? folder : "/tmp"); /* mkstemp's six X */
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
