/* What is packed in a zip file (os/archive.h), unpacked. */
#ifndef PL_COLLECTOR_UNPACK_H
#define PL_COLLECTOR_UNPACK_H

#include "os/archive.h"

/* At most max bytes into *out, which is reset. 0; -EFBIG: it says that it has more; -EBADMSG: its
 * bytes are not what it says; -ENOTSUP: packed in another way than zipimport reads; -ENOMEM. */
int unpack(const struct archive_member *m, struct pl_view packed, size_t max, struct pl_buf *out);

#endif
