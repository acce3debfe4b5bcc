/* The output of a command for a person: fitted to the terminal, and through a pager.
 *
 * page_open prepares the output. When stdout is a terminal and the text is for a person,
 * out.columns is its width, by which text.h shortens paths and cuts lines. Otherwise it is 0, and
 * nothing is shortened. page_start starts the pager, if there is one; page_close waits for it.
 *
 * The pager is $PATHLINE_PAGER, else $PAGER, else `less -FRX`. Its words are split at blanks and
 * executed without a shell. No pager is used when the words are empty or `cat`, with --no-pager, or
 * when stdout or stdin is not a terminal. If it cannot be started, the text goes to the terminal.
 */
#ifndef PL_CMD_PAGE_H
#define PL_CMD_PAGE_H

#include "cmd/cmd.h"
#include "cmd/text.h"

/* for_person: the text form, and not JSON, CSV or rows. CMD_GO, or CMD_BAD after saying why. */
int page_open(struct cmd *c, struct out *o, bool for_person);
#define PAGE_WIDTH 200 /* columns of a line elsewhere than on a terminal */
#define PAGE_WIDTH_HELP                                                                            \
	"cut lines at N columns; 0: nowhere. Without it: those of the terminal, else 200"
/* The number of --width; NULL: PAGE_WIDTH. CMD_GO, or CMD_USAGE after saying why. */
int page_read_width(const char *command, const char *text, uint32_t *width);

/* From here on stdout is the pager's input. Errors go there too, so that they do not disturb its
 * screen. */
void page_start(struct cmd *c, struct out *o);
/* Flush, release, and wait until the user has left the pager. Returns the exit code of the output,
 * as out_release does; leaving the pager early is not an error. */
int page_close(struct cmd *c, struct out *o);

#endif
