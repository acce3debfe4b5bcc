/* Messages to the collector, over the process's own stream (format/message.h). A message is
 * complete before its first byte is written, because its length comes first. With the GIL. */
#include "recorder/message.h"

#include <string.h>
#include "base/buf.h"
#include "format/message.h"
#include "pathline/event.h"
#include "recorder/root.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "ring/ring.h"

static struct pl_buf kept;

bool message_put(uint8_t kind, const struct pl_buf *fields)
{
	struct pl_buf whole = buf_borrow(&kept);
	bool sent;

	buf_reserve(&whole, fields->used + sizeof(uint32_t) + 1);
	buf_u32(&whole, (uint32_t)fields->used + 1);
	buf_u8(&whole, kind);
	buf_put(&whole, fields->at, fields->used);
	sent = !fields->failed && !whole.failed &&
	       ring_put(&root.messages, whole.at, whole.used, now_ticks());
	buf_give_back(&kept, &whole);
	return sent;
}

static void put_message_text(struct pl_buf *b, const char *text)
{
	buf_string(b, text, strlen(text));
}

void message_process(uint32_t how)
{
	struct pl_buf fields = {0};

	buf_varint(&fields, root.slot->number);
	buf_varint(&fields, root.slot->parent);
	buf_varint(&fields, root.slot->pid);
	buf_varint(&fields, how);
	buf_varint(&fields, root.slot->start_ticks);
	buf_string(&fields, root.command.at, root.command.used);
	buf_string(&fields, root.executable.at, root.executable.used);
	buf_string(&fields, root.interpreter.at, root.interpreter.used);
	buf_string(&fields, root.stdlib_dir.at, root.stdlib_dir.used);
	message_put(MESSAGE_PROCESS, &fields);
	buf_release(&fields);
}

void message_thread(const struct thread *t, const char *name, size_t length)
{
	struct pl_buf fields = {0};

	buf_varint(&fields, t->number);
	buf_varint(&fields, t->native_id);
	buf_varint(&fields, t->time_ticks);
	buf_string(&fields, name, length);
	message_put(MESSAGE_THREAD, &fields);
	buf_release(&fields);
}

void message_note(enum pl_gap_reason reason, const char *text)
{
	struct pl_buf fields = {0};

	buf_varint(&fields, reason);
	put_message_text(&fields, text);
	message_put(MESSAGE_NOTE, &fields);
	buf_release(&fields);
}
