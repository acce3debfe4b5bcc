#define _GNU_SOURCE
#include "cmd/attach_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "cmd/cmd.h"

/* A script is named from the program's directory, not from ours. */
static char *absolute_word(const struct attach_words *w, const char *word)
{
	char *whole = NULL;

	if (*word == '-' || *word == '/' || !w->here[0])
		return strdup(word);
	return asprintf(&whole, "%s/%s", w->here, word) < 0 ? NULL : whole;
}

void attach_words_read(struct attach_words *w, int pid)
{
	char path[64], *word = NULL;
	size_t room = 0, count = 0;

	snprintf(path, sizeof path, "/proc/%d/cwd", pid);
	ssize_t n = readlink(path, w->here, sizeof w->here - 1);
	w->here[n > 0 ? n : 0] = 0;
	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	FILE *f = fopen(path, "re");
	bool first = true;
	while (f && count < ATTACH_WORDS_MAX && getdelim(&word, &room, 0, f) > 0) {
		if (!first && (w->words[count] = absolute_word(w, word)) != NULL)
			count++;
		first = false;
	}
	if (f)
		fclose(f);
	free(word);
}

void attach_words_line(int pid, char *text, size_t max)
{
	char path[64], *word = NULL;
	struct pl_buf line = {0};
	size_t room = 0;

	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	FILE *f = fopen(path, "re");
	while (f && line.used < max && getdelim(&word, &room, 0, f) > 0) {
		if (line.used)
			buf_u8(&line, ' ');
		cmd_quote(&line, word);
	}
	if (f)
		fclose(f);
	free(word);
	const bool whole = !line.failed && line.used < max;
	snprintf(text, max, "%.*s", whole ? (int)line.used : 0, whole ? (const char *)line.at : "");
	buf_release(&line);
}

void attach_words_release(struct attach_words *w)
{
	for (size_t i = 0; w->words[i]; i++)
		free(w->words[i]);
	w->words[0] = NULL;
}
