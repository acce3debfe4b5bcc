/* What the recorder says about the text from which code was compiled.
 *
 * A text unit is all code that was compiled at once: a module, and the functions and classes in it.
 * Its codes have one text. Its number is that of the code that opened it, so it is unique in the
 * recording. The recorder writes it before that code:
 *
 *   unit | how | error | file string | directory string | archive | stamp: 5 numbers |
 *   text string | member: 3 numbers | hash: 2 u64
 *
 * All numbers are varints.
 */
#ifndef PL_FORMAT_CODE_TEXT_H
#define PL_FORMAT_CODE_TEXT_H

#include "base/buf.h"
#include "base/view.h"

enum code_text_how {
	CODE_TEXT_BYTES = 1,	 /* text: the file's bytes, read when the unit was opened */
	CODE_TEXT_DECODED = 2,	 /* text: UTF-8, as linecache or -c has it */
	CODE_TEXT_FILE = 3,	 /* the text is in the file, as long as the file has this stamp */
	CODE_TEXT_FROZEN = 4,	 /* the text is in the standard library */
	CODE_TEXT_NONE = 5,	 /* there is no text; error: the errno, or 0 */
	CODE_TEXT_LATE = 6,	 /* the file may have been written after the code was compiled */
	CODE_TEXT_ARCHIVE = 7,	 /* the text is in a zip file, as long as that has this stamp */
	CODE_TEXT_MEMBER = 8,	 /* text: as it is stored in a zip file, read just now */
	CODE_TEXT_OTHER = 9,	 /* the file has another text than what was compiled */
	CODE_TEXT_CONFINED = 10, /* the file was not looked at: the program had given up rights */
};

#define CODE_TEXT_STAMP		 5 /* device, inode, bytes, written_ns, changed_ns (os/file.h) */
#define CODE_TEXT_MEMBER_NUMBERS 3 /* method, crc, bytes (os/archive.h) */

struct code_text {
	uint32_t unit;
	uint32_t how;		  /* enum code_text_how; a newer recorder may use other values */
	uint32_t error;		  /* an errno; 0: none */
	struct pl_view file;	  /* co_filename; views into the bytes that were read */
	struct pl_view directory; /* that a relative file name is relative to; else empty */
	uint32_t archive;	  /* the number of bytes of `file` that name the zip file */
	uint64_t stamp[CODE_TEXT_STAMP];
	struct pl_view text;
	/* how `text` is stored in the zip file; 0 for others */
	uint32_t member[CODE_TEXT_MEMBER_NUMBERS];
	uint64_t hash[2]; /* the key and the hash that its .pyc has of the file; key 0: none */
};

/* If there is no memory, `out` says so. */
void code_text_write(struct pl_buf *out, const struct code_text *t);
/* 0 or PL_ERR_FORMAT. */
int code_text_read(struct pl_view v, struct code_text *out);

#endif
