#include "cmd/history_missing.h"

#include <inttypes.h>
#include <string.h>
#include "cmd/cmd.h"
#include "os/local.h"

/* A file has no more lines that are looked at for `global`. */
#define LINES_MAX 200000

void history_missing_note(struct history_missing *m, const struct pl_event *e)
{
	if (e->kind == PL_EVENT_GAP && e->gap < PL_GAP_REASON_COUNT) {
		m->gaps[e->gap]++;
		if (e->gap == PL_GAP_EVICTED && e->time_ns > m->evicted_to_ns)
			m->evicted_to_ns = e->time_ns;
	}
	m->types_alone += (e->values.flags | e->variables.flags) & PL_VALUES_OVER_BUDGET;
}

void history_missing_note_code(struct history_missing *m, const struct pl_code *code)
{
	if (!m->body && code && !strcmp(pl_code_name(code), "<module>"))
		m->body = code;
}

/* ---- a global that functions write ---- */

static bool is_name_byte(char c)
{
	return c == '_' || (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "    global count, left": has it the name? */
static bool declares_global(struct pl_text line, struct pl_text name)
{
	static const char word[] = "global ";
	const char *at = line.at, *end = line.at + line.length;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if ((size_t)(end - at) < sizeof word || memcmp(at, word, sizeof word - 1) != 0)
		return false;
	for (at += sizeof word - 1; at < end && *at != '#'; at++) {
		const char *from = at;
		while (at < end && is_name_byte(*at))
			at++;
		if ((size_t)(at - from) == name.length && !memcmp(from, name.at, name.length))
			return true;
		if (at == end)
			break;
	}
	return false;
}

static int32_t find_global(
	const struct history_missing *m, struct pl_recording *r, struct pl_text name)
{
	struct pl_text line;

	for (int32_t n = 1; m->body && n < LINES_MAX; n++) {
		if (pl_source_line(r, m->body, n, &line, NULL) < 0)
			return 0;
		if (declares_global(line, name))
			return n;
	}
	return 0;
}

/* ---- what is said ---- */

static void say_dropped(const struct history_missing *m)
{
	char clock[LOCAL_BYTES];

	local_clock(clock, m->evicted_to_ns, 6);
	if (m->gaps[PL_GAP_EVICTED])
		cmd_say("history: values before %s are missing: older parts were dropped to keep "
			"the recording under its limit; record with a larger --limit",
			clock);
}

static void say_lost(const struct history_missing *m)
{
	const uint64_t gaps = m->gaps[PL_GAP_FULL] + m->gaps[PL_GAP_DROPPED] +
			      m->gaps[PL_GAP_COLLECTOR] + m->gaps[PL_GAP_STOPPED];

	if (gaps)
		cmd_say("history: values are missing in %" PRIu64 " gap%s, where events were lost; "
			"`pathline dump -e gap%s` shows where",
			gaps, gaps > 1 ? "s" : "", cmd_recording());
}

void history_missing_say(const struct history_missing *m)
{
	say_dropped(m);
	say_lost(m);
	if (m->types_alone)
		cmd_say("history: of %" PRIu64 " event%s only the types were kept, as there were "
			"more values in a second than --values-limit allows",
			m->types_alone, m->types_alone > 1 ? "s" : "");
}

void history_missing_say_global(
	const struct history_missing *m, struct pl_recording *r, struct pl_text name)
{
	const int32_t line = find_global(m, r, name);

	if (line)
		cmd_say("history: a function writes the global '%.*s' (%s:%" PRId32
			"): its values are captured with the lines of the module only, so those "
			"that functions gave it in between are missing",
			(int)name.length, name.at, pl_code_file(m->body), line);
}
