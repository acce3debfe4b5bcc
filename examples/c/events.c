/* Print the path of a recording, a line an event: what a reader of libpathline looks like.
 *
 *	cc -o events events.c $(pkg-config --cflags --libs pathline)
 *	./events .pathline/latest
 */
#include <inttypes.h>
#include <pathline/pathline.h>
#include <stdio.h>

static void print_event(const struct pl_event *e)
{
	printf("%" PRIu32 ".%" PRIu32 " #%" PRIu64 " %*s%s", e->position.process,
		e->position.thread, e->seq, (int)(e->depth < 40 ? 2 * e->depth : 80), "",
		pl_event_kind_name(e->kind));
	if (e->code)
		printf(" %s (%s:%d)", pl_code_name(e->code), pl_code_file(e->code), e->line);
	if (e->type)
		printf(" %s", e->type);
	putchar('\n');
}

static int print_process(struct pl_recording *r, uint32_t process, struct pl_err *err)
{
	struct pl_cursor *c;
	struct pl_event e;
	int code = pl_cursor_new(&c, r, process, PL_ALL_THREADS, err);

	if (code)
		return code;
	while ((code = pl_cursor_next(c, &e, err)) == 0)
		print_event(&e);
	pl_cursor_free(c);
	return code == PL_END ? 0 : code;
}

int main(int argc, char **argv)
{
	struct pl_recording *r = NULL;
	struct pl_err err = {0};
	int code = pl_recording_open(&r, argc > 1 ? argv[1] : ".pathline/latest", &err);

	for (uint32_t i = 0; code == 0 && i < pl_recording_process_count(r); i++)
		code = print_process(r, pl_recording_process(r, i)->number, &err);
	if (code)
		fprintf(stderr, "events: %s\n", pl_err_text(&err));
	/* What is damaged was skipped, and is worth a word. */
	else if (pl_recording_damage_count(r))
		code = fprintf(stderr, "events: %" PRIu64 " damaged places\n",
			pl_recording_damage_count(r));
	pl_recording_close(r);
	return code != 0;
}
