/* A word that names processes, threads, tasks or functions, where an option has a list of them:
 *
 *	process    a number of the recording, else a pid, else a part of the command line
 *	thread     a number within its process, else a native id, else the whole name
 *	task       a number within its process, or the whole name that it has at that event
 *	function   a shell pattern of its qualified name, or of what follows the last dot
 *
 * In an expression the fields process, pid, thread, tid, task and func say which of these is meant.
 */
#ifndef PL_EXPR_NAMED_H
#define PL_EXPR_NAMED_H

#include "expr/known_names.h"
#include "pathline/recording.h"

bool named_process(const struct pl_recording *r, const struct pl_process *p, struct pl_text word);
bool named_thread(const struct pl_recording *r, const struct pl_thread *t, struct pl_text word);
bool named_task(const struct pl_event *e, struct pl_text word);
bool named_function(const struct pl_code *code, const char *pattern);

/* What can be given: words of the command line; a thread's name. */
void named_add_process(struct known_names *names, const struct pl_process *p);
void named_add_thread(struct known_names *names, const struct pl_thread *t);

#endif
