/* The main loop of the screen: how a key becomes a change of what is shown.
 *
 *	get_wch -> keyboard_name -> keys_find -> tui_do -> an order of the screen (orders.h)
 *	  byte      "Ctrl-O"        a row of     text      or a command of the session
 *	                            keys.c                 (session/words.h)
 *
 * A key is first turned into a line of text, as if the user had typed it after ":". So a key, the
 * prompt, and a key bound by the user cannot differ in what they do, and counts work for all.
 *
 * There is one thread. Work that takes long (counting the hits of each line, finding the lines that
 * ever ran) is done in pieces between keys, see wait_for_input; a search of the session runs to its
 * end, draws its own progress, and stops at Ctrl-C. curses is called from here and from the files
 * that draw, never from a signal handler: handlers only set the flags of struct tui_options.
 */
#define _GNU_SOURCE
#define NCURSES_NOMACROS
#include "tui/tui.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "session/operations.h"
#include "tui/input.h"
#include "tui/orders.h"
#include "tui/pointer.h"
#include "tui/reader.h"
#include "tui/screen.h"

/* TICK_MS: a signal that arrives just before the wait for a key is noticed so much later at most.
 * FOLLOW_MS: a recording that grows is read so often. */
#define TICK_MS	  1000
#define FOLLOW_MS 40

void tui_say(struct tui *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(t->message, sizeof t->message, format, arguments);
	va_end(arguments);
}

/* ---- the loop ---- */

/* Read what was written since; if the position was at the end, it moves on to the new end. In a
 * recording that was complete before there is none: the position stays where it began. Returns
 * whether there is something new to show. What was counted or collected from the shorter recording
 * (lines that ran, hits, types of exceptions, rows of the views) is forgotten and made again. */
static bool follow_growth(struct tui *t)
{
	struct pl_recording *r = t->s->replay.r;
	struct pl_recording_info info;
	struct pl_err err = {0};

	pl_recording_info(r, &info);
	if (!info.end_ns)
		pl_recording_follow(r);
	const bool at_end = !info.end_ns && t->view != VIEW_READER && tui_at_edge(t, false);
	if (!info.end_ns && pl_recording_refresh(r, &err) != 0)
		return false;
	pl_recording_info(r, &info);
	t->follows = !info.end_ns;
	replay_grown(&t->s->replay);
	view_grown(t);
	if (t->s->executed.done) {
		executed_release(&t->s->executed);
		t->source.has_what = false;
	}
	t->s->has_types = false;
	t->hits_ready = false;
	if (at_end) {
		session_do(t->s, "j end", &err);
		position_show(t);
	}
	if (!t->follows)
		tui_say(t, "the program has ended; the recording is complete");
	return true;
}

/* Ctrl-C while nothing is running: the second one in a row ends the screen, as users of other
 * programs expect. */
static bool interrupted(struct tui *t)
{
	*t->o->interrupted = 0;
	t->pasting = false;
	if (t->prompt.open || t->waiting) {
		t->prompt.open = false;
		t->waiting = NULL;
		t->message[0] = 0;
	} else if (t->asked) {
		t->quit = true;
	} else {
		t->asked = true;
		tui_say(t, "q quits; Ctrl-C again also quits");
	}
	return true;
}

/* Until there is a key, or something else to show. Counting goes on meanwhile, a piece at a time:
 * ppoll with a wait of 0 looks for a key after each. The loop returns to draw only when a count is
 * complete: drawing after each piece would cost more than the piece. SIGWINCH is let through only
 * inside ppoll (t->unblocked), see hold_resizes. */
static void wait_for_input(struct tui *t)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	bool hits = t->source.has_hits, done = t->s->executed.done;
	int64_t last_ns = tui_now_ns();

	while (!*t->o->ended && !*t->o->interrupted) {
		bool more = counting_piece(t);
		if (hits != t->source.has_hits || done != t->s->executed.done)
			return;
		const int64_t wait_ns =
			more ? 0 : (t->follows ? FOLLOW_MS : TICK_MS) * INT64_C(1000000);
		const struct timespec wait = {
			.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};
		int n = ppoll(&in, 1, &wait, &t->unblocked);
		if (n > 0 && in.revents & (POLLHUP | POLLERR | POLLNVAL) && !(in.revents & POLLIN))
			*t->o->ended = SIGHUP;
		if (n || (errno == EINTR && n < 0))
			return;
		if (t->follows && tui_now_ns() - last_ns >= FOLLOW_MS * INT64_C(1000000)) {
			last_ns = tui_now_ns();
			if (follow_growth(t))
				return;
		}
	}
}

/* All keys that have arrived are taken before the screen is drawn: a held key must not fall
 * behind. */
static void run_keys(struct tui *t)
{
	while (!t->quit && !*t->o->ended) {
		wint_t c;
		int code;
		counting_some(t);
		draw(t);
		pointer_begin(t); /* again after an editor, when curses has drawn */
		wait_for_input(t);
		if (*t->o->interrupted && !*t->o->ended)
			interrupted(t);
		while (!t->quit && !*t->o->ended && (code = get_wch(&c)) != ERR)
			input_take(t, code, c);
		pointer_show(t);
	}
}

/* A resize of the terminal is handled only while the screen waits for keys. Otherwise the signal
 * could arrive just before the wait, and would be noticed only with the next key. */
static void hold_resizes(struct tui *t)
{
	sigset_t resizes;

	sigemptyset(&resizes);
	sigaddset(&resizes, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resizes, &t->unblocked);
}

/* With a slash at its end. */
static void find_folder(struct tui *t)
{
	if (!getcwd(t->folder, sizeof t->folder - 1) || t->folder[0] != '/')
		t->folder[0] = 0;
	else if (t->folder[1])
		strcat(t->folder, "/");
}

/* The source at the position, and the view that was asked for. */
static void first_view(struct tui *t)
{
	const struct tui_options *o = t->o;

	t->follows = o->follow;
	t->s->executed.r = t->source.r = t->s->replay.r;
	t->cursor = 1;
	find_folder(t);
	position_show(t);
	orders_choose_view(t, o->view);
	if (o->filter)
		reader_filter(t, o->filter);
	if (o->view == VIEW_READER && o->follow)
		reader_follow(t);
	tui_say(t, "%s", t->s->why[0] ? t->s->why : t->s->note);
}

static void tui_free(struct tui *t)
{
	view_release(t);
	listing_release(&t->source);
	prompt_release(&t->prompt);
	tab_close(t);
	pattern_release(&t->pattern);
	free(t);
}

int tui_run(const struct tui_options *o, struct pl_err *err)
{
	struct complete_word own[ORDERS_MAX + 1];
	struct tui *t = calloc(1, sizeof *t);
	SCREEN *screen = t ? screen_open(err) : NULL;

	if (!t)
		return pl_err_cause(err, PL_ERR_MEMORY, "no memory for a screen");
	if (!screen) {
		free(t);
		return PL_ERR_IO;
	}
	orders_complete(own);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED |
			  REPORT_MOUSE_POSITION,
		NULL);
	t->o = o;
	t->s = o->session;
	t->tab.own = own;
	first_view(t);
	hold_resizes(t);
	run_keys(t);
	sigprocmask(SIG_SETMASK, &t->unblocked, NULL);
	pointer_end(t);
	endwin();
	delscreen(screen);
	tui_free(t);
	return 0;
}
