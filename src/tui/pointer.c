#define _GNU_SOURCE
#include "tui/pointer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "session/operations.h"

static const char pointer_on[] = "\033[?1003h", pointer_off[] = "\033[?1003l";

/* What curses does at Ctrl-Z: it gives the terminal back, stops, and draws again. A handler has no
 * argument; written before the handler is there, in the only thread that has a screen. */
static void (*curses_suspend)(int);

/* After curses has written: it writes by itself, at once. */
static void pointer_tell(const char *bytes, size_t length)
{
	if (write(STDOUT_FILENO, bytes, length) < 0)
		return; /* the terminal is gone, which is noticed where keys are read */
}

static void pointer_suspend(int number)
{
	pointer_tell(pointer_off, sizeof pointer_off - 1);
	curses_suspend(number);
	pointer_tell(pointer_on, sizeof pointer_on - 1);
}

static void pointer_handle_suspend(void)
{
	struct sigaction curses;

	if (sigaction(SIGTSTP, NULL, &curses) || curses.sa_handler == SIG_DFL ||
		curses.sa_handler == SIG_IGN || curses.sa_handler == pointer_suspend)
		return;
	curses_suspend = curses.sa_handler;
	curses.sa_handler = pointer_suspend;
	sigaction(SIGTSTP, &curses, NULL);
}

void pointer_begin(struct tui *t)
{
	struct pl_recording_info info;

	if (t->pointer.followed)
		return;
	pl_recording_info(t->s->replay.r, &info);
	if (!info.values || !strcmp(info.values, "none"))
		return;
	t->pointer.followed = true;
	pointer_handle_suspend();
	pointer_tell(pointer_on, sizeof pointer_on - 1);
}

void pointer_end(struct tui *t)
{
	if (t->pointer.followed)
		pointer_tell(pointer_off, sizeof pointer_off - 1);
	t->pointer.followed = false;
}

void pointer_moved(struct tui *t)
{
	t->pointer.moved = true;
}

void pointer_forget(struct tui *t)
{
	t->pointer.name[0] = 0;
	t->pointer.said = false;
}

bool pointer_say(struct tui *t, int32_t line, int x)
{
	char name[VARIABLE_NAME_BYTES], value[WHY_MAX / 2];
	const int column = x - t->source_box.x - t->gutter + t->left;

	if (!variables_under(t, line, column, name) || session_print(t->s, name, NULL))
		return false;
	pl_value_text(&t->s->outcome.question.value, value, sizeof value);
	tui_say(t, "%s = %s", name, value);
	return true;
}

/* Is it over a name of the source? */
static bool pointer_name(struct tui *t, int32_t *line, char name[VARIABLE_NAME_BYTES])
{
	const struct box *box = &t->source_box, *side = &t->side_box;
	const int y = t->mouse_y, x = t->mouse_x;
	const bool in_side = side->rows && y >= side->y && y < side->y + side->rows && x >= side->x;

	*line = t->top + y - box->y;
	return !in_side && y >= box->y && y < box->y + box->rows && *line <= t->source.lines &&
	       variables_under(t, *line, x - box->x - t->gutter + t->left, name);
}

void pointer_show(struct tui *t)
{
	char name[VARIABLE_NAME_BYTES];
	int32_t line;

	if (!t->pointer.moved)
		return;
	t->pointer.moved = false;
	if (t->prompt.open || t->waiting || t->help || t->count || t->view == VIEW_READER)
		return;
	if (!pointer_name(t, &line, name))
		name[0] = 0;
	if (!strcmp(name, t->pointer.name))
		return;
	memcpy(t->pointer.name, name, sizeof name);
	if (t->pointer.said)
		t->message[0] = 0;
	t->pointer.said = name[0] && pointer_say(t, line, t->mouse_x);
}
