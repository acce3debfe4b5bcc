/* The library that LD_PRELOAD brings into every program of a recording, and what its parts share.
 *
 *	constructor -> env_take      our variables leave the environment
 *	            -> hook_add      if there is a CPython: wait for its run, start the recorder
 *	exec, spawn -> target_*      will the next program load us?
 *	            -> env_plan      then hand our variables on, on the stack
 *	exit, exec  -> slot_*        how the process ends, for the collector
 *
 * It is a guest in programs that know nothing of it: it prints nothing, keeps no descriptor,
 * changes no errno, and what stands between fork and exec is async-signal-safe.
 */
#ifndef PL_PRELOAD_PRELOAD_H
#define PL_PRELOAD_PRELOAD_H

#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include "recorder/recorder.h"
#include "ring/arena.h"

/* Put before each function that takes the place of one of libc's. All else is hidden. */
#define PRELOAD_EXPORT __attribute__((visibility("default")))

/* The root of the process: written by the constructor, then only read, except the atomic fields. */
struct preload {
	char own_path[PATH_MAX];    /* of this library, absolute */
	char native_path[PATH_MAX]; /* of the hooks of native functions; "": they are not wanted */
	char arena_path[PATH_MAX];  /* "": no recording */
	char loader[PATH_MAX]; /* PT_INTERP of this program: the loader that would load us again */
	uint32_t parent;       /* number of the process that started this one, 0: none recorded */
	uint32_t only_first;   /* --no-children: what a recorded interpreter starts is left alone */
	struct arena arena;    /* mapped only in a program with an interpreter */
	/* Set by the recorder, see recorder.h; NULL before its start and in a forked child without
	 * a slot. */
	struct process_slot *_Atomic slot;
	key_hook *_Atomic on_key;     /* set by the recorder of 3.11, see recorder.h */
	leave_hook *_Atomic on_leave; /* set by the others */
	const struct wait_hooks *_Atomic on_wait;
	_Atomic bool confined; /* the program has given up rights, see confine.c */
	_Atomic uint32_t
		number; /* last one known of a recorded interpreter in this process, 0: none */
};
extern struct preload preload;

/* The functions that ours replace. Valid at any time, also before the constructor. */
struct originals {
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		const posix_spawnattr_t *, char *const[], char *const[]);
	int (*system)(const char *);
	FILE *(*popen)(const char *, const char *);
	int (*pclose)(FILE *);
	void (*exit_now)(int); /* _exit */
	void (*quick_exit)(int);
	int (*setspecific)(pthread_key_t, const void *);
	int (*getattr_np)(pthread_t, pthread_attr_t *);
	int (*epoll_wait)(int, struct epoll_event *, int, int);
	int (*epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	int (*select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
	int (*kill)(pid_t, int);
	int (*killpg)(pid_t, int);
	int (*raise)(int);
	int (*prctl)(int, ...);
};
const struct originals *originals(void);

/* Map the arena, if it is not. false: it is gone, or there is no recording. */
bool preload_join(void);
/* Does a program that this process starts belong to the recording? */
bool preload_hands_on(void);

#endif
