/* CODE messages: what the collector needs of a code. */
#include "recorder/code_body.h"

#include "base/buf.h"
#include "base/varint.h"
#include "base/view.h"
#include "bytecode/bytecode.h"
#include "format/body.h"
#include "format/message.h"
#include "format/raw_code.h"
#include "recorder/code.h"
#include "recorder/compat/python.h"
#include "recorder/compat/code_object.h"
#include "format/arguments.h"
#include "recorder/message.h"
#include "recorder/names.h"

static struct pl_view bytes_view(PyObject *bytes)
{
	return view_of(PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
}

struct bytecode code_parts(PyCodeObject *code, PyObject *plain)
{
	return (struct bytecode){
		.version = PYTHON_VERSION,
		.code = bytes_view(plain),
		.line_table = bytes_view(code->co_linetable),
		.except_table = bytes_view(code->co_exceptiontable),
		.first_line = code->co_firstlineno,
		.flags = (uint32_t)code->co_flags,
	};
}

/* Memory in which a body is written; with the GIL. */
static struct pl_buf kept_bytes, kept_fields, kept_names;

static struct arguments code_arguments(PyCodeObject *code, struct pl_buf *names)
{
	uint32_t count = code_argument_count(code);
	uint32_t after_star = code->co_flags & CO_VARARGS ? (uint32_t)code->co_kwonlyargcount : 0;
	PyObject *keep;
	size_t length;

	for (uint32_t i = 0; i < count; i++) {
		const char *name = text_of(
			PyTuple_GET_ITEM(code->co_localsplusnames, code_argument_variable(code, i)),
			&length, &keep);
		buf_string(names, name, length);
		Py_XDECREF(keep);
	}
	return names->failed ? (struct arguments){0}
			     : (struct arguments){count, buf_view(names), after_star};
}

/* | number | "body" | left out | text unit |
 *
 * Names that are not UTF-8 inside the interpreter are made so (text_of), which may need a new
 * object: keep_file and keep_name hold it.
 */
bool code_send_body(PyCodeObject *code, const struct flow_graph *graph, struct code_told told)
{
	PyObject *keep_file = NULL, *keep_name = NULL;
	struct pl_buf bytes = buf_borrow(&kept_bytes), fields = buf_borrow(&kept_fields),
		      names = buf_borrow(&kept_names);
	size_t file_length, name_length;
	const char *file = text_of(code->co_filename, &file_length, &keep_file);
	const char *name = text_of(code->co_qualname, &name_length, &keep_name);
	struct body body = {
		.file = view_of(file, file_length),
		.name = view_of(name, name_length),
		.first_line = code->co_firstlineno,
		.flags = (uint32_t)code->co_flags,
		.version = PYTHON_VERSION,
		.graph = *graph,
	};
	if (told.values)
		body.arguments = code_arguments(code, &names);

	body_write(&bytes, &body);
	buf_reserve(&fields, bytes.used + 4 * PL_VARINT_MAX);
	buf_varint(&fields, told.number);
	buf_string(&fields, bytes.at, bytes.used);
	buf_varint(&fields, told.left_out);
	buf_varint(&fields, told.unit);
	bool sent = !bytes.failed && message_put(MESSAGE_CODE, &fields);
	buf_give_back(&kept_bytes, &bytes);
	buf_give_back(&kept_fields, &fields);
	buf_give_back(&kept_names, &names);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_name);
	return sent;
}

/* As code_send_body, for code without a graph. */
bool code_send_straight(PyCodeObject *code, const struct bytecode *parts, struct code_told told)
{
	PyObject *keep_file = NULL, *keep_name = NULL;
	struct pl_buf fields = buf_borrow(&kept_fields), names = buf_borrow(&kept_names);
	size_t file_length, name_length;
	const char *file = text_of(code->co_filename, &file_length, &keep_file);
	const char *name = text_of(code->co_qualname, &name_length, &keep_name);

	raw_code_write(&fields, &(struct raw_code){
					.number = told.number,
					.unit = told.unit,
					.file = view_of(file, file_length),
					.name = view_of(name, name_length),
					.first_line = parts->first_line,
					.flags = parts->flags,
					.version = parts->version,
					.code = parts->code,
					.line_table = parts->line_table,
					.arguments = told.values ? code_arguments(code, &names)
								 : (struct arguments){0},
				});
	bool sent = message_put(MESSAGE_CODE_RAW, &fields);
	buf_give_back(&kept_fields, &fields);
	buf_give_back(&kept_names, &names);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_name);
	return sent;
}

/* Hot code with new witnesses gets a new number: events before it keep their meaning. */
uint32_t code_tell_again(PyCodeObject *code, const struct flow_graph *graph)
{
	const struct code_record *r = code_known(code);
	struct code_told told = {.number = code_next_number(),
		.unit = r ? r->text_unit : 0,
		.values = r && r->values};

	return code_send_body(code, graph, told) ? told.number : 0;
}
