#include "query/table.h"

#include "report/names.h"

void put_file(sqlite3_context *out, const struct pl_code *code)
{
	if (code)
		put_text(out, pl_code_file(code), true);
}

void put_function(sqlite3_context *out, const struct pl_code *code)
{
	if (code)
		put_text(out, pl_code_name(code), true);
}

void put_first_line(sqlite3_context *out, const struct pl_code *code)
{
	if (code)
		put_number(out, pl_code_first_line(code));
}

void put_code_id(sqlite3_context *out, const struct pl_code *code)
{
	char id[NAME_ID_BYTES];

	if (!code)
		return;
	name_code_id(code, id);
	put_text(out, id, false);
}

void put_json(sqlite3_context *out, struct pl_buf *json)
{
	if (json->failed)
		sqlite3_result_error_nomem(out);
	else
		sqlite3_result_text64(
			out, (const char *)json->at, json->used, SQLITE_TRANSIENT, SQLITE_UTF8);
	buf_release(json);
}

void put_source(sqlite3_context *out, struct query *q, const struct pl_code *code, int32_t line)
{
	struct pl_text text;

	if (!code || line <= 0 || pl_source_line(q->r, code, line, &text, NULL) < 0)
		return;
	while (text.length && (*text.at == ' ' || *text.at == '\t')) {
		text.at++;
		text.length--;
	}
	sqlite3_result_text64(out, text.at, text.length, SQLITE_TRANSIENT, SQLITE_UTF8);
}
