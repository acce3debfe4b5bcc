#define _GNU_SOURCE
#include "attach/pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attach/symbols.h"

#define CODE_CALL_AT 128

/* Counted from there, as four bytes. */
#define FROM_CALL(offset)                                                                          \
	(uint8_t)(((offset) - (CODE_CALL_AT)) & 255), (uint8_t)(((offset) - (CODE_CALL_AT)) >> 8), \
		0, 0
#define AT(field) (uint8_t) offsetof(struct recorder_order, field)
#define AT4(field)                                                                                 \
	(uint8_t)(offsetof(struct recorder_order, field) & 255),                                   \
		(uint8_t)(offsetof(struct recorder_order, field) >> 8), 0, 0

/* clang-format off */
/* With the order in rdi. As a pending call it returns 0, as a thread NULL. */
static const uint8_t code_run[] = {
	0x53,                         /* push rbx: the stack is aligned now */
	0x48, 0x89, 0xfb,             /* mov rbx, rdi */
	0x48, 0x8d, 0xbb, AT4(library), /* lea rdi, [rbx + library] */
	0xbe, 0x02, 0x00, 0x00, 0x00, /* mov esi, RTLD_NOW */
	0xff, 0x53, AT(dlopen),       /* call [rbx + dlopen] */
	0x48, 0x85, 0xc0,             /* test rax, rax */
	0x74, 0x18,                   /* jz failed */
	0x48, 0x89, 0xc7,             /* mov rdi, rax */
	0x48, 0x8d, 0xb3, AT4(entry), /* lea rsi, [rbx + entry] */
	0xff, 0x53, AT(dlsym),        /* call [rbx + dlsym] */
	0x48, 0x85, 0xc0,             /* test rax, rax */
	0x74, 0x06,                   /* jz failed */
	0x48, 0x89, 0xdf,             /* mov rdi, rbx */
	0x5b,                         /* pop rbx */
	0xff, 0xe0,                   /* jmp rax: nothing of this page is on the stack */
	/* failed: */
	0xc7, 0x43, AT(status), ORDER_NOT_LOADED, 0x00, 0x00, 0x00, /* mov [rbx + status], 1 */
	0x31, 0xc0,                   /* xor eax, eax */
	0x5b,                         /* pop rbx */
	0xc3,                         /* ret */
};
/* What a stopped thread does: call rax with its arguments, once it may write to the order. rax is 0
 * if both have been done. */
static const uint8_t code_call[] = {
	0x48, 0x89, 0xc3,             /* mov rbx, rax: all its registers are put back later */
	0x49, 0x89, 0xfc,             /* mov r12, rdi */
	0x49, 0x89, 0xf5,             /* mov r13, rsi */
	0x49, 0x89, 0xd6,             /* mov r14, rdx */
	0x49, 0x89, 0xcf,             /* mov r15, rcx */
	0x48, 0x8d, 0x3d, FROM_CALL(ORDER_AT - 22), /* lea rdi, [order] */
	0xbe, 0x00, 0x10, 0x00, 0x00, /* mov esi, 4096 */
	0xba, 0x03, 0x00, 0x00, 0x00, /* mov edx, PROT_READ | PROT_WRITE */
	0xb8, 0x0a, 0x00, 0x00, 0x00, /* mov eax, SYS_mprotect */
	0x0f, 0x05,                   /* syscall */
	0x85, 0xc0,                   /* test eax, eax */
	0x75, 0x0e,                   /* jnz done */
	0x4c, 0x89, 0xe7,             /* mov rdi, r12 */
	0x4c, 0x89, 0xee,             /* mov rsi, r13 */
	0x4c, 0x89, 0xf2,             /* mov rdx, r14 */
	0x4c, 0x89, 0xf9,             /* mov rcx, r15 */
	0xff, 0xd3,                   /* call rbx */
	/* done: */
	0xcc,                         /* int3 */
};
/* clang-format on */
_Static_assert(sizeof code_run <= CODE_CALL_AT, "the two do not overlap");
_Static_assert(offsetof(struct recorder_order, leave) < 128, "offsets of one byte");

/* Nothing is ever writable and executable. We write all the same, as a debugger sets breakpoints,
 * so the thread is not held for a second system call. */
int pages_map(struct stop *s, uint64_t *at)
{
	const uint64_t map[6] = {0, ORDER_PAGES_BYTES, PROT_READ | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0};
	const int64_t got = stop_system(s, SYS_mmap, map);

	if (got < 0 && got > -4096)
		return (int)got;
	*at = (uint64_t)got;
	return 0;
}

void pages_unmap(struct stop *s, uint64_t at)
{
	stop_system(s, SYS_munmap, (uint64_t[6]){at, ORDER_PAGES_BYTES});
}

bool pages_fill(int pid, uint64_t at, const struct recorder_order *order)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	int memory = open(path, O_WRONLY | O_CLOEXEC);
	bool done = memory >= 0 &&
		    pwrite(memory, code_run, sizeof code_run, (off_t)at) == sizeof code_run &&
		    pwrite(memory, code_call, sizeof code_call, (off_t)at + CODE_CALL_AT) ==
			    sizeof code_call &&
		    pwrite(memory, order, sizeof *order, (off_t)at + ORDER_AT) == sizeof *order;

	if (memory >= 0)
		close(memory);
	return done;
}

/* run: our code, or the recorder that is there. */
bool pages_run(struct stop *s, const struct target *t, uint64_t at, bool waits)
{
	const uint64_t order = at + ORDER_AT, run = t->entry ? t->entry : at;
	const uint64_t create[4] = {order + offsetof(struct recorder_order, thread), 0, run, order};
	const uint64_t add[4] = {run, order};
	uint64_t result;

	return stop_call(s, at + CODE_CALL_AT, waits ? t->thread_create : t->add_pending,
		       waits ? create : add, &result) &&
	       (uint32_t)result == 0;
}

bool pages_let_unmap(int pid, uint64_t at)
{
	const uint32_t yes = 1;

	return memory_write(
		pid, at + ORDER_AT + offsetof(struct recorder_order, may_unmap), &yes, sizeof yes);
}
