/* A process that is to be attached: its interpreter, and why it is refused. */
#ifndef PL_ATTACH_TARGET_H
#define PL_ATTACH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_WHY_BYTES 512

struct target {
	int pid;
	int own_pid;	  /* in its PID namespace */
	char version[16]; /* "3.13"; "": it is not a Python that is known */
	char release[24]; /* "3.13.1" */
	char program[256];
	char arena[4096];      /* that it has mapped; "": it is not recorded */
	char recorder[4096];   /* the library that it has loaded; "": none */
	bool preloaded;	       /* `pathline record` started it */
	bool foreign;	       /* it may not see our files: another user, mount namespace or root */
	bool own_shm;	       /* its /dev/shm is not ours */
	uint32_t uid, gid;     /* with which it opens files */
	uint64_t entry;	       /* of the recorder that it has loaded; 0: none */
	uint64_t first_object; /* something that is mapped */
	/* where its interpreter's instructions are */
	uint64_t text_from, text_to;
	uint64_t loader_from, loader_to; /* and the loader's; it reads files, too */
	/* addresses in it; the last one is that of an instruction */
	uint64_t dlopen, dlsym, thread_create, add_pending, system_call;
	uint8_t add_pending_bytes[16]; /* what stands there */
};

/* Look at a process. 0; or -1 with one line in `why`: what is missing, and what the user can
 * do. */
int target_look(struct target *t, int pid, char why[ATTACH_WHY_BYTES]);
/* The system refused to trace it: by which rule, and with what it would not. */
void target_explain_ptrace(int pid, char why[ATTACH_WHY_BYTES]);
/* false: it has run another program since (exec), and the addresses mean something else. */
bool target_is_same(const struct target *t);
/* Also a zombie has. */
bool target_has_ended(int pid);

#endif
