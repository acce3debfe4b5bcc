#define _GNU_SOURCE
#include "source/kernel_rows.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include "base/varint.h"
#include "source/kernel_calls.h"

/* ---- names of values ---- */

static const struct source_value_name call_names[] = {
#include "source/syscall_names.h"
};
#define CALL_NAMES (sizeof call_names / sizeof *call_names)

/* Of a field in which 0 is none and n + 1 is the call n. */
static struct source_value_name call_names_or_none[CALL_NAMES + 1];

/* -1: EPERM, and so on. */
#define ERRORS 133
static struct source_value_name error_names[ERRORS];

enum reason {
	REASON_PREEMPTED,
	REASON_SLEEP,
	REASON_UNINTERRUPTIBLE,
	REASON_STOPPED,
	REASON_OTHER
};

static const struct source_value_name reason_names[] = {
	{REASON_PREEMPTED, "preempted"},
	{REASON_SLEEP, "sleep"},
	{REASON_UNINTERRUPTIBLE, "uninterruptible"},
	{REASON_STOPPED, "stopped"},
	{REASON_OTHER, "other"},
};

static const struct source_value_name end_names[] = {{0, ""}, {1, "unfinished"}};

/* ---- kinds ---- */

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const struct source_field call_fields[] = {
	{"name", "", PL_FIELD_UNSIGNED, call_names, CALL_NAMES},
	{"file", "", PL_FIELD_TEXT, NULL, 0},
	{"arguments", "", PL_FIELD_TEXT, NULL, 0},
	{"result", "", PL_FIELD_SIGNED, error_names, ERRORS},
	{"duration", "ns", PL_FIELD_UNSIGNED, NULL, 0},
	{"end", "", PL_FIELD_UNSIGNED, end_names, COUNT(end_names)},
};

static const struct source_field off_fields[] = {
	{"duration", "ns", PL_FIELD_UNSIGNED, NULL, 0},
	{"reason", "", PL_FIELD_UNSIGNED, reason_names, COUNT(reason_names)},
	{"call", "", PL_FIELD_UNSIGNED, call_names_or_none, CALL_NAMES + 1},
	{"ready", "ns", PL_FIELD_UNSIGNED, NULL, 0},
	{"waker", "", PL_FIELD_TEXT, NULL, 0},
	{"waker_pid", "id", PL_FIELD_UNSIGNED, NULL, 0},
	{"waker_id", "id", PL_FIELD_UNSIGNED, NULL, 0},
};

static const struct source_field wake_fields[] = {
	{"woken", "", PL_FIELD_TEXT, NULL, 0},
	{"woken_pid", "id", PL_FIELD_UNSIGNED, NULL, 0},
	{"woken_id", "id", PL_FIELD_UNSIGNED, NULL, 0},
};

struct source_kind kernel_kinds[KERNEL_EXEC - 1] = {
	[KERNEL_SYSCALL - 1] = {"syscall", "a system call, at its end", call_fields,
		COUNT(call_fields)},
	[KERNEL_OFF - 1] = {"off",
		"the thread was off the processor, at its end: why, in which "
		"system call, how long it could have run, and who woke it",
		off_fields, COUNT(off_fields)},
	[KERNEL_WAKE - 1] = {"wake", "the thread woke another one", wake_fields,
		COUNT(wake_fields)},
};

void kernel_rows_begin(void)
{
	call_names_or_none[0] = (struct source_value_name){0, ""};
	for (size_t i = 0; i < CALL_NAMES; i++)
		call_names_or_none[i + 1] =
			(struct source_value_name){call_names[i].value + 1, call_names[i].name};
	for (int i = 0; i < ERRORS; i++) {
		const char *name = strerrorname_np(i + 1);
		error_names[i] = (struct source_value_name){-(i + 1), name ? name : "?"};
	}
	kernel_io_rows_begin();
	memcpy(kernel_kinds + KERNEL_BLOCK - 1, kernel_io_kinds, sizeof kernel_io_kinds);
}

/* ---- arguments ---- */

static const struct {
	unsigned int number;
	struct kernel_call call;
	const char *words;
} call_rows[] = {
#define X(name, names, argument, words) {__NR_##name, {KERNEL_NAMES_##names, argument, 0}, words},
	KERNEL_CALL_ROWS(X)
#undef X
};

/* By number. */
static const char *call_words[KERNEL_CALLS];

void kernel_rows_calls(struct kernel_call calls[KERNEL_CALLS])
{
	for (size_t i = 0; i < sizeof call_rows / sizeof *call_rows; i++)
		if (call_rows[i].number < KERNEL_CALLS) {
			calls[call_rows[i].number] = call_rows[i].call;
			call_words[call_rows[i].number] = call_rows[i].words;
		}
	calls[__NR_accept4].accepts = 1;
#ifdef __NR_accept
	calls[__NR_accept].accepts = 1;
#endif
}

/* "fd 3 bytes 4096" */
static void put_arguments(struct pl_buf *out, const struct kernel_event *e)
{
	const char *word = e->call && e->call <= KERNEL_CALLS ? call_words[e->call - 1] : NULL;
	char text[256];
	size_t used = 0;

	for (int i = 0; word && *word && i < 6; i++) {
		const size_t length = strcspn(word, " ");
		/* An int that is negative, such as no descriptor: the upper half is not its own. */
		const unsigned long long word_value = e->syscall.arguments[i];
		const bool none = word_value == UINT32_MAX;
		const unsigned long long value = none ? UINT64_MAX : word_value;
		const bool hex = *word == 'x';
		if (*word != '.' && used < sizeof text - 64)
			used += (size_t)snprintf(text + used, sizeof text - used,
				hex ? "%s%.*s 0x%llx" : "%s%.*s %lld", used ? " " : "",
				(int)(length - hex), word + hex, hex ? word_value : value);
		word += length + (word[length] == ' ');
	}
	buf_string(out, text, used);
}

size_t kernel_address_text(const char bytes[KERNEL_SOCKADDR_BYTES], char *text, size_t max)
{
	char host[INET6_ADDRSTRLEN] = "?";
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	memcpy(&family, bytes, sizeof family);
	memcpy(&in, bytes, sizeof in);
	memcpy(&in6, bytes, sizeof in6);
	switch (family) {
	case AF_INET:
		inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
		return (size_t)snprintf(text, max, "%s:%u", host, ntohs(in.sin_port));
	case AF_INET6:
		inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host);
		return (size_t)snprintf(text, max, "[%s]:%u", host, ntohs(in6.sin6_port));
	case AF_UNIX:
		return (size_t)snprintf(text, max, "unix:%.*s",
			(int)sizeof in6 - (int)sizeof family, bytes + sizeof family);
	default:
		return (size_t)snprintf(text, max, "socket of family %u", family);
	}
}

static void put_call_text(struct pl_buf *out, const struct kernel_event *e)
{
	const bool address = e->syscall.text_kind == KERNEL_TEXT_ADDRESS ||
			     e->syscall.text_kind == KERNEL_TEXT_SOCKET;
	char text[128];

	if (address)
		buf_string(out, text, kernel_address_text(e->syscall.text, text, sizeof text));
	else if (e->syscall.text_kind != KERNEL_TEXT_NONE)
		buf_string(out, e->syscall.text,
			e->syscall.text_bytes < KERNEL_TEXT_BYTES ? e->syscall.text_bytes
								  : KERNEL_TEXT_BYTES);
	else
		buf_string(out, "", 0);
}

/* ---- rows ---- */

static void put_syscall(struct pl_buf *out, const struct kernel_event *e)
{
	buf_varint(out, e->call ? e->call - 1 : 0);
	put_call_text(out, e);
	put_arguments(out, e);
	buf_varint(out, zigzag(e->syscall.result));
	buf_varint(out, e->duration_ns);
	buf_varint(out, e->syscall.unfinished != 0);
}

/* Bits of the kernel's task states. */
static enum reason reason_of(unsigned int state)
{
	if (!state)
		return REASON_PREEMPTED;
	return state & 1	 ? REASON_SLEEP
	       : state & 2	 ? REASON_UNINTERRUPTIBLE
	       : state & (4 | 8) ? REASON_STOPPED
				 : REASON_OTHER;
}

static void put_comm(struct pl_buf *out, const char comm[KERNEL_COMM_BYTES])
{
	buf_string(out, comm, strnlen(comm, KERNEL_COMM_BYTES));
}

/* Nobody has the number 0: it is the processor's idle task, upon which an interrupt came. One that
 * was preempted could have run all the time. */
static void put_off(struct pl_buf *out, const struct kernel_event *e)
{
	const enum reason reason = reason_of(e->off.state);

	buf_varint(out, e->duration_ns);
	buf_varint(out, reason);
	buf_varint(out, e->call);
	buf_varint(out, reason == REASON_PREEMPTED ? e->duration_ns : e->off.ready_ns);
	if (e->off.by_timer)
		buf_string(out, "timer", 5);
	else if (e->off.ready_ns && !e->off.waker_id)
		buf_string(out, "interrupt", 9);
	else if (e->off.ready_ns)
		put_comm(out, e->off.waker);
	else
		buf_string(out, "", 0);
	buf_varint(out, e->off.waker_pid);
	buf_varint(out, e->off.waker_id);
}

static void put_wake(struct pl_buf *out, const struct kernel_event *e)
{
	put_comm(out, e->wake.woken);
	buf_varint(out, e->wake.woken_pid);
	buf_varint(out, e->wake.woken_id);
}

void kernel_rows_write(struct pl_buf *out, const struct kernel_event *e)
{
	switch (e->kind) {
	case KERNEL_SYSCALL:
		put_syscall(out, e);
		break;
	case KERNEL_OFF:
		put_off(out, e);
		break;
	case KERNEL_WAKE:
		put_wake(out, e);
		break;
	default:
		kernel_io_rows_write(out, e);
		break;
	}
}
