/* The two variables that carry a recording from program to program, and how no program sees them.
 *
 *	as handed on    A=1  LD_PRELOAD=user.so  B=2
 *	                LD_PRELOAD=<ours>:user.so  PATHLINE_ARENA=<path>:<number>
 *	as seen         A=1  LD_PRELOAD=user.so  B=2
 *
 * ld.so takes the last LD_PRELOAD, a program the first. So ours go to the end and the rest stays as
 * it is, in order, and taking them out is cutting the tail off. `pathline record` may also put ours
 * in front of the user's value (or alone, when there is none); then the value is restored in its
 * place: "<ours>" was unset, "<ours>:" was empty. With --native the library of its hooks
 * follows ours, and comes and goes with it.
 */
#ifndef PL_PRELOAD_ENV_H
#define PL_PRELOAD_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* with more variables the environment is passed on unchanged: they would not fit on a small
 * stack */
#define ENV_COUNT_MAX 8192u

/* The value of PATHLINE_ARENA, copied to `arena` of `size` bytes; "": it is absent or too long. */
void env_find(char *const *env, char *arena, size_t size);

/* Is this library in an LD_PRELOAD? */
bool env_has_native(char *const *env, const char *native_path);

/* Take ours out of `env`, the process's own array, in place; `own_path` is our entry in
 * LD_PRELOAD. */
void env_take(char **env, const char *own_path);

/* What an environment will be with ours in it. */
struct env_plan {
	char *const *given; /* the caller's; NULL: empty */
	size_t count;	    /* of variables in it */
	const char *user;   /* its value of LD_PRELOAD, into given; NULL: unset */
	size_t bytes;	    /* that env_build needs */
};

/* false: nothing must be added, so pass on what was given. Async-signal-safe, as is env_build. */
bool env_plan(struct env_plan *plan, char *const envp[]);
/* `space` is the caller's: plan->bytes on its stack, which contain the result. */
char **env_build(const struct env_plan *plan, void *space);

#endif
