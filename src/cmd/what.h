/* WHAT `record` runs, turned into a command line. */
#ifndef PL_CMD_WHAT_H
#define PL_CMD_WHAT_H

#include <limits.h>

/* Names the Python of `python -m pathline record`, in place of python3 from PATH. The program does
 * not see it. */
#define WHAT_PYTHON_VARIABLE "PATHLINE_DEFAULT_PYTHON"

struct what {
	char **argv;	     /* owned array; the words are not owned; NULL at its end */
	char path[PATH_MAX]; /* what to execute */
	char name[48];	     /* for the name of the recording's directory */
};

/* words: at least one. python: EXE of --python, or NULL. CMD_GO, or an exit code after saying
 * why. */
int what_resolve(struct what *w, char **words, int count, const char *python);
void what_release(struct what *w);
/* w->name only, for a Python that runs already: words are those after its own. */
void what_name_running(struct what *w, char *const *words);

#endif
