/* pathline report: requests, by their routes, and the slowest ones (session/requests.h). */
#include "cmd/report.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "cmd/follow.h"
#include "expr/taken_out.h"
#include "session/requests.h"

/* Requests of one route. */
struct route {
	const struct request *slowest; /* the first one has the names */
	uint64_t count, errors, raised, looks, waiting_looks;
	int64_t total_ns, error_ns, suspended_ns;
	bool open;
};

struct shown_requests {
	struct requests all;
	const struct request **chosen; /* owned */
	size_t count;
	struct route *routes; /* owned */
	size_t route_count;
};

static int64_t span_of(const struct request *q)
{
	return q->end_ns - q->begin_ns;
}

/* ---- routes ---- */

enum {
	ROUTE_COUNT,
	ROUTE_TOTAL,
	ROUTE_ERROR,
	ROUTE_AVG,
	ROUTE_MAX,
	ROUTE_WAITING,
	ROUTE_ERRORS,
	ROUTE_RAISED,
	ROUTE_SLOWEST,
	ROUTE_KIND,
	ROUTE_NAME
};

const struct column report_request_columns[] = {
	[ROUTE_COUNT] = {"count", "requests"},
	[ROUTE_TOTAL] = {"total_ns", "total"},
	[ROUTE_ERROR] = {"error_ns", "error", 0, 2},
	[ROUTE_AVG] = {"avg_ns", "avg"},
	[ROUTE_MAX] = {"max_ns", "max"},
	[ROUTE_WAITING] = {"waiting_ns", "waiting", 0, 3},
	[ROUTE_ERRORS] = {"errors", "failed", 0, 4},
	[ROUTE_RAISED] = {"exceptions", "exceptions", 0, 5},
	[ROUTE_SLOWEST] = {"slowest", "slowest"},
	[ROUTE_KIND] = {"kind", "kind", 0, 6},
	[ROUTE_NAME] = {"route", "route"},
	{0},
};

/* Requests that nothing looked at count as those that were. */
static struct cell route_waiting(const struct route *r)
{
	if (r->slowest->kind == REQUEST_ASGI)
		return cell_ns(CELL_NS, r->suspended_ns);
	if (!r->looks)
		return (struct cell){0};
	return cell_ns(CELL_NS,
		(int64_t)((double)r->total_ns * (double)r->waiting_looks / (double)r->looks));
}

static struct cell route_cell(const void *context, size_t row, unsigned column)
{
	const struct shown_requests *s = context;
	const struct route *r = &s->routes[row];

	switch (column) {
	case ROUTE_COUNT:
		return cell_count(r->count);
	case ROUTE_TOTAL:
		return cell_ns(CELL_NS, r->total_ns);
	case ROUTE_ERROR:
		return cell_ns(CELL_ERROR, r->error_ns);
	case ROUTE_AVG:
		return cell_ns(CELL_NS, r->total_ns / (int64_t)r->count);
	case ROUTE_MAX:
		return cell_ns(CELL_NS, span_of(r->slowest));
	case ROUTE_WAITING:
		return route_waiting(r);
	case ROUTE_ERRORS:
		return cell_count(r->errors);
	case ROUTE_RAISED:
		return cell_count(r->raised);
	case ROUTE_SLOWEST:
		return cell_number(r->slowest->number);
	case ROUTE_KIND:
		return cell_text(request_kind_name(r->slowest->kind));
	default:
		return cell_text(r->slowest->route);
	}
}

static int by_route(const void *a, const void *b)
{
	const struct request *x = *(const struct request *const *)a,
			     *y = *(const struct request *const *)b;
	const int order = strcmp(x->route, y->route);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

static void add_to_route(struct route *r, const struct request *q)
{
	if (!r->slowest || span_of(q) > span_of(r->slowest))
		r->slowest = q;
	r->count++;
	r->errors += q->error[0] != 0;
	r->raised += q->raised;
	r->looks += q->looks;
	r->waiting_looks += q->waiting_looks;
	r->total_ns += span_of(q);
	if (__builtin_add_overflow(r->error_ns, q->error_ns, &r->error_ns))
		r->error_ns = INT64_MAX;
	r->suspended_ns += q->suspended_ns;
}

static void gather_routes(struct shown_requests *s)
{
	qsort(s->chosen, s->count, sizeof *s->chosen, by_route);
	for (size_t i = 0; i < s->count; i++) {
		if (!i || strcmp(s->chosen[i]->route, s->chosen[i - 1]->route) != 0)
			s->route_count++;
		add_to_route(&s->routes[s->route_count - 1], s->chosen[i]);
	}
}

/* ---- the slowest ---- */

enum {
	REQUEST_NUMBER,
	REQUEST_BEGAN,
	REQUEST_SPAN,
	REQUEST_SPAN_ERROR,
	REQUEST_WAITING,
	REQUEST_ERROR,
	REQUEST_RAISED,
	REQUEST_OPEN,
	REQUEST_PROCESS,
	REQUEST_THREAD,
	REQUEST_SEQ,
	REQUEST_END_SEQ,
	REQUEST_KIND,
	REQUEST_ROUTE,
	REQUEST_TARGET
};

static const struct column slowest_columns[] = {
	[REQUEST_NUMBER] = {"number", "request"},
	[REQUEST_BEGAN] = {"began_at", "began", 0, 3},
	[REQUEST_SPAN] = {"duration_ns", "took"},
	[REQUEST_SPAN_ERROR] = {"error_ns", "error", 0, 2},
	[REQUEST_WAITING] = {"waiting_ns", "waiting", 0, 3},
	[REQUEST_ERROR] = {"error", "failed with", 20, 5},
	[REQUEST_RAISED] = {"exceptions", "exceptions", 0, 6},
	[REQUEST_OPEN] = {"open", NULL},
	[REQUEST_PROCESS] = {"process", "process", 0, 8},
	[REQUEST_THREAD] = {"thread", "thread", 0, 7},
	[REQUEST_SEQ] = {"seq", "event"},
	[REQUEST_END_SEQ] = {"end_seq", NULL},
	[REQUEST_KIND] = {"kind", NULL},
	[REQUEST_ROUTE] = {"route", NULL},
	[REQUEST_TARGET] = {"target", "route"},
	{0},
};

static struct cell slowest_cell(const void *context, size_t row, unsigned column)
{
	const struct shown_requests *s = context;
	const struct request *q = s->chosen[row];
	const int64_t waiting_ns = request_waiting_ns(q);

	switch (column) {
	case REQUEST_NUMBER:
		return cell_number(q->number);
	case REQUEST_BEGAN:
		return cell_ns(CELL_MOMENT, q->begin_ns);
	case REQUEST_SPAN:
		return cell_ns(CELL_NS, span_of(q));
	case REQUEST_SPAN_ERROR:
		return cell_ns(CELL_ERROR, q->error_ns);
	case REQUEST_WAITING:
		return waiting_ns < 0 ? (struct cell){0} : cell_ns(CELL_NS, waiting_ns);
	case REQUEST_ERROR:
		return cell_text(q->error[0] ? q->error : q->open ? "(open)" : NULL);
	case REQUEST_RAISED:
		return cell_count(q->raised);
	case REQUEST_OPEN:
		return cell_number(q->open);
	case REQUEST_PROCESS:
		return cell_number(q->process);
	case REQUEST_THREAD:
		return cell_number(q->thread);
	case REQUEST_SEQ:
		return cell_number((int64_t)q->seq);
	case REQUEST_END_SEQ:
		return cell_number((int64_t)q->end_seq);
	case REQUEST_KIND:
		return cell_text(request_kind_name(q->kind));
	case REQUEST_ROUTE:
		return cell_text(q->route);
	default:
		return cell_text(q->target[0] ? q->target : q->route);
	}
}

/* ---- all ---- */

static bool is_chosen(const struct report *w, const struct request *q)
{
	const struct selection *s = &w->selection;
	const struct pl_process *p = pl_recording_find_process(w->r, q->process);
	const struct pl_thread *t = pl_recording_thread(w->r, q->process, q->thread);

	return p && t && select_process(s, w->r, p) && select_thread(s, w->r, t) &&
	       (!s->from.time_ns || q->end_ns >= s->from.time_ns) &&
	       (!s->to.time_ns || q->begin_ns <= s->to.time_ns);
}

static int choose_requests(struct report *w, struct shown_requests *s)
{
	s->chosen = malloc((s->all.count + 1) * sizeof *s->chosen);
	s->routes = calloc(s->all.count + 1, sizeof *s->routes);
	if (!s->chosen || !s->routes)
		return PL_ERR_MEMORY;
	for (size_t i = 0; i < s->all.count; i++)
		if (is_chosen(w, &s->all.rows[i]))
			s->chosen[s->count++] = &s->all.rows[i];
	w->some = s->count;
	gather_routes(s);
	return 0;
}

static struct sheet requests_sheet(const struct report *w, const struct shown_requests *s)
{
	struct sheet sheet = report_sheet(w, "route", report_request_columns);

	sheet.cell = route_cell;
	sheet.context = s;
	sheet.rows = s->route_count;
	sheet.sort = w->sort ? w->sort : "total";
	sheet.process = 0;
	sheet.thread = PL_ALL_THREADS;
	return sheet;
}

/* The paths stand far from the beginning of environ, and the values of a dict are bounded. */
static void say_unnamed(struct report *w, const struct shown_requests *s)
{
	bool unnamed = false;

	for (size_t i = 0; i < s->count; i++)
		unnamed |= s->chosen[i]->kind <= REQUEST_ASGI && !s->chosen[i]->target[0];
	if (unnamed && values_taken_out(w->r))
		report_note(w, "the paths of the requests are not here: " VALUES_TAKEN_OUT);
	else if (unnamed)
		report_note(w,
			"the paths of some requests were not recorded; to have them: pathline "
			"record --values calls");
}

static void say_commands(struct report *w)
{
	struct pl_buf note = {0};

	buf_printf(&note,
		"pathline replay --request N%s goes to one, pathline calls --request N%s has its "
		"calls",
		cmd_recording(), cmd_recording());
	buf_u8(&note, 0);
	if (!note.failed)
		report_note(w, (char *)note.at);
	buf_release(&note);
}

static int show_requests(struct report *w, struct shown_requests *s)
{
	struct sheet sheet = requests_sheet(w, s);
	int code = report_show(w, &sheet);

	if (code != CMD_GO || w->form == SHEET_CSV)
		return code;
	sheet.type = "request";
	sheet.columns = slowest_columns;
	sheet.cell = slowest_cell;
	sheet.rows = s->count;
	sheet.sort = "duration";
	code = report_show(w, &sheet);
	say_commands(w);
	say_unnamed(w, s);
	return code;
}

int report_requests(struct report *w)
{
	struct shown_requests s = {.count = 0};
	struct pl_err err = {0};
	int code = requests_find(&s.all, w->r, &follow_stopped, &err);
	int result = CMD_GO;

	if (code == 0)
		code = choose_requests(w, &s);
	if (code == 0 && !s.count)
		cmd_say("report: no request was found: a call of a WSGI application (environ, "
			"start_response) or of an ASGI one (scope, receive, send), or a task of "
			"celery or rq");
	else if (code == 0)
		result = show_requests(w, &s);
	if (code < 0) {
		cmd_say("report: %s", err.used ? pl_err_text(&err) : pl_error_name(code));
		result = CMD_BAD;
	}
	requests_release(&s.all);
	free(s.chosen);
	free(s.routes);
	return result;
}
