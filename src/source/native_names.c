#include "source/native_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/varint.h"

/* The first colon that is none of C++'s. */
static const char *find_colon(const char *wish)
{
	for (const char *c = wish; *c; c++) {
		if (c[0] == ':' && c[1] == ':')
			c++;
		else if (c[0] == ':')
			return c;
	}
	return NULL;
}

void native_names_begin(struct native_names *n, struct source *s, const char *wish)
{
	const char *colon = find_colon(wish);

	n->source = s;
	if (colon)
		n->module = (struct pl_view){(const uint8_t *)wish, (size_t)(colon - wish)};
	const char *name = colon ? colon + 1 : wish;
	if (*name)
		n->name = (struct pl_view){(const uint8_t *)name, strlen(name)};
}

void native_names_release(struct native_names *n)
{
	symbols_stop(&n->symbols);
	for (size_t i = 0; i < n->file_count; i++)
		free(n->files[i].path);
	free(n->files);
	free(n->functions);
	map_release(&n->numbers);
	buf_release(&n->fresh[0]);
	buf_release(&n->fresh[1]);
}

/* ---- modules ---- */

/* Its number + 1; 0: there is no place for it. */
static uint32_t file_number(struct native_names *n, const struct native_module *m)
{
	const uint32_t id_bytes = m->id_bytes > NATIVE_ID_MAX ? 0 : m->id_bytes;
	const size_t length = strnlen(m->path, sizeof m->path);

	if (!length || length == sizeof m->path)
		return 0;
	for (size_t i = n->file_count; i > 0; i--) {
		const struct native_file *f = &n->files[i - 1];
		if (!strcmp(f->path, m->path) && f->id_bytes == id_bytes &&
			!memcmp(f->id, m->id, id_bytes))
			return (uint32_t)i;
	}
	struct native_file *files =
		n->file_count < NATIVE_FILES_MAX
			? array_room(n->files, n->file_count, &n->file_room, sizeof *files)
			: NULL;
	char *path = files ? strdup(m->path) : NULL;
	if (files)
		n->files = files;
	if (!path)
		return 0;
	struct native_file *f = &n->files[n->file_count++];
	*f = (struct native_file){.path = path, .id_bytes = id_bytes};
	memcpy(f->id, m->id, id_bytes);
	return (uint32_t)n->file_count;
}

static void copy_module(
	struct native_names *n, struct native_loaded *l, const struct native_module *shared)
{
	struct native_module m;

	memcpy((void *)&m, (const void *)shared, sizeof m);
	m.path[sizeof m.path - 1] = 0;
	*l = (struct native_loaded){.used = true,
		.image = m.image,
		.pid = m.pid,
		.pid_space = m.pid_space,
		.start = m.start,
		.end = m.end,
		.bias = m.bias,
		.file = file_number(n, &m)};
}

bool native_names_look(struct native_names *n, struct native_head *head)
{
	const uint32_t told = atomic_load_explicit(&head->modules_told, memory_order_acquire);

	if (told == n->told)
		return false;
	n->told = told;
	for (uint32_t i = 0; i < NATIVE_MODULES; i++) {
		struct native_module *m = &head->modules[i];
		struct native_loaded *l = &n->loaded[i];
		if (atomic_load_explicit(&m->state, memory_order_acquire) != NATIVE_MODULE_THERE)
			continue;
		if (!l->used)
			copy_module(n, l, m);
		l->to_ticks = atomic_load_explicit(&m->to_ticks, memory_order_acquire);
	}
	return true;
}

void native_names_forget(struct native_names *n, struct native_head *head, uint32_t image)
{
	for (uint32_t i = 0; i < NATIVE_MODULES; i++) {
		if (!n->loaded[i].used || n->loaded[i].image != image)
			continue;
		n->loaded[i] = (struct native_loaded){0};
		atomic_store_explicit(
			&head->modules[i].state, NATIVE_MODULE_FREE, memory_order_release);
	}
}

/* Of several that were in the same place one after the other, the one of that time. */
static const struct native_loaded *module_at(
	const struct native_names *n, const struct native_address *at)
{
	const struct native_loaded *best = NULL;

	for (uint32_t i = 0; i < NATIVE_MODULES; i++) {
		const struct native_loaded *l = &n->loaded[i];
		if (!l->used || l->image != at->image || at->address < l->start ||
			at->address >= l->end || (l->to_ticks && l->to_ticks < at->ticks))
			continue;
		if (!best || (l->to_ticks && (!best->to_ticks || l->to_ticks < best->to_ticks)))
			best = l;
	}
	return best;
}

/* ---- functions ---- */

uint32_t native_names_find(struct native_names *n, const struct native_address *at, bool *lasting)
{
	const struct native_loaded *l = module_at(n, at);
	const uint32_t file = l ? l->file : 0;
	const uint64_t in_file = file ? at->address - l->bias : at->address;
	const uint64_t key = (uint64_t)file << 48 | (in_file & 0xffffffffffff);
	const uint64_t *known = map_find(&n->numbers, key);

	/* without a file, it may be told later which one it is in */
	*lasting = file && !l->to_ticks;
	if (known)
		return (uint32_t)*known;
	struct native_function *functions = n->function_count < NATIVE_FUNCTIONS_MAX
						    ? array_room(n->functions, n->function_count,
							      &n->function_room, sizeof *functions)
						    : NULL;
	if (!functions)
		return NATIVE_NO_FUNCTION;
	n->functions = functions;
	uint64_t *slot = map_put(&n->numbers, key);
	if (!slot)
		return NATIVE_NO_FUNCTION;
	n->functions[n->function_count++] =
		(struct native_function){.file = file, .pid = at->pid, .address = in_file};
	*slot = n->function_count;
	return (uint32_t)n->function_count;
}

int native_names_wants(const struct native_names *n, uint32_t number)
{
	if (!n->name.at && !n->module.at)
		return 1;
	if (number == NATIVE_NO_FUNCTION)
		return 0;
	const struct native_function *f = &n->functions[number - 1];
	return f->named ? f->wanted : -1;
}

/* ---- names ---- */

static struct pl_view word(const char *text)
{
	return (struct pl_view){(const uint8_t *)text, strlen(text)};
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* f(int) is also f */
static bool name_matches(struct pl_view pattern, const char *name)
{
	struct pl_view whole = word(name), bare = {whole.at, strcspn(name, "(")};

	return glob_match(pattern, whole, 0) || glob_match(pattern, bare, 0);
}

static void put_fresh(struct native_names *n, uint32_t field, uint32_t number, const char *text)
{
	buf_varint(&n->fresh[field], zigzag(number));
	buf_string(&n->fresh[field], text, strlen(text));
}

/* A name that is not known is the place in the file; without a file, the address. */
static void name_function(struct native_names *n, uint32_t number, const struct symbol_answer *a)
{
	struct native_function *f = &n->functions[number - 1];
	const char *path = f->file ? n->files[f->file - 1].path : "";
	char text[NATIVE_PATH_MAX + 32];

	snprintf(
		text, sizeof text, "%s%s0x%" PRIx64, base_of(path), f->file ? "+" : "", f->address);
	const char *name = a && a->name[0] ? a->name : text;
	f->named = true;
	f->wanted = (!n->name.at || name_matches(n->name, name)) &&
		    (!n->module.at || glob_match(n->module, word(base_of(path)), 0));
	put_fresh(n, NATIVE_FIELD_FUNCTION, number, name);
	put_fresh(n, NATIVE_FIELD_PLACE, number, a && a->place[0] ? a->place : path);
	n->fresh_count++;
}

static void write_fresh(struct native_names *n)
{
	if (!n->fresh_count)
		return;
	for (uint32_t field = 0; field < 2; field++) {
		if (!n->fresh[field].failed)
			n->source->host->names(
				n->source, field, n->fresh_count, buf_view(&n->fresh[field]));
		buf_reset(&n->fresh[field]);
		n->fresh[field].failed = false;
	}
	n->fresh_count = 0;
}

static void ask_about(struct native_names *n)
{
	while (n->asked < n->function_count) {
		const struct native_function *f = &n->functions[n->asked];
		const struct native_file *file = f->file ? &n->files[f->file - 1] : NULL;
		struct symbol_question q = {
			.number = n->asked + 1, .pid = f->pid, .address = f->address};
		if (file && !file->bad && !symbols_given_up(&n->symbols)) {
			q.id_bytes = file->id_bytes;
			memcpy(q.id, file->id, sizeof q.id);
			snprintf(q.path, sizeof q.path, "%s", file->path);
			if (!symbols_ask(&n->symbols, &q))
				return;
		} else if (n->asked == n->answered) {
			name_function(n, ++n->answered, NULL);
		} else {
			return; /* in its turn */
		}
		n->asked++;
	}
}

/* The child has ended at the question that it had before it. */
static void child_is_gone(struct native_names *n)
{
	if (n->answered == n->asked)
		return;
	const struct native_function *f = &n->functions[n->answered];
	if (f->file)
		n->files[f->file - 1].bad = true;
	name_function(n, ++n->answered, NULL);
	n->asked = n->answered;
}

bool native_names_go_on(struct native_names *n, int wait_ms)
{
	struct symbol_answer a;
	int got;

	ask_about(n);
	while ((got = symbols_next(&n->symbols, &a, wait_ms)) != 0) {
		if (got < 0)
			child_is_gone(n);
		else if (a.number == n->answered + 1 && n->answered < n->asked)
			name_function(n, ++n->answered, &a);
		ask_about(n);
	}
	write_fresh(n);
	return n->answered == n->function_count;
}
