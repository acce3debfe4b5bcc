#define _GNU_SOURCE
#include "session/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "session/moment.h"

#define FRAMES_MAX 4096
#define LINE_MAX   (1 << 20) /* of which hits are counted */

static int refuse(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct session *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->why, sizeof s->why, format, arguments);
	va_end(arguments);
	return 0;
}

/* Behind a move: PL_END is a refusal, for this reason. */
static int moved(struct session *s, int code, const char *why)
{
	if (code == 0)
		s->frame = 0;
	if (code == PL_END)
		return refuse(s, "%s", s->replay.stop && *s->replay.stop ? "stopped" : why);
	return code;
}

/* ---- steps ---- */

static int do_step(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	enum step step = strchr("sS", letter)	? STEP_LINE
			 : strchr("nN", letter) ? STEP_NEXT
						: STEP_OUT;
	bool back = isupper((unsigned char)letter);

	(void)rest;
	return moved(s, replay_step(&s->replay, step, back, err),
		back ? "the recording of this thread has no such line before this one"
		     : "the recording of this thread has no such line behind this one");
}

static int do_continue(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)rest;
	if (!s->replay.stops.count)
		return refuse(s, "there is no stop; set one by b, x or w");
	return moved(s, replay_continue(&s->replay, letter == 'C', err),
		letter == 'C' ? "no stop before this place" : "no stop behind this place");
}

static int do_all(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	s->replay.all = !s->replay.all;
	return refuse(s, "%s", s->replay.all ? "all threads" : "this thread only");
}

/* ---- stops ---- */

static int list_stops(struct session *s)
{
	static const char *const words[] = {"b", "b", "w", "x"};
	const struct stops *stops = &s->replay.stops;
	size_t used = 0;

	for (size_t i = 0; i < stops->count && used < sizeof s->why; i++) {
		const struct stop *stop = &stops->rows[i];
		used += (size_t)snprintf(s->why + used, sizeof s->why - used,
			"%s%" PRIu32 ": %s %s", i ? "; " : "", stop->number, words[stop->kind],
			stop->name);
		if (stop->kind == STOP_LINE && used < sizeof s->why)
			used += (size_t)snprintf(
				s->why + used, sizeof s->why - used, ":%" PRId32, stop->line);
		if (stop->hits && used < sizeof s->why)
			used += (size_t)snprintf(s->why + used, sizeof s->why - used,
				" if hits == %" PRIu64, stop->hits);
	}
	return stops->count ? 0 : refuse(s, "there is no stop");
}

/* What ran, counted once. */
static int executed(struct session *s, struct pl_count_table *table, struct pl_err *err)
{
	struct pl_recording *r = s->replay.r;
	int code = s->counts ? 0 : pl_counts_new(&s->counts, r, err);

	for (uint32_t i = 0; code == 0 && !table->rows && i < pl_recording_process_count(r); i++) {
		struct pl_cursor *c = NULL;
		code = pl_cursor_new(
			&c, r, pl_recording_process(r, i)->number, PL_ALL_THREADS, err);
		if (code == 0)
			code = pl_cursor_count(c, s->counts, INT64_MAX, err);
		pl_cursor_free(c);
	}
	if (code == 0)
		code = pl_counts_table(s->counts, table, err);
	if (code) {
		pl_counts_free(s->counts);
		s->counts = NULL;
	}
	return code;
}

static int table_of(struct session *s, struct pl_count_table *table, struct pl_err *err)
{
	*table = (struct pl_count_table){0};
	return s->counts ? pl_counts_table(s->counts, table, err) : executed(s, table, err);
}

/* A line, or a function, of that name. */
struct place {
	const char *name;
	int32_t line; /* 0: a function */
};

static bool is_place(void *context, const struct pl_count *row)
{
	const struct place *place = context;

	if (!row->code)
		return false;
	return place->line ? row->line == place->line &&
				     stop_names(pl_code_file(row->code), place->name, '/')
			   : stop_names(pl_code_name(row->code), place->name, '.');
}

/* Did it ever run? What did is found long before all that ran was counted. */
static int ran(struct session *s, const char *name, int32_t line, struct pl_err *err)
{
	struct place place = {.name = name, .line = line};

	return replay_ever(&s->replay,
		&(struct pl_wanted){.kinds = 1u << (line ? PL_EVENT_LINE : PL_EVENT_CALL),
			.may = is_place,
			.context = &place,
			.stop = s->replay.stop},
		err);
}

/* 0: it ran; PL_END after a refusal that says which near ones did. */
static int check_line(struct session *s, const char *file, int32_t line, struct pl_err *err)
{
	struct pl_count_table table;
	int32_t before = 0, behind = 0;
	int code = ran(s, file, line, err);

	if (code != PL_END)
		return code;
	code = table_of(s, &table, err);
	for (size_t i = 0; code == 0 && i < table.count; i++) {
		const struct pl_count *row = &table.rows[i];
		if (row->kind != PL_EVENT_LINE || !row->code ||
			!stop_names(pl_code_file(row->code), file, '/'))
			continue;
		if (row->line < line && row->line > before)
			before = row->line;
		if (row->line > line && (!behind || row->line < behind))
			behind = row->line;
	}
	if (code)
		return code;
	if (before && behind)
		refuse(s, "%s:%" PRId32 " never ran; near it %" PRId32 " and %" PRId32 " did", file,
			line, before, behind);
	else if (before || behind)
		refuse(s, "%s:%" PRId32 " never ran; near it %" PRId32 " did", file, line,
			before ? before : behind);
	else
		refuse(s, "no line of %s ran", file);
	return PL_END;
}

static int check_function(struct session *s, const char *name, struct pl_err *err)
{
	struct pl_count_table table;
	int code = ran(s, name, 0, err);
	size_t n = 0;

	if (code == PL_END)
		code = table_of(s, &table, err);
	else
		return code;
	if (code)
		return code;
	const char **known = calloc(table.count + 1, sizeof *known);
	if (!known)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the names of functions");
	for (size_t i = 0; i < table.count; i++)
		if (table.rows[i].kind == PL_EVENT_CALL && table.rows[i].code)
			known[n++] = pl_code_name(table.rows[i].code);
	const char *nearest = nearest_word(name, known);
	free(known);
	refuse(s, "no function %s was called%s%s", name, nearest ? "; did you mean " : "",
		nearest ? nearest : "");
	return PL_END;
}

/* The whole of it is a number from 1 on. */
static bool read_number(const char *text, uint64_t *n)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*n = strtoull(text, &end, 10);
	return !*end && *n && *n < INT64_MAX;
}

static int add(
	struct session *s, enum stop_kind kind, const char *name, int32_t line, uint64_t hits)
{
	struct stop *stop = stops_add(&s->replay.stops, kind, name, line);

	if (!stop)
		return refuse(s,
			"there are %d stops already, or the name is too long; clear one by "
			"clear N",
			STOPS_MAX);
	stop->hits = hits;
	return refuse(s, "stop %" PRIu32, stop->number);
}

/* " if hits == K" at the end is cut off; false: what follows "if" is something else. */
static bool cut_hits(char *text, uint64_t *hits)
{
	char *at = strstr(text, " if ");
	unsigned long long n;
	int end = 0;

	*hits = 0;
	if (!at)
		return true;
	if (sscanf(at, " if hits == %llu %n", &n, &end) != 1 || !end || at[end] || !n)
		return false;
	*at = 0;
	*hits = n;
	return true;
}

static int do_break(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	char text[STOP_NAME_MAX];
	uint64_t hits, line;
	int code;

	(void)letter;
	if (!*rest)
		return list_stops(s);
	if (snprintf(text, sizeof text, "%s", rest) >= (int)sizeof text || !cut_hits(text, &hits))
		return refuse(s,
			"not understood: b %s; try b N, b file:N, b function, b N if hits == K",
			rest);
	char *colon = strrchr(text, ':');
	const char *file = text, *number = colon ? colon + 1 : text;
	if (read_number(number, &line) && line <= INT32_MAX) {
		if (colon)
			*colon = 0;
		else if (s->replay.at.code)
			file = pl_code_file(s->replay.at.code);
		else
			return refuse(s, "there is no file here; try b file:N");
		code = check_line(s, file, (int32_t)line, err);
		if (code == 0)
			return add(s, STOP_LINE, file, (int32_t)line, hits);
	} else if (hits) {
		return refuse(s, "hits are counted of lines only");
	} else {
		code = check_function(s, text, err);
		if (code == 0)
			return add(s, STOP_CALL, text, 0, 0);
	}
	return code == PL_END ? 0 : code;
}

static int do_entries(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter;
	if (!*rest)
		return refuse(s, "w needs the name of a function");
	int code = check_function(s, rest, err);
	return code == 0 ? add(s, STOP_ENTRY, rest, 0, 0) : code == PL_END ? 0 : code;
}

static int do_raised(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)err;
	return add(s, STOP_RAISE, rest, 0, 0);
}

static int do_clear(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	uint64_t n;

	(void)letter, (void)err;
	if (!*rest)
		s->replay.stops.count = 0;
	else if (!read_number(rest, &n) || n > UINT32_MAX ||
		 !stops_clear(&s->replay.stops, (uint32_t)n))
		return refuse(s, "there is no stop %s", rest);
	return list_stops(s);
}

/* ---- stack, threads, processes ---- */

static int do_frame(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct pl_frame *frames = calloc(FRAMES_MAX, sizeof *frames);

	(void)rest;
	if (!frames)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for the stack");
	size_t depth = replay_stack(&s->replay, frames, FRAMES_MAX);
	if (letter == 'u' && s->frame + 1 < depth)
		s->frame++;
	else if (letter == 'd' && s->frame)
		s->frame--;
	else
		depth = 0;
	size_t index = depth - 1 - s->frame;
	if (!depth || index >= FRAMES_MAX)
		refuse(s, "no frame further %s", letter == 'u' ? "up" : "down");
	else
		refuse(s, "frame %zu: %s:%" PRId32 " %s", s->frame,
			frames[index].code ? pl_code_file(frames[index].code) : "?",
			frames[index].line,
			frames[index].code ? pl_code_name(frames[index].code) : "?");
	free(frames);
	return 0;
}

/* At the nearest time in another thread, of this or of another process. */
static int go_to_thread(struct session *s, uint32_t process, uint32_t thread, struct pl_err *err)
{
	struct replay *p = &s->replay;
	const struct pl_position here = p->at.position;
	const uint64_t seq = p->at.seq;
	const int64_t time_ns = p->at.time_ns;
	int code = replay_seq(p, process, thread, 0, err);

	if (code == 0)
		code = replay_time(p, time_ns, err);
	if (code < 0)
		replay_seq(p, here.process, here.thread, seq, err);
	return moved(s, code, "nothing of it was recorded");
}

static int do_thread(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const uint32_t process = s->replay.at.position.process;
	const struct pl_process *p = pl_recording_find_process(s->replay.r, process);
	size_t used = 0;

	(void)letter;
	for (uint32_t n = 0; p && n < p->thread_count && used < sizeof s->why; n++) {
		const struct pl_thread *t = pl_recording_thread(s->replay.r, process, n);
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, n);
		if (t && *rest && (!strcmp(rest, number) || !strcmp(rest, t->name))) {
			s->why[0] = 0;
			return go_to_thread(s, process, n, err);
		}
		if (t)
			used += (size_t)snprintf(s->why + used, sizeof s->why - used, "%s%s: %s",
				n	? "; "
				: *rest ? "there are: "
					: "",
				number, t->name);
	}
	return 0;
}

static int do_process(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct pl_recording *r = s->replay.r;
	size_t used = 0;

	(void)letter;
	for (uint32_t i = 0; i < pl_recording_process_count(r) && used < sizeof s->why; i++) {
		const struct pl_process *p = pl_recording_process(r, i);
		char number[16];
		snprintf(number, sizeof number, "%" PRIu32, p->number);
		if (!strcmp(rest, number)) {
			s->why[0] = 0;
			return go_to_thread(s, p->number, 0, err);
		}
		used += (size_t)snprintf(s->why + used, sizeof s->why - used,
			"%s%s: pid %" PRIu32 " %s",
			i	? "; "
			: *rest ? "there are: "
				: "",
			number, p->pid, p->command);
	}
	return 0;
}

#define TASKS_MAX 64

static int do_task(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct task_name names[TASKS_MAX];
	size_t count, used = 0;
	int code = *rest ? replay_task(&s->replay, rest, err) : PL_END;

	(void)letter;
	if (code <= 0)
		return moved(s, code, "");
	code = replay_tasks(&s->replay, names, TASKS_MAX, &count, err);
	for (size_t i = 0; code == 0 && i < count && used < sizeof s->why; i++)
		used += (size_t)snprintf(s->why + used, sizeof s->why - used, "%s%s",
			i	? "; "
			: *rest ? "there are: "
				: "",
			names[i].text);
	if (code == 0 && !count)
		return refuse(s, "this thread has no tasks");
	return code;
}

/* ---- how often ---- */

struct hits *session_hits(struct session *s)
{
	const struct pl_position *at = &s->replay.at.position;

	if (s->hits && s->hits_at.process == at->process && s->hits_at.thread == at->thread)
		return s->hits;
	hits_free(s->hits);
	s->hits = hits_new(s->replay.r, at->process, at->thread);
	s->hits_at = *at;
	return s->hits;
}

static int count_hits(struct session *s, const char *file, int32_t line, struct pl_err *err)
{
	struct hits *h = session_hits(s);
	uint64_t *counts = h ? calloc((size_t)line + 1, sizeof *counts) : NULL;
	uint64_t so_far;
	int code = HITS_GOES_ON;

	if (!counts)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for counts of lines");
	while (code == HITS_GOES_ON && !*s->replay.stop)
		code = hits_work(h, s->replay.at.seq, err);
	if (code == HITS_READY && hits_of(h, file, counts, line)) {
		so_far = counts[line];
		hits_in_all(h, file, counts, line);
		refuse(s, "line %" PRId32 ": %" PRIu64 " of %" PRIu64 " hits", line, so_far,
			counts[line]);
	} else if (code >= 0) {
		refuse(s, "stopped");
	}
	free(counts);
	return code < 0 ? code : 0;
}

static int do_hits(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct pl_event *at = &s->replay.at;
	uint64_t line = (uint64_t)at->line;

	(void)letter;
	if (!at->code)
		return refuse(s, "there is no file here");
	if ((*rest && !read_number(rest, &line)) || line > LINE_MAX)
		return refuse(s, "not a line: %s", rest);
	return count_hits(s, pl_code_file(at->code), (int32_t)line, err);
}

/* ---- time ---- */

/* "1.5h" as ns; false: none. */
static bool read_span(const char *text, double *ns)
{
	static const struct {
		const char *word;
		double ns;
	} units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
	char *end;
	double n = strtod(text, &end);

	if (!isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].word)) {
			*ns = n * units[i].ns;
			return *ns < 9e18;
		}
	return false;
}

static bool read_time(const struct session *s, const char *text, int64_t *time_ns)
{
	const struct pl_event *at = &s->replay.at;
	const struct pl_thread *t =
		pl_recording_thread(s->replay.r, at->position.process, at->position.thread);
	struct pl_recording_info info;
	struct moment moment;
	size_t n = strlen(text);
	double ns;
	int percent, end = 0;

	if ((*text == '+' || *text == '-') && read_span(text + 1, &ns))
		return *text == '+' ? !__builtin_add_overflow(at->time_ns, (int64_t)ns, time_ns)
				    : !__builtin_sub_overflow(at->time_ns, (int64_t)ns, time_ns);
	if (n && text[n - 1] == '%') {
		if (sscanf(text, "%3d%%%n", &percent, &end) != 1 || !end || text[end] ||
			percent < 0 || percent > 100 || !t)
			return false;
		int64_t whole = 0;
		if (t->end_ns > t->start_ns &&
			__builtin_sub_overflow(t->end_ns, t->start_ns, &whole))
			return false;
		*time_ns = t->start_ns + whole / 100 * percent;
		return true;
	}
	pl_recording_info(s->replay.r, &info);
	if (!isdigit((unsigned char)*text) || !moment_read(text, &info, &moment))
		return false;
	*time_ns = moment.time_ns;
	return moment.kind == MOMENT_TIME;
}

static int do_jump(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	struct replay *p = &s->replay;
	const struct pl_position here = p->at.position;
	int64_t time_ns, off_ns;
	char *end;

	(void)letter;
	if (!strcmp(rest, "start"))
		return moved(s, replay_seq(p, here.process, here.thread, 0, err), "empty");
	if (!strcmp(rest, "end"))
		return moved(s, replay_seq(p, here.process, here.thread, INT64_MAX, err), "empty");
	if (*rest == '#' && isdigit((unsigned char)rest[1])) {
		uint64_t seq = strtoull(rest + 1, &end, 10);
		if (*end || seq > INT64_MAX)
			return refuse(s, "not an event: %s", rest);
		int code = moved(s, replay_seq(p, here.process, here.thread, seq, err), "empty");
		if (code == 0 && p->at.seq != seq)
			snprintf(s->note, sizeof s->note, "landed %" PRIu64 " events off",
				p->at.seq > seq ? p->at.seq - seq : seq - p->at.seq);
		return code;
	}
	if (!read_time(s, rest, &time_ns))
		return refuse(s,
			"not a time: %s; try 10:52:01.5, 2026-11-21 10:52, +5ms, -1h, 42%%, "
			"#4711, start, end",
			rest);
	int code = moved(s, replay_time(p, time_ns, err), "this thread has no events");
	if (code == 0 && !s->why[0] && !__builtin_sub_overflow(p->at.time_ns, time_ns, &off_ns))
		snprintf(s->note, sizeof s->note, "landed %+.9f s off", (double)off_ns / 1e9);
	return code;
}

/* ---- marks, visited places, search, switches ---- */

static int do_mark(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	bool good = *rest >= 'a' && *rest <= 'z' && !rest[1];

	if (letter == '\'' && *rest == '\'' && !rest[1])
		return moved(s, replay_visited(&s->replay, true, err), "it was nowhere before");
	if (!good)
		return refuse(s, "a mark is one letter, a to z");
	if (letter == '\'')
		return moved(s, replay_to_mark(&s->replay, *rest, err), "there is no such mark");
	replay_mark(&s->replay, *rest);
	return refuse(s, "mark %s", rest);
}

static int do_back(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return moved(s, replay_visited(&s->replay, true, err), "it was nowhere before");
}

static int do_forward(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest;
	return moved(s, replay_visited(&s->replay, false, err), "it was nowhere behind this");
}

static int do_search(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	bool again = letter == ';' || letter == ',';

	if (!again) {
		if (s->has_regex)
			regfree(&s->regex);
		s->has_regex = *rest && regcomp(&s->regex, rest, REG_EXTENDED | REG_NOSUB) == 0;
		s->regex_back = letter == '?';
		if (!s->has_regex)
			return refuse(s, "not a regular expression: %s", rest);
	}
	if (!s->has_regex)
		return refuse(s, "nothing was searched yet; try /NAME");
	bool back = s->regex_back != (letter == ',');
	return moved(s, replay_search(&s->replay, &s->regex, back, err), "not found");
}

static const char *thread_name(const struct session *s, const struct pl_position *at)
{
	const struct pl_thread *t = pl_recording_thread(s->replay.r, at->process, at->thread);

	return t && t->name[0] ? t->name : "a thread";
}

/* Says who ran before and who behind: between the two nobody did. */
static int do_switch(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	const struct pl_event *at = &s->replay.at;
	const struct pl_position from = at->position;
	const struct task_name before = s->replay.task;
	int code = replay_switch(&s->replay, letter == '[', err);

	(void)rest;
	if (code == 0)
		snprintf(s->note, sizeof s->note, "%s%s%s goes on; %s%s%s was left",
			thread_name(s, &at->position), at->task ? ", " : "",
			at->task ? at->task : "", thread_name(s, &from), before.text[0] ? ", " : "",
			before.text);
	return moved(s, code, "no switch that way");
}

static int do_quit(struct session *s, char letter, const char *rest, struct pl_err *err)
{
	(void)letter, (void)rest, (void)err;
	s->quit = true;
	return 0;
}

/* ---- the table ---- */

/* A word of one character that is no letter may have its argument without a space. */
static const struct word {
	const char *word, *argument;
	bool needs_none; /* an argument is refused */
	int (*run)(struct session *s, char letter, const char *rest, struct pl_err *err);
	const char *help;
} words[] = {
	{"s", "", true, do_step, "the next line of this thread"},
	{"S", "", true, do_step, "the previous one"},
	{"n", "", true, do_step, "the next line of this frame, or of the one it went back to"},
	{"N", "", true, do_step, "the previous one, or the line that entered the frame"},
	{"f", "", true, do_step, "out to the caller's next line"},
	{"F", "", true, do_step, "back to the line that called"},
	{"c", "", true, do_continue, "to the next stop"},
	{"C", "", true, do_continue, "to the previous stop"},
	{"a", "", true, do_all, "c, C and searches go through all threads, or this one only"},
	{"b", "[N|FILE:N|FUNCTION]", false, do_break,
		"stop there; b N if hits == K; alone: list the stops"},
	{"x", "[TYPE]", false, do_raised, "stop where an exception is raised"},
	{"w", "FUNCTION", false, do_entries, "stop where it is called, or goes on"},
	{"clear", "[NUMBER]", false, do_clear, "clear a stop, or all"},
	{"u", "", true, do_frame, "up the stack, outwards"},
	{"d", "", true, do_frame, "down the stack"},
	{"t", "[THREAD]", false, do_thread, "the threads; or go to one, at this time"},
	{"P", "[PROCESS]", false, do_process, "the processes; or go to one, at this time"},
	{"T", "[TASK]", false, do_task, "the tasks of this thread; or go to where one goes on"},
	{"hits", "[N]", false, do_hits,
		"how often that line of this file has run in this thread, up to here and in all"},
	{"j", "WHEN", false, do_jump,
		"10:52:01.5, 2026-11-21 10:52, +5ms, -1h, 42%, #4711, start, end"},
	{"m", "LETTER", false, do_mark, "mark this place"},
	{"'", "LETTER", false, do_mark, "go to a mark; '' to where it was before"},
	{"back", "", true, do_back, "back through the places visited"},
	{"forward", "", true, do_forward, "forward through them"},
	{"/", "REGEX", false, do_search, "the next function or exception with it"},
	{"?", "REGEX", false, do_search, "the previous one"},
	{";", "", true, do_search, "search again"},
	{",", "", true, do_search, "search again, the other way"},
	{"]", "", true, do_switch, "to where another task or thread goes on"},
	{"[", "", true, do_switch, "back to where this one went on, or the one before"},
	{"q", "", true, do_quit, "end"},
};
#define WORDS (sizeof words / sizeof *words)

static const struct word *find_word(const char *line, const char **rest)
{
	for (size_t i = 0; i < WORDS; i++) {
		size_t n = strlen(words[i].word);
		bool sticks = n == 1 && !isalpha((unsigned char)line[0]);
		if (strncmp(line, words[i].word, n) || !(sticks || !line[n] || line[n] == ' '))
			continue;
		*rest = line + n + strspn(line + n, sticks ? "" : " ");
		return &words[i];
	}
	return NULL;
}

int session_do(struct session *s, const char *line, struct pl_err *err)
{
	const char *rest = "";

	s->why[0] = s->note[0] = 0;
	line += strspn(line, " \t");
	const struct word *word = find_word(line, &rest);
	if (!word)
		return refuse(s, "unknown command: %s; pathline replay --help lists them", line);
	if (word->needs_none && *rest)
		return refuse(s, "%s takes no argument", word->word);
	return word->run(s, word->word[0], rest, err);
}

void session_release(struct session *s)
{
	if (s->has_regex)
		regfree(&s->regex);
	pl_counts_free(s->counts);
	hits_free(s->hits);
	replay_release(&s->replay);
}

void session_help(char help[WORDS_HELP_BYTES])
{
	size_t used = 0;

	help[0] = 0;
	for (size_t i = 0; i < WORDS && used < WORDS_HELP_BYTES; i++) {
		char left[64];
		snprintf(left, sizeof left, "%s %s", words[i].word, words[i].argument);
		used += (size_t)snprintf(
			help + used, WORDS_HELP_BYTES - used, "\n  %-22s %s", left, words[i].help);
	}
}
