/* pathline pack, and snapshot: a copy of a recording as one file, which every command reads. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cmd/attach_pid.h"
#include "cmd/part_file.h"
#include "cmd/progress.h"
#include "cmd/recorded.h"

#define PACK_END ".pathline" /* of the file's name, if none is given */

struct packer_run {
	struct pl_recording *recording;
	struct pl_pack how;
	struct pl_packed packed;
	struct progress progress;
	struct part_file file;
	const char *last; /* as given; NULL: all */
};

static void show_pack_progress(void *arg, double done)
{
	progress_show(arg, done);
}

/* The recording's name with an ending, here. */
static int name_pack(struct packer_run *p, const char *directory, const char *given)
{
	size_t n = strlen(directory), begin;
	int length;

	while (n > 1 && directory[n - 1] == '/')
		n--;
	for (begin = n; begin && directory[begin - 1] != '/';)
		begin--;
	if (given)
		length = snprintf(p->file.path, sizeof p->file.path, "%s", given);
	else
		length = snprintf(p->file.path, sizeof p->file.path, "%.*s" PACK_END,
			(int)(n - begin), directory + begin);
	if (length <= 0 || (size_t)length >= sizeof p->file.path)
		return part_file_refuse(&p->file, strerror(length ? ENAMETOOLONG : ENOENT));
	return CMD_GO;
}

/* The limit of a recording that is being written may drop a part; then another try has it all. */
static int write_pack(struct packer_run *p, struct pl_err *err)
{
	const int fd = p->file.fd;
	int code, tries = p->file.part[0] ? 3 : 1;

	do {
		*err = (struct pl_err){0};
		code = pl_recording_pack(p->recording, fd, &p->how, &p->packed, err);
	} while (code == PL_ERR_NOT_FOUND && --tries && ftruncate(fd, 0) == 0 &&
		 lseek(fd, 0, SEEK_SET) == 0);
	return code;
}

static int say_packed(const struct packer_run *p)
{
	const struct pl_packed *packed = &p->packed;

	if (p->how.strip_values)
		cmd_say("%s: the values of %" PRIu64 " event%s were taken out", p->file.command,
			packed->values, packed->values == 1 ? "" : "s");
	if (p->how.strip_sources)
		cmd_say("%s: %" PRIu64 " source text%s taken out", p->file.command, packed->sources,
			packed->sources == 1 ? " was" : "s were");
	if (!packed->damaged)
		return CMD_OK;
	cmd_say("%s: %" PRIu64 " damaged part%s left out; `pathline check%s` says where",
		p->file.command, packed->damaged, packed->damaged == 1 ? " was" : "s were",
		cmd_recording());
	return CMD_BAD;
}

static int pack_recording(struct packer_run *p)
{
	struct pl_err err = {0};
	int code = part_file_open(&p->file, true);

	if (code != CMD_GO)
		return code;
	p->progress = progress_begin();
	p->how.progress = show_pack_progress;
	p->how.arg = &p->progress;
	int result = write_pack(p, &err);
	progress_end(&p->progress);
	if (result == 0) {
		code = part_file_finish(&p->file);
		return code == CMD_GO ? say_packed(p) : code;
	}
	cmd_say("%s: %s is not written: %s", p->file.command, p->file.path, pl_err_text(&err));
	part_file_drop(&p->file);
	return result == PL_ERR_IO ? CMD_NOT_WRITTEN : CMD_BAD;
}

/* The recording is open: write it, and close it. */
static int pack_and_close(struct packer_run *p, const char *directory, const char *output)
{
	int code = name_pack(p, directory, output);

	if (code == CMD_GO)
		code = pack_recording(p);
	if (!output && (code == CMD_OK || (code == CMD_BAD && p->packed.damaged)))
		cmd_say("%s: written to %s", p->file.command, p->file.path);
	pl_recording_close(p->recording);
	return code;
}

static int read_last(struct packer_run *p)
{
	if (!p->last || (cmd_span(p->last, &p->how.last_ns) && p->how.last_ns))
		return CMD_GO;
	cmd_say("%s: --last: '%s' is not a time; write 500ms, 30s or 5m", p->file.command, p->last);
	return CMD_USAGE;
}

/* The rows of what pack and snapshot have in common. */
#define PACK_OPTIONS(run, to)                                                                      \
	{"output", 'o', "FILE", "the file; `-` is stdout (default: NAME" PACK_END ")",             \
		.text = &(to)},                                                                    \
		{"strip-values", 0, NULL, "without arguments, results and variables",              \
			.flag = &(run).how.strip_values},                                          \
		{"strip-sources", 0, NULL, "without the texts of the source files",                \
			.flag = &(run).how.strip_sources},                                         \
		{"last", 0, "TIME", "of each thread only the newest: 500ms, 30s, 5m",              \
			.text = &(run).last},                                                      \
	{                                                                                          \
		"force", 'f', NULL, "replace FILE if it exists", .flag = &(run).file.force         \
	}

int cmd_pack(struct cmd *c)
{
	struct packer_run p = {.file.command = c->name};
	const char *output = NULL;
	const struct cmd_option options[] = {
		PACK_OPTIONS(p, output),
		{0},
	};
	const struct cmd_usage usage = {"[RECORDING]",
		"Copy a recording into one file, to keep or to send. Every command that reads "
		"a\nrecording reads the file.",
		options};
	int code = cmd_parse(c, &usage);

	if (code == CMD_GO)
		code = read_last(&p);
	if (code == CMD_GO)
		code = cmd_open(c, &p.recording);
	return code == CMD_GO ? pack_and_close(&p, c->directory, output) : code;
}

/* ---- snapshot ---- */

#define FLUSHED_MS 500 /* what happened before is in the recording then */

/* Ask for what is not written yet, and give it the time. */
static void take_newest(struct pl_recording *r)
{
	pl_recording_follow(r);
	nanosleep(&(struct timespec){.tv_nsec = FLUSHED_MS * 1000000L}, NULL);
	pl_recording_refresh(r, NULL);
}

static int open_process(struct packer_run *p, struct cmd *c)
{
	struct pl_err err = {0};
	int pid, code = attach_pid(c, "snapshot", &pid);

	if (code != CMD_GO)
		return code;
	if (kill(pid, 0) < 0 && errno == ESRCH) {
		cmd_say("snapshot: there is no process %d", pid);
		return CMD_RECORD_FAILED;
	}
	if (!recorded_directory(pid, c->directory)) {
		cmd_say("snapshot: process %d is not recorded, or is another user's; `pathline "
			"ps` says which are",
			pid);
		return CMD_RECORD_FAILED;
	}
	code = pl_recording_open(&p->recording, c->directory, &err);
	if (code < 0)
		return cmd_open_failed("snapshot", c->directory, code, &err);
	take_newest(p->recording);
	return CMD_GO;
}

int cmd_snapshot(struct cmd *c)
{
	struct packer_run p = {.file.command = c->name};
	const char *output = NULL;
	const struct cmd_option options[] = {
		PACK_OPTIONS(p, output),
		{0},
	};
	const struct cmd_usage usage = {"PID",
		"Write what is recorded of a running process so far into one file, as pack does. "
		"The\nprocess and its recording go on.",
		options};
	int code = cmd_parse(c, &usage);

	if (code == CMD_GO)
		code = read_last(&p);
	if (code == CMD_GO)
		code = open_process(&p, c);
	return code == CMD_GO ? pack_and_close(&p, c->directory, output) : code;
}
