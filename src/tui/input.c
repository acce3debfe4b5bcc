#include "tui/input.h"

#define NCURSES_NOMACROS
#include <ctype.h>
#include <curses.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "tui/escape.h"
#include "tui/orders.h"
#include "tui/pointer.h"

static void end_prompt(struct tui *t)
{
	char line[PROMPT_BYTES];

	memcpy(line, t->prompt.text, sizeof line);
	prompt_end(&t->prompt);
	tui_do(t, line);
}

/* The keys of the prompt are those of most line editors and cannot be bound: a user who binds them
 * wrongly could not leave the prompt. */
static void prompt_key(struct tui *t, int code, wint_t c, const char *name)
{
	char bytes[MB_LEN_MAX + 1];

	if (!strcmp(name, "Tab")) {
		tab_press(t);
		return;
	}
	tab_close(t);
	t->message[0] = 0;
	if (!strcmp(name, "Enter"))
		end_prompt(t);
	else if (!strcmp(name, "Esc") || (!strcmp(name, "Backspace") && !t->prompt.text[0]))
		t->prompt.open = false;
	else if (!strcmp(name, "Backspace"))
		prompt_delete(&t->prompt);
	else if (!strcmp(name, "Left"))
		prompt_left(&t->prompt);
	else if (!strcmp(name, "Right"))
		prompt_right(&t->prompt);
	else if (!strcmp(name, "Up"))
		prompt_earlier(&t->prompt);
	else if (!strcmp(name, "Down"))
		prompt_later(&t->prompt);
	else if (!strcmp(name, "Home"))
		t->prompt.at = 0;
	else if (!strcmp(name, "End"))
		t->prompt.at = strlen(t->prompt.text);
	else if (!strcmp(name, "Ctrl-U"))
		prompt_begin(&t->prompt, "");
	else if (code == OK && c >= 32 && c != 127) {
		int n = snprintf(bytes, sizeof bytes, "%lc", c);
		if (n > 0)
			prompt_insert(&t->prompt, bytes, (size_t)n);
	}
}

/* The key that was awaited: the argument of the previous key. */
static void do_argument(struct tui *t, const char *name)
{
	char line[32];

	/* a command that is not a letter has its argument without a space */
	snprintf(line, sizeof line, "%s%s%s", t->waiting->command,
		isalpha((unsigned char)t->waiting->command[0]) ? " " : "", name);
	t->waiting = NULL;
	tui_do(t, strcmp(name, "Esc") ? line : "");
}

/* The limit keeps the number within uint32_t; what counts are useful the command decides. */
static void count_digit(struct tui *t, char digit)
{
	if (t->count < 100000)
		t->count = t->count * 10 + (uint32_t)(digit - '0');
	tui_say(t, "%" PRIu32 " times: a command, such as s", t->count);
}

/* Only a command that is complete takes the count; where more is to be typed it would be lost in
 * the prompt's text. */
static void do_named(struct tui *t, const struct key *key)
{
	char line[KEY_LINE + 16];

	if (t->count && key->how == KEY_DO)
		snprintf(line, sizeof line, "%" PRIu32 "%s", t->count, key->command);
	else
		snprintf(line, sizeof line, "%s", key->command);
	t->count = 0;
	if (key->how == KEY_DO) {
		tui_do(t, line);
	} else if (key->how == KEY_PROMPT) {
		t->message[0] = 0;
		prompt_begin(&t->prompt, line);
	} else {
		t->waiting = key;
		tui_say(t, "%s and one more key: %s", key->name, key->help);
	}
}

/* A key by its name. In this order: it is the argument of the previous key (m a); it is a digit of
 * a count, where 0 is one only after another digit; it means something in this view, or, in the
 * help, in the view below it, which is then shown again; else it has no meaning, which is said. */
static void do_key(struct tui *t, const char *name)
{
	const struct key *key = keys_find(t->o->keys, name, t->help ? VIEW_HELP : t->view);

	if (t->waiting) {
		do_argument(t, name);
		return;
	}
	if (t->count && !strcmp(name, "0"))
		key = keys_find(t->o->keys, "1", t->view);
	if (!key && t->help) { /* a key of the view, so the user wants to see that */
		key = keys_find(t->o->keys, name, t->view);
		t->help = !key;
	}
	if (key && key->how == KEY_COUNT) {
		count_digit(t, name[0]);
		return;
	}
	if (key && !(t->count && !strcmp(name, "Esc")))
		do_named(t, key);
	else
		tui_say(t, "%s%s", key ? "" : name,
			key ? "" : " has no meaning here; h shows the keys");
	t->count = 0;
}

/* One character or key from curses. After KEY_RESIZE the loop draws again, with the new size. */
static void take_key(struct tui *t, int code, wint_t c)
{
	char name[KEY_BYTES];

	if (code == KEY_CODE_YES && c == KEY_RESIZE) {
		t->asked = false;
		return;
	}
	bool known = keyboard_name(t, code, c, name);
	if (known && !strcmp(name, KEY_POINTER)) {
		pointer_moved(t);
		return;
	}
	t->asked = false;
	pointer_forget(t);
	if (t->prompt.open)
		prompt_key(t, code, c, name);
	else if (known)
		do_key(t, name);
}

/* Pasted text is for the prompt: taken as keys, it would be commands that nobody meant. */
static void take_pasted(struct tui *t, int code, wint_t c)
{
	if (t->prompt.open && code == OK && c >= ' ')
		take_key(t, code, c);
	else if (!t->prompt.open)
		tui_say(t, "pasted text is passed over; : opens the prompt, which takes it");
}

void input_take(struct tui *t, int code, wint_t c)
{
	const enum escape escape = code == OK && c == 27 ? escape_read() : ESCAPE_KEY;

	if (escape == ESCAPE_PASSED)
		return;
	if (escape != ESCAPE_KEY || (code == OK && c == 27))
		t->pasting = escape == ESCAPE_PASTE;
	if (escape == ESCAPE_KEY && t->pasting)
		take_pasted(t, code, c);
	else if (escape == ESCAPE_KEY)
		take_key(t, code, c);
}
