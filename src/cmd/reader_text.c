#define _GNU_SOURCE
#include "cmd/reader_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd/values.h"

#define CO_COROUTINE 0x80u /* of co_flags */
#define PLACE_BYTES  512   /* kept for what is behind the values */
#define NAME_BYTES   200   /* of a function's name */

/* What is written so far. */
struct room {
	char *text;
	size_t used, max;
};

static void put(struct room *to, const char *text)
{
	const size_t n = strlen(text), left = to->max - to->used - 1;

	memcpy(to->text + to->used, text, n < left ? n : left);
	to->used += n < left ? n : left;
	to->text[to->used] = 0;
}

static void put_values(struct room *to, const struct pl_event *e)
{
	const size_t left = to->max - to->used;

	if (left > PLACE_BYTES)
		to->used += values_text(e, to->text + to->used, left - PLACE_BYTES);
}

static void put_name(struct room *to, const char *before, const struct pl_event *e)
{
	char name[NAME_BYTES];

	put(to, before);
	snprintf(name, sizeof name, "%s", e->code ? pl_code_name(e->code) : "?");
	put(to, name);
}

/* "shop.py:12" */
static void put_place(struct room *to, const struct pl_event *e, const char *folder)
{
	const char *file = e->code ? pl_code_file(e->code) : NULL;
	const size_t n = folder ? strlen(folder) : 0;
	char place[PLACE_BYTES - NAME_BYTES - 32];

	if (!file)
		return;
	if (n && !strncmp(file, folder, n) && file[n])
		file += n;
	snprintf(place, sizeof place, "  %s", file);
	put(to, place);
	if (e->line > 0) {
		snprintf(place, sizeof place, ":%" PRId32, e->line);
		put(to, place);
	}
}

/* "-> 9.0", or only the word if no value was kept. */
static void put_result(
	struct room *to, const struct pl_event *e, const char *sign, const char *word)
{
	put(to, e->values.at ? sign : word);
	if (e->values.at)
		put_values(to, e);
	put_name(to, "  ", e);
}

static void put_exception(struct room *to, const struct pl_event *e, const char *word)
{
	put(to, word);
	if (e->values.at)
		put_values(to, e);
	else
		put(to, e->type && e->type[0] ? e->type : "an exception");
	put_name(to, "  ", e);
}

static void put_call(struct room *to, const struct pl_event *e)
{
	put_name(to, "", e);
	if (!e->values.at)
		return;
	put(to, "(");
	put_values(to, e);
	put(to, ")");
}

/* None is what a plain next() sends. */
static void put_resume(struct room *to, const struct pl_event *e)
{
	put_name(to, "resume ", e);
	if (!e->values.at || values_kind(e) == PL_VALUE_NONE)
		return;
	put(to, " <- ");
	put_values(to, e);
}

static void put_yield(struct room *to, const struct pl_event *e)
{
	if (e->code && pl_code_flags(e->code) & CO_COROUTINE)
		put_result(to, e, "await ", "await");
	else
		put_result(to, e, "yield ", "yield");
}

static void put_gap(struct room *to, const struct pl_event *e)
{
	char text[64];

	put(to, "gap: ");
	if (e->lost) {
		snprintf(text, sizeof text, "%" PRIu64 " event%s: ", e->lost,
			e->lost == 1 ? "" : "s");
		put(to, text);
	}
	put(to, pl_gap_reason_text(e->gap));
}

static void put_event(struct room *to, const struct pl_event *e)
{
	switch (e->kind) {
	case PL_EVENT_CALL:
		put_call(to, e);
		break;
	case PL_EVENT_RETURN:
		put_result(to, e, "-> ", "return");
		break;
	case PL_EVENT_YIELD:
		put_yield(to, e);
		break;
	case PL_EVENT_RESUME:
		put_resume(to, e);
		break;
	case PL_EVENT_THROW:
		put_exception(to, e, "throw ");
		break;
	case PL_EVENT_UNWIND:
		put_name(to, "!! ", e);
		break;
	case PL_EVENT_RERAISE:
		put_exception(to, e, "reraise ");
		break;
	default:
		put_exception(to, e, "raise ");
		break;
	}
}

void reader_text(const struct pl_event *e, const char *folder, char *text, size_t max)
{
	struct room to = {.text = text, .max = max};

	text[0] = 0;
	if (e->kind == PL_EVENT_GAP) {
		put_gap(&to, e);
	} else if (e->kind == PL_EVENT_MARK) {
		put(&to, "mark ");
		put(&to, e->type ? e->type : "");
	} else {
		put_event(&to, e);
		put_place(&to, e, folder);
	}
}

char *reader_folder(void)
{
	char *here = getcwd(NULL, 0), *folder = NULL;

	if (here && asprintf(&folder, "%s%s", here, here[1] ? "/" : "") < 0)
		folder = NULL;
	free(here);
	return folder;
}
