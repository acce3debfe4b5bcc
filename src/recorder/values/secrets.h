/* Secrets: which names say that their value is one, and which parts of a text are one by
 * themselves. The rows are in secret_table.h.
 *
 * Pure but for the user's patterns: no heap, nothing of the interpreter. What is read is the
 * program's: any bytes.
 */
#ifndef PL_RECORDER_SECRETS_H
#define PL_RECORDER_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/view.h"

/* What is written in place of a secret part of a text. */
#define SECRET_MARK "<redacted>"

/* So many bytes of a text that is cut are to be given beyond `room`: a secret that begins in what
 * is kept is only known by what follows it, as the '@' after a password. */
#define SECRET_AHEAD_BYTES 128

/* What --redact adds to the names: patterns (filter/glob.h) in small letters, each with a line feed
 * after it. They stay the caller's, and must be there as long as secrets are looked for; so it is
 * called once, before the first. Of a longer name the first SECRET_NAME_BYTES are compared. */
#define SECRET_NAME_BYTES 128
void secret_names_add(struct pl_view patterns);

/* Does a parameter, an attribute or a key with this name hold a secret? The name is UTF-8. */
bool secret_name(const char *name, size_t length);

/* Parts of a text that have a mark in their place. */
struct secret_parts {
	size_t count, bytes, characters;
};

/* Copy a text, with SECRET_MARK in place of each secret part:
 *
 *	a JSON Web Token, a private key in PEM, a key that is known by its beginning
 *	what follows "Bearer", and "Basic" in an Authorization
 *	the password of scheme://user:password@
 *	the value of name=value, "name": "value", or a line "name: value" whose name is secret
 *
 * Nothing beyond the first `room` bytes of the text is copied. It stops before the character, or
 * the mark, for which there is no room, so its end is never half a character.
 *
 * text: UTF-8, also with surrogates; all of it, or at least room + SECRET_AHEAD_BYTES. What is not
 * known at the end of such a cut text, length > room, is taken for a secret. Returns the bytes
 * written, and adds to *hidden what has a mark in its place. */
size_t secret_copy(
	uint8_t *to, size_t room, const char *text, size_t length, struct secret_parts *hidden);

#endif
