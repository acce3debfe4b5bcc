/* The source in the user's own editor. */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tui/orders.h"
#include "tui/pointer.h"

#define EDITOR_ARGS 32

/* In a child: words split at spaces, no shell, so that a file's name cannot run anything. $EDITOR
 * may have options ("emacs -nw"), not quotes. */
static void editor_exec(char *editor, char *line, char *file)
{
	char *words[EDITOR_ARGS + 3], *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(editor, " ", &rest); word && n < EDITOR_ARGS;
		word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	words[n++] = line;
	words[n++] = file;
	words[n] = NULL;
	execvp(words[0], words);
	_exit(127);
}

/* The editor has the terminal until it ends. SIGWINCH is blocked in the screen (hold_resizes), and
 * a child inherits that: an editor must have the mask from before the screen began. */
static void editor_run(struct tui *t, const char *editor)
{
	char line[16], *words = strdup(editor), *file = strdup(t->source.file);
	int status = 0;

	snprintf(line, sizeof line, "+%" PRId32, t->cursor);
	def_prog_mode();
	pointer_end(t);
	endwin();
	pid_t child = words && file ? fork() : -1;
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &t->unblocked, NULL);
		editor_exec(words, line, file);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	reset_prog_mode();
	clear();
	free(words);
	free(file);
	*t->o->interrupted = 0;
	if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
		tui_say(t, "cannot run %s", editor);
	else
		tui_say(t, "the source shown here is still that of the recording");
}

/* The name of a file comes from the recording: one that begins with + or - would be an option to
 * the editor. */
void editor_open(struct tui *t, const char *rest)
{
	const char *editor = getenv("VISUAL");

	(void)rest;
	if (!editor || !editor[strspn(editor, " ")])
		editor = getenv("EDITOR");
	if (!editor || !editor[strspn(editor, " ")])
		tui_say(t, "no editor is known: set VISUAL or EDITOR");
	else if (!t->source.file || access(t->source.file, F_OK) < 0 || t->source.file[0] == '+' ||
		 t->source.file[0] == '-')
		tui_say(t, "cannot edit %s: there is no such file here",
			t->source.file ? t->source.file : "?");
	else
		editor_run(t, editor);
}
