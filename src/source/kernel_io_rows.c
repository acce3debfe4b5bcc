#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/varint.h"
#include "source/kernel_rows.h"

/* ---- names of values ---- */

static const struct source_value_name operation_names[] = {
	{0, "read"},
	{1, "write"},
	{2, "flush"},
	{3, "discard"},
	{5, "secure erase"},
	{7, "zone append"},
	{9, "write zeroes"},
};
static const struct source_value_name status_names[] = {{0, ""}};
static const struct source_value_name access_names[] = {
	{KERNEL_FAULT_READ, "read"},
	{KERNEL_FAULT_WRITE, "write"},
	{KERNEL_FAULT_EXECUTE, "execute"},
};
static const struct source_value_name why_names[] = {{0, "no page"}, {1, "not allowed"}};
static const struct source_value_name mode_names[] = {{0, ""}, {1, "in the kernel"}};
static const struct source_value_name what_names[] = {
	{KERNEL_SIGNAL_SENT, "sent to"},
	{KERNEL_SIGNAL_RECEIVED, "received from"},
	{KERNEL_SIGNAL_OF_KERNEL, "received from the kernel"},
	{KERNEL_SIGNAL_DEFAULT, "takes effect"},
	{KERNEL_SIGNAL_IGNORED, "is ignored"},
	{KERNEL_SIGNAL_HANDLED, "calls its handler"},
};
static const struct source_value_name net_names[] = {
	{KERNEL_NET_CONNECTED, "connected"},
	{KERNEL_NET_FAILED, "not connected"},
	{KERNEL_NET_ACCEPTED, "accepted"},
	{KERNEL_NET_RETRANSMITTED, "retransmitted"},
};

#define SIGNALS 31 /* those that have names of their own */
static struct source_value_name signal_names[SIGNALS];
static char signal_texts[SIGNALS][16];

/* ---- kinds ---- */

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const struct source_field block_fields[] = {
	{"operation", "", PL_FIELD_UNSIGNED, operation_names, COUNT(operation_names)},
	{"disk", "", PL_FIELD_TEXT, NULL, 0},
	{"bytes", "bytes", PL_FIELD_UNSIGNED, NULL, 0},
	{"sector", "", PL_FIELD_UNSIGNED, NULL, 0},
	{"duration", "ns", PL_FIELD_UNSIGNED, NULL, 0},
	{"queued", "ns", PL_FIELD_UNSIGNED, NULL, 0},
	{"status", "", PL_FIELD_UNSIGNED, status_names, COUNT(status_names)},
};

static const struct source_field fault_fields[] = {
	{"access", "", PL_FIELD_UNSIGNED, access_names, COUNT(access_names)},
	{"address", "address", PL_FIELD_UNSIGNED, NULL, 0},
	{"why", "", PL_FIELD_UNSIGNED, why_names, COUNT(why_names)},
	{"mode", "", PL_FIELD_UNSIGNED, mode_names, COUNT(mode_names)},
};

static const struct source_field signal_fields[] = {
	{"number", "", PL_FIELD_UNSIGNED, signal_names, SIGNALS},
	{"what", "", PL_FIELD_UNSIGNED, what_names, COUNT(what_names)},
	{"other", "", PL_FIELD_TEXT, NULL, 0},
	{"other_pid", "id", PL_FIELD_UNSIGNED, NULL, 0},
	{"other_id", "id", PL_FIELD_UNSIGNED, NULL, 0},
};

static const struct source_field net_fields[] = {
	{"what", "", PL_FIELD_UNSIGNED, net_names, COUNT(net_names)},
	{"far", "", PL_FIELD_TEXT, NULL, 0},
	{"near", "", PL_FIELD_TEXT, NULL, 0},
	{"duration", "ns", PL_FIELD_UNSIGNED, NULL, 0},
};

const struct source_kind kernel_io_kinds[KERNEL_IO_KINDS] = {
	[KERNEL_BLOCK - KERNEL_BLOCK] = {"block",
		"a disk did what the thread wanted: from the thread's wish to its end, and how "
		"long "
		"of it before the disk had it",
		block_fields, COUNT(block_fields)},
	[KERNEL_FAULT - KERNEL_BLOCK] = {"fault", "a page fault, at its beginning", fault_fields,
		COUNT(fault_fields)},
	[KERNEL_SIGNAL - KERNEL_BLOCK] = {"signal", "a signal was sent, received, or takes effect",
		signal_fields, COUNT(signal_fields)},
	[KERNEL_NET - KERNEL_BLOCK] = {"net",
		"a TCP connection of the thread: made or not, accepted, or something was sent "
		"again",
		net_fields, COUNT(net_fields)},
};

void kernel_io_rows_begin(void)
{
	for (int i = 0; i < SIGNALS; i++) {
		const char *name = sigabbrev_np(i + 1);
		snprintf(signal_texts[i], sizeof signal_texts[i], "SIG%s", name ? name : "?");
		signal_names[i] = (struct source_value_name){i + 1, signal_texts[i]};
	}
}

/* ---- rows ---- */

static void put_block(struct pl_buf *out, const struct kernel_event *e)
{
	buf_varint(out, e->block.operation);
	buf_string(out, e->block.disk, strnlen(e->block.disk, sizeof e->block.disk));
	buf_varint(out, e->block.bytes);
	buf_varint(out, e->block.sector);
	buf_varint(out, e->duration_ns);
	buf_varint(out, e->block.queued_ns);
	buf_varint(out, e->block.status);
}

static void put_fault(struct pl_buf *out, const struct kernel_event *e)
{
	buf_varint(out, e->fault.access);
	buf_varint(out, e->fault.address);
	buf_varint(out, e->fault.is_protected != 0);
	buf_varint(out, e->fault.in_kernel != 0);
}

static void put_signal(struct pl_buf *out, const struct kernel_event *e)
{
	buf_varint(out, e->signal.number);
	buf_varint(out, e->signal.what);
	buf_string(out, e->signal.comm, strnlen(e->signal.comm, sizeof e->signal.comm));
	buf_varint(out, e->signal.pid);
	buf_varint(out, e->signal.id);
}

static void put_address(struct pl_buf *out, const char bytes[KERNEL_SOCKADDR_BYTES])
{
	char text[128];

	buf_string(out, text, kernel_address_text(bytes, text, sizeof text));
}

static void put_net(struct pl_buf *out, const struct kernel_event *e)
{
	buf_varint(out, e->net.what);
	put_address(out, e->net.far);
	put_address(out, e->net.near);
	buf_varint(out, e->duration_ns);
}

void kernel_io_rows_write(struct pl_buf *out, const struct kernel_event *e)
{
	switch (e->kind) {
	case KERNEL_BLOCK:
		put_block(out, e);
		break;
	case KERNEL_FAULT:
		put_fault(out, e);
		break;
	case KERNEL_SIGNAL:
		put_signal(out, e);
		break;
	case KERNEL_NET:
		put_net(out, e);
		break;
	default:
		break;
	}
}
