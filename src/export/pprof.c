/* Google's profile.proto, which `go tool pprof` and others read: a sample for each calling context,
 * with the number of its calls and its own time in ns. Locations, functions and strings come last,
 * for they are known only then.
 */
#include "export/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/array.h"
#include "base/map.h"
#include "export/protobuf.h"

/* Numbers of fields, as the schema has them. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5
};

/* The first strings. */
enum { STRING_EMPTY, STRING_CALLS, STRING_COUNT, STRING_TIME, STRING_NS, STRING_PROCESS, STRINGS };
static const char *const first_strings[STRINGS] = {
	"", "calls", "count", "time", "nanoseconds", "process"};

/* A code at one of its lines; its number is its index + 1. */
struct location {
	const struct pl_code *code;
	int32_t line;
};

struct pprof {
	struct pl_map by_place;	    /* owned: hash of code and line -> number of the location */
	struct location *locations; /* owned */
	size_t count, room;
	uint64_t processes; /* whose names are the strings after the first ones */
};

static int location_of(struct pprof *p, const struct pl_code *code, int32_t line, uint64_t *number)
{
	const struct location location = {.code = code, .line = line};
	const uint64_t words[] = {(uintptr_t)code, (uint32_t)line};
	const uint64_t key = hash_bytes(words, sizeof words);
	const uint64_t *known = map_find(&p->by_place, key);

	if (known) {
		*number = *known;
		return 0;
	}
	struct location *locations =
		array_room(p->locations, p->count, &p->room, sizeof *locations);
	if (!locations)
		return PL_ERR_MEMORY;
	p->locations = locations;
	uint64_t *slot = map_put(&p->by_place, key);
	if (!slot)
		return PL_ERR_MEMORY;
	p->locations[p->count++] = location;
	*number = *slot = p->count;
	return 0;
}

static void put_type(struct pl_buf *b, uint64_t name, uint64_t unit)
{
	const size_t type = pb_open(b, PROFILE_SAMPLE_TYPE);

	pb_number(b, TYPE_NAME, name);
	pb_number(b, TYPE_UNIT, unit);
	pb_close(b, type);
}

static int pprof_begin(struct export *x)
{
	struct pl_recording_info info;
	struct pl_buf *b = &x->bytes;

	pl_recording_info(x->r, &info);
	put_type(b, STRING_CALLS, STRING_COUNT);
	put_type(b, STRING_TIME, STRING_NS);
	pb_number(b, PROFILE_TIME, (uint64_t)x->start_ns);
	if (info.end_ns > x->start_ns)
		pb_number(b, PROFILE_DURATION, (uint64_t)(info.end_ns - x->start_ns));
	pb_number(b, PROFILE_DEFAULT_TYPE, STRING_TIME);
	for (uint64_t i = 0; i < STRINGS; i++)
		pb_text(b, PROFILE_STRING, first_strings[i]);
	return 0;
}

/* The locations from a context to the bottom: it at its first line, for its own time is not known
 * by line here, its callers at the lines of the calls. */
static int put_locations(
	struct export *x, const struct pl_profile_tables *t, const struct pl_profile_node *node)
{
	struct pl_buf *b = &x->bytes;
	const size_t packed = pb_open(b, SAMPLE_LOCATION);
	int32_t line = node->code ? pl_code_first_line(node->code) : 0;
	uint64_t number = 0;
	int code = 0;

	for (; node->code && code == 0; node = &t->nodes[node->parent]) {
		code = location_of(x->state, node->code, line, &number);
		buf_varint(b, number);
		line = node->line;
	}
	pb_close(b, packed);
	return code;
}

static int put_sample(
	struct export *x, const struct pl_profile_tables *t, const struct pl_profile_node *node)
{
	const struct pprof *p = x->state;
	struct pl_buf *b = &x->bytes;
	const size_t sample = pb_open(b, PROFILE_SAMPLE);
	const int code = put_locations(x, t, node);
	const size_t values = pb_open(b, SAMPLE_VALUE);

	buf_varint(b, node->calls + node->resumes + node->throws);
	buf_varint(b, node->own_ns > 0 ? (uint64_t)node->own_ns : 0);
	pb_close(b, values);
	const size_t label = pb_open(b, SAMPLE_LABEL);
	pb_number(b, LABEL_KEY, STRING_PROCESS);
	pb_number(b, LABEL_TEXT, STRINGS + p->processes - 1);
	pb_close(b, label);
	pb_close(b, sample);
	return code;
}

static int pprof_profile(
	struct export *x, const struct pl_process *process, const struct pl_profile_tables *t)
{
	struct pprof *p = x->state;
	char name[EXPORT_NAME_BYTES];
	int code = 0;

	snprintf(name, sizeof name, "%" PRIu32 ": %s", process->number, process->command);
	pb_text(&x->bytes, PROFILE_STRING, name);
	p->processes++;
	for (size_t i = 0; i < t->node_count && code == 0; i++) {
		if (!t->nodes[i].code)
			continue;
		code = put_sample(x, t, &t->nodes[i]);
		if (code == 0)
			code = export_put(x);
	}
	return code;
}

/* Each function has two strings of its own: its name and its file. */
static void put_function(
	struct pl_buf *b, const struct pl_code *code, uint64_t id, uint64_t strings)
{
	const size_t function = pb_open(b, PROFILE_FUNCTION);

	pb_number(b, FUNCTION_ID, id);
	pb_number(b, FUNCTION_NAME, strings);
	pb_number(b, FUNCTION_SYSTEM, strings);
	pb_number(b, FUNCTION_FILE, strings + 1);
	pb_number(b, FUNCTION_LINE, (uint64_t)(uint32_t)pl_code_first_line(code));
	pb_close(b, function);
	pb_text(b, PROFILE_STRING, pl_code_name(code));
	pb_text(b, PROFILE_STRING, pl_code_file(code));
}

static void put_location(struct pl_buf *b, const struct location *l, uint64_t id, uint64_t function)
{
	const size_t location = pb_open(b, PROFILE_LOCATION);
	pb_number(b, LOCATION_ID, id);
	const size_t line = pb_open(b, LOCATION_LINE);

	pb_number(b, LINE_FUNCTION, function);
	pb_number(b, LINE_NUMBER, (uint64_t)(uint32_t)l->line);
	pb_close(b, line);
	pb_close(b, location);
}

static int pprof_end(struct export *x)
{
	struct pprof *p = x->state;
	struct pl_map functions = {0}; /* address of a code -> its number, from 1 */
	struct pl_buf *b = &x->bytes;
	int code = 0;

	for (size_t i = 0; i < p->count && code == 0; i++) {
		const struct location *l = &p->locations[i];
		uint64_t *number = map_put(&functions, (uintptr_t)l->code);
		if (!number) {
			code = PL_ERR_MEMORY;
			break;
		}
		if (!*number) {
			*number = functions.used;
			put_function(
				b, l->code, *number, STRINGS + p->processes + 2 * (*number - 1));
		}
		put_location(b, l, i + 1, *number);
		code = export_put(x);
	}
	map_release(&functions);
	return code;
}

static void pprof_release(struct export *x)
{
	struct pprof *p = x->state;

	map_release(&p->by_place);
	free(p->locations);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.about = "calls and time by calling context for pprof",
	.takes = EXPORT_PROFILE,
	.is_binary = true,
	.state_bytes = sizeof(struct pprof),
	.begin = pprof_begin,
	.end = pprof_end,
	.release = pprof_release,
	.profile = pprof_profile,
};
