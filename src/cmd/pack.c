/* pathline pack, and snapshot: a copy of a recording as one file, which every command reads. */
#define _GNU_SOURCE
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cmd/attach_pid.h"
#include "cmd/progress.h"
#include "cmd/recorded.h"

#define PACK_END ".pathline" /* of the file's name, if none is given */

struct packer_run {
	const char *command;
	struct pl_recording *recording;
	struct pl_pack how;
	struct pl_packed packed;
	struct progress progress;
	char path[CMD_DIRECTORY_BYTES]; /* "-": stdout */
	char part[CMD_DIRECTORY_BYTES]; /* where it is written until it is whole; "": stdout */
	bool force;
};

static void show_pack_progress(void *arg, double done)
{
	progress_show(arg, done);
}

static int refuse_pack(const struct packer_run *p, const char *why)
{
	cmd_say("%s: %s cannot be written: %s", p->command, p->path, why);
	return CMD_USAGE;
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
		length = snprintf(p->path, sizeof p->path, "%s", given);
	else
		length = snprintf(p->path, sizeof p->path, "%.*s" PACK_END, (int)(n - begin),
			directory + begin);
	if (length <= 0 || (size_t)length >= sizeof p->path)
		return refuse_pack(p, strerror(length ? ENAMETOOLONG : ENOENT));
	return CMD_GO;
}

/* A file in the same directory, which takes the name when it is whole: nobody sees half a pack. */
static int open_part(struct packer_run *p, int *fd)
{
	struct stat st;

	if (!strcmp(p->path, "-")) {
		*fd = STDOUT_FILENO;
		return isatty(*fd) ? refuse_pack(p, "stdout is a terminal") : CMD_GO;
	}
	if (stat(p->path, &st) == 0 && !S_ISREG(st.st_mode))
		return refuse_pack(p, "it exists, and is not a regular file");
	if (!p->force && lstat(p->path, &st) == 0)
		return refuse_pack(p, "it exists; --force replaces it");
	if (snprintf(p->part, sizeof p->part, "%s.%d.part", p->path, (int)getpid()) >=
		CMD_DIRECTORY_BYTES)
		return refuse_pack(p, strerror(ENAMETOOLONG));
	*fd = open(p->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd >= 0)
		return CMD_GO;
	const int number = errno;
	p->part[0] = 0;
	return refuse_pack(p, strerror(number));
}

/* The limit of a recording that is being written may drop a part; then another try has it all. */
static int write_pack(struct packer_run *p, int fd, struct pl_err *err)
{
	int code, tries = p->part[0] ? 3 : 1;

	do {
		*err = (struct pl_err){0};
		code = pl_recording_pack(p->recording, fd, &p->how, &p->packed, err);
	} while (code == PL_ERR_NOT_FOUND && --tries && ftruncate(fd, 0) == 0 &&
		 lseek(fd, 0, SEEK_SET) == 0);
	return code;
}

/* Closes the file, which may find that the disk is full. */
static int finish_part(struct packer_run *p, int fd)
{
	int number = 0;

	if (!p->part[0])
		return CMD_GO;
	if (fsync(fd) < 0 && errno != EINVAL)
		number = errno;
	if (close(fd) < 0 && !number)
		number = errno;
	if (!number && (p->force ? rename(p->part, p->path) : link(p->part, p->path)) < 0)
		number = errno;
	unlink(p->part);
	return number ? refuse_pack(p, strerror(number)) : CMD_GO;
}

static int say_packed(const struct packer_run *p)
{
	const struct pl_packed *packed = &p->packed;

	if (p->how.strip_values)
		cmd_say("%s: the values of %" PRIu64 " event%s were taken out", p->command,
			packed->values, packed->values == 1 ? "" : "s");
	if (p->how.strip_sources)
		cmd_say("%s: %" PRIu64 " source text%s taken out", p->command, packed->sources,
			packed->sources == 1 ? " was" : "s were");
	if (!packed->damaged)
		return CMD_OK;
	cmd_say("%s: %" PRIu64 " damaged part%s left out; `pathline check%s` says where",
		p->command, packed->damaged, packed->damaged == 1 ? " was" : "s were",
		cmd_recording());
	return CMD_BAD;
}

static int pack_recording(struct packer_run *p)
{
	struct pl_err err = {0};
	int fd, code = open_part(p, &fd);

	if (code != CMD_GO)
		return code;
	p->progress = progress_begin();
	p->how.progress = show_pack_progress;
	p->how.arg = &p->progress;
	int result = write_pack(p, fd, &err);
	progress_end(&p->progress);
	if (result == 0) {
		code = finish_part(p, fd);
		return code == CMD_GO ? say_packed(p) : code;
	}
	cmd_say("%s: %s is not written: %s", p->command, p->path, pl_err_text(&err));
	if (p->part[0]) {
		close(fd);
		unlink(p->part);
	}
	return result == PL_ERR_IO ? CMD_NOT_WRITTEN : CMD_BAD;
}

/* The recording is open: write it, and close it. */
static int pack_and_close(struct packer_run *p, const char *directory, const char *output)
{
	int code = name_pack(p, directory, output);

	if (code == CMD_GO)
		code = pack_recording(p);
	pl_recording_close(p->recording);
	return code;
}

/* The rows of what pack and snapshot have in common. */
#define PACK_OPTIONS(run, to)                                                                      \
	{"output", 'o', "FILE", "the file; `-` is stdout (default: NAME" PACK_END ")",             \
		.text = &(to)},                                                                    \
		{"strip-values", 0, NULL, "without arguments, results and variables",              \
			.flag = &(run).how.strip_values},                                          \
		{"strip-sources", 0, NULL, "without the texts of the source files",                \
			.flag = &(run).how.strip_sources},                                         \
	{                                                                                          \
		"force", 'f', NULL, "replace FILE if it exists", .flag = &(run).force              \
	}

int cmd_pack(struct cmd *c)
{
	struct packer_run p = {.command = c->name};
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
	struct packer_run p = {.command = c->name};
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
		code = open_process(&p, c);
	return code == CMD_GO ? pack_and_close(&p, c->directory, output) : code;
}
