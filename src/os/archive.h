/* A member of a zip file, as zipimport finds it. Nothing is unpacked here.
 *
 *	… member … | directory: an entry a member | end of the directory | comment
 *
 * The end is looked for from the back, and says how long the directory is, which is directly
 * before it. Offsets count from the first member's place: a zip file may have anything in front, as
 * zipapp's "#!" line. Of two members of one name the later counts.
 *
 * Files of more than 4 GiB (zip64) are not read.
 */
#ifndef PL_OS_ARCHIVE_H
#define PL_OS_ARCHIVE_H

#include "os/file.h"

enum archive_method {
	ARCHIVE_STORED = 0,
	ARCHIVE_DEFLATED = 8,
};

struct archive_member {
	uint32_t method; /* enum archive_method; others exist */
	uint32_t crc;	 /* CRC-32 of what is packed */
	uint32_t bytes;	 /* its length when unpacked */
};

/* Which member of which zip file, and how many bytes it may have, packed or not. Nothing is
 * owned. */
struct archive_wanted {
	const char *path;
	struct pl_view name;
	size_t max;
};

/* The packed bytes of a member into *out, and the zip file's stamp. 0; -errno as of
 * file_read_stamped; -ENOENT also: no such member; -EBADMSG: it is not a zip file, or damaged. */
int archive_read(const struct archive_wanted *w, struct file_stamp *stamp,
	struct archive_member *member, struct pl_buf *out);

#endif
