#include "collector/unpack.h"

#include <errno.h>
#include <zlib.h>

/* Room for one byte more than stated, to notice if there is more. */
static int inflate_all(struct pl_view packed, size_t bytes, struct pl_buf *out)
{
	uint8_t *to = buf_reserve(out, bytes + 1);
	z_stream z = {0};

	if (!to || inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return -ENOMEM;
	z.next_in = (uint8_t *)(uintptr_t)packed.at;
	z.avail_in = (uInt)packed.left;
	z.next_out = to;
	z.avail_out = (uInt)bytes + 1;
	int end = inflate(&z, Z_FINISH);
	out->used = bytes + 1 - z.avail_out;
	inflateEnd(&z);
	return end == Z_STREAM_END && out->used == bytes ? 0 : -EBADMSG;
}

int unpack(const struct archive_member *m, struct pl_view packed, size_t max, struct pl_buf *out)
{
	int err = 0;

	buf_reset(out);
	if (m->bytes > max || packed.left > max)
		return -EFBIG;
	if (m->method == ARCHIVE_DEFLATED) {
		err = inflate_all(packed, m->bytes, out);
	} else if (m->method == ARCHIVE_STORED) {
		buf_put(out, packed.at, packed.left);
		if (packed.left != m->bytes)
			err = -EBADMSG;
	} else {
		return -ENOTSUP;
	}
	if (err == 0 && out->failed)
		err = -ENOMEM;
	if (err == 0 && crc32(0, out->at, (uInt)out->used) != m->crc)
		err = -EBADMSG;
	return err;
}
