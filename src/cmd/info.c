/* pathline info: what a recording holds, as one page for a person or one JSON object. */
#define _GNU_SOURCE
#include "cmd/info.h"

#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/page.h"
#include "cmd/summary.h"
#include "session/executed.h"

const char *info_window(const struct pl_recording_info *i)
{
	if (executed_ran_before(i))
		return "from the moment at which the running program was attached to that at which "
		       "it was left";
	return "from the first line of __main__ to the end of finalisation; site, .pth files and "
	       "sitecustomize ran before recording started";
}

/* The directory is shown by its own name, even if it was found through `latest`. */
static void write_info(struct out *o, struct pl_recording *r, bool json)
{
	struct pl_recording_info info;
	char *real;

	pl_recording_info(r, &info);
	real = realpath(info.directory, NULL);
	if (json)
		info_json(o, r, real ? real : info.directory);
	else
		info_page(o, r, real ? real : info.directory);
	free(real);
}

int cmd_info(struct cmd *c)
{
	bool json = false;
	const struct cmd_option options[] = {
		{"json", 0, NULL, "one JSON object", .flag = &json},
		{0},
	};
	struct pl_recording *r = NULL;
	struct out o = {0};
	int written, code = cmd_parse(c, &(struct cmd_usage){"[RECORDING]",
						 "Print what was recorded: command line, machine, "
						 "processes, threads, counts, losses.",
						 options, .paged = true});

	if (code == CMD_GO)
		code = cmd_open(c, &r);
	if (code == CMD_GO)
		code = page_open(c, &o, !json);
	if (code == CMD_GO) {
		page_start(c, &o);
		write_info(&o, r, json);
		code = summary_of(r).damaged ? CMD_BAD : CMD_OK;
	}
	written = page_close(c, &o);
	pl_recording_close(r);
	return written ? written : code;
}
