/* Write a small recording made by hand into a directory. usage: make DIRECTORY */
#include <stdio.h>
#include "tests/lib/recording.h"

static bool put_file(const char *directory, uint32_t file, const struct pl_buf *b)
{
	char name[FILE_NAME_MAX], path[4096];

	file_name(file, name);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *f = fopen(path, "wb");
	if (!f)
		return false;
	size_t n = fwrite(b->at, 1, b->used, f);
	return fclose(f) == 0 && n == b->used;
}

int main(int argc, char **argv)
{
	struct maker m;

	if (argc != 2)
		return 2;
	maker_init(&m);
	maker_body(&m, 1, "main", 1, 3);
	struct maker_thread *t = maker_thread(&m, 0);
	maker_enter(t, EVENT_NO_SITE, 10);
	maker_line(t, 0);
	maker_line(t, 1);
	maker_event1(t, EVENT_LEAVE, MAKER_UNIT(1));
	maker_cut(&m, t);
	maker_thread_end(&m, t);
	maker_end(&m);
	bool written =
		put_file(argv[1], FILE_META, &m.meta) && put_file(argv[1], 1, &m.segments[0]);
	maker_release(&m);
	return !written;
}
