#define _GNU_SOURCE
#include "cmd/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX	32
#define COLUMNS_DEFAULT 80
#define COLUMNS_LEAST	20

/* The terminal is asked before COLUMNS, which may be wrong after the window has changed. Without
 * either, as in a terminal with size 0: 80. */
static unsigned terminal_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size = {0};
	long columns = 0;

	if (ioctl(1, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	if (!columns && text)
		columns = strtol(text, NULL, 10);
	if (columns <= 0 || columns > 10000)
		columns = COLUMNS_DEFAULT;
	return columns < COLUMNS_LEAST ? COLUMNS_LEAST : (unsigned)columns;
}

#define WIDTH_LEAST 60
#define WIDTH_MOST  100000

int page_read_width(const char *command, const char *text, uint32_t *width)
{
	char *end;

	*width = PAGE_WIDTH;
	if (!text)
		return CMD_GO;
	const unsigned long n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n > WIDTH_MOST) {
		cmd_say("%s: --width: '%s' is not a number up to %d", command, text, WIDTH_MOST);
		return CMD_USAGE;
	}
	if (n && n < WIDTH_LEAST) {
		cmd_say("%s: --width: at least %d columns, or 0 for whole lines", command,
			WIDTH_LEAST);
		return CMD_USAGE;
	}
	*width = (uint32_t)n;
	return CMD_GO;
}

int page_open(struct cmd *c, struct out *o, bool for_person)
{
	if (out_init(o, 1, c->color_out) < 0) {
		cmd_say("%s: not enough memory for the output", c->name);
		return CMD_BAD;
	}
	if (for_person && isatty(1)) {
		o->columns = terminal_columns();
		o->here = getcwd(NULL, 0);
	}
	return CMD_GO;
}

/* The words of the pager, split in place; words[0] NULL: there is none. */
static void split_words(char *text, char *words[WORDS_MAX + 1])
{
	char *rest = NULL;
	size_t count = 0;

	for (char *word = strtok_r(text, " \t", &rest); word && count < WORDS_MAX;
		word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	words[count] = NULL;
	if (count == 1 && !strcmp(words[0], "cat"))
		words[0] = NULL;
}

/* NULL: the user chose none. */
static const char *chosen_pager(void)
{
	const char *text = getenv("PATHLINE_PAGER");

	return text ? text : getenv("PAGER");
}

/* In the child. If execvp succeeds, `failed` is closed by it, and the parent reads nothing; if not,
 * the parent reads the errno. */
static void run_pager(char **words, int input, int failed)
{
	dup2(input, 0);
	/* As git does, for a PAGER that is only `less`: colours, and no pager if one screen is
	 * enough. */
	setenv("LESS", "FRX", 0);
	execvp(words[0], words);
	const int err = errno;
	if (write(failed, &err, sizeof err) < 0) {
		/* The parent reads end of file, and assumes that the pager has started. */
	}
	_exit(127);
}

/* Returns the pager's pid, with its input in ends[1]; 0: it was not started, and *err is the
 * reason. */
static pid_t start_pager(char **words, int ends[2], int *err)
{
	int failed[2];
	ssize_t got;

	*err = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	if (pipe2(failed, O_CLOEXEC) < 0) {
		close(ends[0]);
		close(ends[1]);
		return 0;
	}
	const pid_t pid = fork();
	if (!pid)
		run_pager(words, ends[0], failed[1]);
	close(failed[1]);
	close(ends[0]);
	while ((got = read(failed[0], err, sizeof *err)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	if (pid > 0 && got <= 0) {
		*err = 0;
		return pid;
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	close(ends[1]);
	return 0;
}

/* No pager if nobody reads the output at a terminal, or if the terminal cannot move its cursor.
 * Messages go into the pager as well, because it has the screen; page_close gives them back to the
 * terminal. */
void page_start(struct cmd *c, struct out *o)
{
	const char *terminal = getenv("TERM");
	char *words[WORDS_MAX + 1] = {0};
	int ends[2], err = 0;
	char *text = NULL;

	if (!o->columns || o->pager || c->no_pager || !isatty(0) || !terminal ||
		!strcmp(terminal, "dumb"))
		return;
	text = strdup(chosen_pager() ? chosen_pager() : "less -FRX");
	if (text)
		split_words(text, words);
	if (words[0])
		o->pager = start_pager(words, ends, &err);
	if (err && chosen_pager()) /* a small system has no less: no pager then */
		cmd_say("%s: the pager '%s' cannot be started: %s; --no-pager needs none", c->name,
			words[0], strerror(err));
	free(text);
	if (!o->pager)
		return;
	o->fd = ends[1];
	/* If the pager is left early, writes fail instead of a signal ending us. Ctrl-C is for the
	 * pager. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (isatty(2)) {
		o->talk = fcntl(2, F_DUPFD_CLOEXEC, 3);
		if (o->talk >= 0)
			dup2(ends[1], 2);
	}
}

/* Write the rest, and wait until the pager is left. That the user left it before the end is no
 * error. */
int page_close(struct cmd *c, struct out *o)
{
	const pid_t pager = o->pager;
	const int fd = o->fd, talk = o->talk;
	char *here = o->here;
	int code;

	(void)c;
	if (pager)
		out_flush(o);
	if (pager && o->error == EPIPE)
		o->error = 0;
	code = out_release(o);
	free(here);
	if (!pager)
		return code;
	close(fd);
	if (talk > 0) {
		dup2(talk, 2);
		close(talk);
	}
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	return code;
}
