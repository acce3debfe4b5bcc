/* Hot code: its witnesses are reported by INSTRUCTION instead of LINE.
 *
 * INSTRUCTION costs the interpreter less than LINE: it makes no object for a line number, and looks
 * no line up. But it comes once for every instruction of the code before it is disabled there, so
 * only code that is known to be hot is worth it.
 *
 *   the code runs                  a witness where LINE fires whenever it is reached     heard
 *   cold                           LINE                                                  MAY_MOVE
 *   enough LINEs: it is hot        LINE; INSTRUCTION comes too, and is ignored           MOVES
 *   LINE, for no other tool        LINE is recorded and disabled                         MOVED
 *   from then on                   INSTRUCTION is recorded
 *
 * Before that the code is reoptimized (reoptimize.c).
 *
 * In the run in which LINE is disabled INSTRUCTION does not come, in no interpreter that was tried
 * (3.12.1, 3.13.0, 3.13.5). The first place that moves shows whether this holds here: of all
 * instructions of its code, the next one that is reported must be another one. If not, no code
 * becomes hot.
 *
 * LINE may come back, when another tool restarts events or enables LINE: then it is recorded, and
 * all is as in the third row. While another tool has LINE there, INSTRUCTION may come in the same
 * run, or not, because that tool disables its own events. So LINE is recorded, and no code becomes
 * hot.
 *
 * From 3.14 on INSTRUCTION spoils the branches of other tools. So when one asks for branches, all
 * code goes back to LINE, and none becomes hot any more (tier_stop).
 *
 * Passes of loops on one line, which JUMP reports, move in the same way: after enough JUMPs,
 * INSTRUCTION at the jump back reports them. In a run INSTRUCTION comes before JUMP, so the first
 * one that is recorded is that of the next pass. This holds for one thread at a time: another tool
 * with one of the two events could let a second thread run in between, so then no pass moves.
 */
#include "recorder/tiers/hot.h"

#include <stdlib.h>
#include "recorder/code.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/instrumentation.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/engine.h"
#include "recorder/root.h"
#include "recorder/step.h"
#include "recorder/thread.h"
#include "recorder/tiers/reoptimize.h"
#include "recorder/tiers/tiers.h"
#include "recorder/tools.h"

/* Code that could not become hot tries again at its next LINE, and after this many attempts in a
 * row when it had as many LINEs as before. With only one attempt it would try at the same place for
 * ever, if the number of LINEs in a pass of its loop divides that count. */
#define VAIN_IN_A_ROW 32

static bool may_move(const struct code_record *r)
{
	if (r->wavers)
		return false;
	for (uint32_t i = 0; i < r->unit_count; i++)
		if (r->units[i].start && r->units[i].heard == HEARD_MAY_MOVE)
			return true;
	return false;
}

static bool is_settled(const PyCodeObject *code, const struct code_record *r)
{
	for (uint32_t i = 0; i < r->unit_count; i++)
		if (r->units[i].wavers && !waverer_is_settled(code, i))
			return false;
	return true;
}

/* The error that is set stays set. */
static bool listen_in(PyCodeObject *code, int events)
{
	PyObject *raised = PyErr_GetRaisedException();
	bool listens = tools_set_local_events(code, events) &&
		       (!events || keep_instruction_tools(code, root.tool));

	PyErr_Clear();
	PyErr_SetRaisedException(raised);
	return listens;
}

static bool is_alone(const PyCodeObject *code, uint32_t unit)
{
	return !root.policy.lines && !others_hear_line(code, unit, root.tool) &&
	       !others_hear_branches(code, root.tool);
}

static void hear_instructions(struct code_record *r)
{
	for (uint32_t i = 0; i < r->unit_count; i++) {
		struct code_unit *u = &r->units[i];
		if (u->heard != HEARD_MAY_MOVE)
			continue;
		u->heard = u->later ? HEARD_MOVED : HEARD_MOVES;
		if (u->later) /* the instruction after this one comes in this run, too */
			u[LOOK_UP_UNITS].heard = HEARD_MOVED;
	}
}

/* Except passes; true: some witnesses are reported by INSTRUCTION. */
static bool hear_lines(struct code_record *r)
{
	bool passes = false;

	for (uint32_t i = 0; i < r->unit_count; i++) {
		struct code_unit *u = &r->units[i];
		if (unit_is_pass(unit_bits(*u))) {
			passes |= u->heard != HEARD_MAY_MOVE;
			continue;
		}
		u->heard = HEARD_BY_LINE;
		u->later = 0;
	}
	return passes;
}

/* Its witnesses are reported by LINE again, from its next run on. */
static void hot_ends(PyCodeObject *code, struct code_record *r)
{
	if (hear_lines(r))
		hot_listen_anew(code);
	else
		listen_in(code, 0);
	hooks_hear_again();
}

/* The first place of all that moves must be observed from the beginning. */
static bool may_become_hot(const PyCodeObject *code, const struct code_record *r, uint32_t unit)
{
	bool seen = root.moves_seen || (!root.first_move.record && !r->units[unit].later);

	return seen && r->units[unit].heard == HEARD_MAY_MOVE && is_alone(code, unit) &&
	       (!r->reoptimization || is_settled(code, r));
}

#define NO_LANDING UINT32_MAX /* see tier_hear_landing */

#if PY_VERSION_HEX < 0x030d0000
/* An instruction with `wavers` that reports nothing must not be enabled: it would be specialised at
 * another time, and the LINE after it may depend on that. */
static bool is_waverer_beside(
	const struct code_record *r, uint32_t unit, bool lines_move, uint32_t landing)
{
	bool heard = unit == landing || (lines_move && r->units[unit].heard == HEARD_MAY_MOVE);

	return r->units[unit].wavers && !heard && unit + 1 < r->unit_count;
}

static bool listen_beside_waverers(
	PyCodeObject *code, const struct code_record *r, bool lines_move, uint32_t landing)
{
	uint32_t count = 0, n = 0;

	for (uint32_t i = 0; i < r->unit_count; i++)
		count += is_waverer_beside(r, i, lines_move, landing);
	struct waverer_state *before = malloc((count + 1) * sizeof *before);
	if (!before)
		return false;
	for (uint32_t i = 0; i < r->unit_count; i++)
		if (is_waverer_beside(r, i, lines_move, landing))
			before[n++] = waverer_look(code, i);
	bool listens = hot_listen_anew(code);
	for (uint32_t i = n = 0; listens && i < r->unit_count; i++)
		if (is_waverer_beside(r, i, lines_move, landing))
			waverer_restore(code, i, before[n++], root.tool);
	free(before);
	return listens;
}
#else
static bool listen_beside_waverers(
	PyCodeObject *code, const struct code_record *r, bool lines_move, uint32_t landing)
{
	(void)r, (void)lines_move, (void)landing;
	return hot_listen_anew(code);
}
#endif

bool hot_begins(PyCodeObject *code, struct code_record *r, uint32_t unit)
{
	bool ever = may_move(r),
	     now = ever && unit < r->unit_count && may_become_hot(code, r, unit);

	if (now || !ever)
		r->lines_heard++;
	else
		r->lines_heard = ++root.hot_in_vain % VAIN_IN_A_ROW ? root.hot_lines - 1 : 0;
	if (!now) {
		if ((!ever || !r->lines_heard) && reoptimize_is_due(r))
			tier_release(r);
		return false;
	}
	root.describing++; /* this asks for memory */
	bool counts = is_settled(code, r) && reoptimize_begin(code, r);
	if (!counts)
		reoptimize_choose(r);
	bool listens = r->reoptimization ? hot_listen_anew(code)
					 : listen_beside_waverers(code, r, true, NO_LANDING);
	if (!listens)
		tier_release(r);
	else if (!counts)
		hear_instructions(r);
	root.describing--;
	return listens && !counts;
}

/* INSTRUCTION is not reported any more, and what was disabled for it not before the code's next
 * run. */
static void lose_instructions(struct code_record *r)
{
	bool heard = false;

	for (uint32_t i = 0; r && i < r->unit_count; i++)
		heard |= r->units[i].heard >= HEARD_MOVES;
	if (!heard)
		return;
	hear_lines(r);
	for (uint32_t i = 0; i < r->unit_count; i++)
		r->units[i].heard = HEARD_BY_LINE;
	if (self)
		event_lose(self);
	hooks_hear_again();
}

bool tier_forget(struct code_record *r)
{
	bool heard = r->reoptimization;

	tier_release(r);
	for (uint32_t i = 0; i < r->unit_count; i++)
		heard |= r->units[i].heard >= HEARD_MOVES;
	if (heard)
		hear_lines(r);
	for (uint32_t i = 0; heard && i < r->unit_count; i++)
		r->units[i].heard = HEARD_BY_LINE;
	return heard;
}

static void stop_in(PyCodeObject *code, struct code_record *r, void *any)
{
	if (!tier_forget(r))
		return;
	listen_in(code, 0);
	*(bool *)any = true;
}

void tier_stop(void)
{
	bool any = false;

	root.hot_lines = 0;
	root.first_move = (struct first_move){0};
	root.describing++;
	codes_each(stop_in, &any);
	root.describing--;
	if (any)
		hooks_hear_again();
}

bool hot_listen_anew(PyCodeObject *code)
{
	if (!listen_in(code, 0)) /* all is as before */
		return false;
	if (listen_in(code, INSTRUCTION_EVENT))
		return true;
	listen_in(code, 0);
	lose_instructions(code_known(code));
	return false;
}

bool tier_line_moves(
	struct thread *t, py_frame *frame, struct code_record *r, uint32_t unit, bool began)
{
	bool moves = is_alone(frame_code(frame), unit) && (root.moves_seen || began);

	r->units[unit].heard = moves && root.moves_seen ? HEARD_MOVED : HEARD_MOVES;
	if (moves && !root.moves_seen)
		root.first_move = (struct first_move){t, frame, r, unit};
	return moves;
}

/* An instruction is reported, the first since a first place moved. */
static void see_first_move(const struct thread *t, const py_frame *frame, uint32_t unit)
{
	struct first_move first = root.first_move;

	root.first_move = (struct first_move){0};
	if (first.thread == t && first.frame == frame && first.unit == unit) {
		PyCodeObject *code = (PyCodeObject *)atomic_load_explicit(
			&first.record->code, memory_order_relaxed);
		root.hot_lines = 0;
		hot_ends(code, first.record);
		return;
	}
	root.moves_seen = true;
	first.record->units[first.unit].heard = HEARD_MOVED;
}

bool hot_instruction_is_heard(
	struct thread *t, const py_frame *frame, struct code_record *r, uint32_t unit)
{
	if (root.first_move.record)
		see_first_move(t, frame, unit);
	return unit < r->unit_count && r->units[unit].heard >= HEARD_MOVES && !r->units[unit].later;
}

static bool passes_begin(PyCodeObject *code, struct code_record *r)
{
	root.describing++;
	bool listens = listen_beside_waverers(code, r, false, NO_LANDING);
	root.describing--;
	for (uint32_t i = 0; listens && i < r->unit_count; i++)
		if (unit_is_pass(unit_bits(r->units[i])))
			r->units[i].heard = HEARD_MOVES;
	return listens;
}

/* Is another thread there? It may have passed INSTRUCTION before that reported the pass, with JUMP
 * to come. */
static bool another_stands_at(const PyCodeObject *code, uint32_t unit)
{
	const PyThreadState *own = current_thread_state();
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	for (; ts; ts = PyThreadState_Next(ts)) {
		py_frame *frame = ts == own ? NULL : top_frame(ts);
		if (frame && frame_code(frame) == code && frame_unit_or_none(frame, code) == unit)
			return true;
	}
	return false;
}

void tier_hear_landing(PyCodeObject *code, const struct code_record *r, uint32_t landing)
{
	root.describing++;
	listen_beside_waverers(code, r, false, landing);
	root.describing--;
}

bool tier_pass_moves(PyCodeObject *code, struct code_record *r, uint32_t unit)
{
	struct code_unit *u = &r->units[unit];
	bool alone = root.hot_lines && !root.policy.lines && !others_hear_passes(code, root.tool) &&
		     !others_hear_branches(code, root.tool) && !another_stands_at(code, unit);
	bool moves = alone && (u->heard == HEARD_MOVES || passes_begin(code, r));

	if (moves)
		u->heard = HEARD_MOVED;
	else
		r->passes_heard = 0;
	return moves;
}
