#include "query/functions.h"

#include "base/units.h"
#include "os/local.h"
#include "session/when.h"

#define CLOCK_DECIMALS 9

static void call_moment(sqlite3_context *out, int count, sqlite3_value **values)
{
	const struct query *q = sqlite3_user_data(out);
	const char *text = (const char *)sqlite3_value_text(values[0]);
	struct pl_recording_info info;
	struct when when;

	(void)count;
	pl_recording_info(q->r, &info);
	const struct when_scale scale = when_scale_of(&info);
	if (!text)
		return;
	if (when_read(text, &scale, &when) && when.kind == WHEN_TIME) {
		sqlite3_result_int64(out, when.time_ns);
		return;
	}
	char *why = sqlite3_mprintf(
		"moment: '%s' is not a time; say %s (+: from the start)", text, WHEN_FORMS);
	sqlite3_result_error(out, why ? why : "moment: this is not a time", -1);
	sqlite3_free(why);
}

static void call_clock(sqlite3_context *out, int count, sqlite3_value **values)
{
	char text[LOCAL_BYTES];

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	local_clock(text, sqlite3_value_int64(values[0]), CLOCK_DECIMALS);
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static void call_duration(sqlite3_context *out, int count, sqlite3_value **values)
{
	char text[UNITS_BYTES];

	(void)count;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	units_duration(text, sqlite3_value_int64(values[0]));
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

static const struct {
	const char *name;
	void (*call)(sqlite3_context *out, int count, sqlite3_value **values);
} functions[] = {
	{"moment", call_moment},
	{"clock", call_clock},
	{"duration", call_duration},
};

/* The same argument gives the same result, so SQLite calls it once where it can. */
int functions_add(struct query *q)
{
	int code = SQLITE_OK;

	for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
		code = sqlite3_create_function_v2(q->db, functions[i].name, 1,
			SQLITE_UTF8 | SQLITE_DETERMINISTIC, q, functions[i].call, NULL, NULL, NULL);
	return code;
}
