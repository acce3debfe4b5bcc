/* Hot code is reoptimized: its witnesses are chosen anew, by how often its lines run.
 *
 *   it is hot                INSTRUCTION comes beside LINE, and starts that run are counted; the
 *                            rest is as before
 *   enough have run          other witnesses are chosen, if they cost less
 *   it is called, and no     the new ones are enabled from here on, and the code has another
 *   other frame runs it      number, whose body has them; frames that were called before have had
 *                            all of theirs
 *
 * What records a pass of a loop stays. LINE is disabled at the new witnesses:
 * INSTRUCTION reports them, so they must be sure (flow/witness.h). Generators are not
 * reoptimized, because some of their frames may wait where nothing can find them.
 */
#include "recorder/tiers/reoptimize.h"

#include <stdlib.h>
#include "bytecode/passes.h"
#include "flow/witness.h"
#include "recorder/code.h"
#include "recorder/code_body.h"
#include "recorder/code_units.h"
#include "recorder/compat/code_object.h"
#include "recorder/compat/frame.h"
#include "recorder/compat/interpreter.h"
#include "recorder/compat/monitoring.h"
#include "recorder/root.h"
#include "recorder/tiers/hot.h"
#include "recorder/tiers/tiers.h"

#define COUNTED_LEAST 16
#define COUNTED_MOST  400
#define LESS	      0.9  /* of the cost; more is not worth it */
#define TRIES	      1000 /* calls that came while another frame ran the code */
#define FRAMES_MOST   1000 /* looked at for that */
#define FORBIDDEN     1e6f /* times as often as it was counted */
/* The graph of larger code would be made a second time, and searched again: each takes more than a
 * millisecond. */
#define UNITS_MOST 8192

struct reoptimization {
	struct flow_graph graph; /* owned; frequencies are counts */
	uint32_t left;		 /* to be counted */
	uint32_t tries;
	bool chosen;
	bool plain; /* the record's, which is cleared while a call is awaited */
};

void tier_release(struct code_record *r)
{
	struct reoptimization *p = r->reoptimization;

	if (!p)
		return;
	r->plain |= p->plain;
	r->reoptimization = NULL;
	flow_graph_release(&p->graph);
	free(p);
}

static bool may_be_reoptimized(const PyCodeObject *code, const struct code_record *r)
{
	return !code_runs_once(code) && !r->reoptimized && !r->generator_like &&
	       r->unit_count <= UNITS_MOST && !code_policy(r).hears && !root.section_count;
}

bool reoptimize_begin(PyCodeObject *code, struct code_record *r)
{
	const uint32_t hot_lines =
		r->far && root.hot_lines > FAR_HOT_LINES ? FAR_HOT_LINES : root.hot_lines;
	const uint32_t left = 2 * hot_lines;

	if (!may_be_reoptimized(code, r))
		return false;
	r->reoptimized = true;
	struct reoptimization *p = calloc(1, sizeof *p);
	if (!p)
		return false;
	p->left = left < COUNTED_LEAST ? COUNTED_LEAST : left > COUNTED_MOST ? COUNTED_MOST : left;
	r->reoptimization = p;
	if (code_graph(code, &p->graph) && p->graph.analysed &&
		p->graph.unit_count == r->unit_count)
		return true;
	tier_release(r);
	return false;
}

bool reoptimize_is_counting(const struct code_record *r)
{
	return r->reoptimization && r->reoptimization->left;
}

bool reoptimize_is_due(const struct code_record *r)
{
	return r->reoptimization && !r->reoptimization->left && !r->reoptimization->chosen;
}

bool reoptimize_counts(struct code_record *r, uint32_t unit)
{
	struct reoptimization *p = r->reoptimization;
	uint32_t start = unit < r->unit_count ? r->units[unit].start : 0;

	if (!start || start > p->graph.start_count)
		return false;
	p->graph.starts[start - 1].frequency++;
	/* the next LINE chooses, and must not take the fast path */
	if (!--p->left)
		r->lines_heard = root.hot_lines - 1;
	return true;
}

/* ---- the choice ---- */

static bool witness_stays(uint32_t start, struct code_unit here)
{
	return here.start != start + 1 || here.pass & PASS_TELLS;
}

/* Can it become a witness? */
static bool may_be_witness(struct code_unit here, const struct flow_start *s)
{
	return s->sure && !here.pending;
}

static double start_cost(const struct flow_start *s)
{
	return (double)s->frequency * flow_line_price(s);
}

/* The cost of the present witnesses. Starts that must not become one count as very frequent from
 * here on. */
static double present_cost(struct reoptimization *p, const struct code_record *r)
{
	double cost = 0;

	flow_find_sure(&p->graph);
	for (uint32_t i = 0; i < p->graph.start_count; i++) {
		struct flow_start *s = &p->graph.starts[i];
		struct code_unit here = r->units[s->unit];
		s->witness = here.witness && witness_stays(i, here);
		cost += here.witness && !s->witness ? start_cost(s) : 0;
		if (!here.witness && !may_be_witness(here, s))
			s->frequency = (s->frequency + 1) * FORBIDDEN;
	}
	return cost;
}

static bool costs_less(const struct reoptimization *p, const struct code_record *r, double before)
{
	double cost = 0;

	for (uint32_t i = 0; i < p->graph.start_count; i++) {
		const struct flow_start *s = &p->graph.starts[i];
		struct code_unit here = r->units[s->unit];
		if (!s->witness || (here.witness && witness_stays(i, here)))
			continue;
		if (!here.witness && !may_be_witness(here, s))
			return false;
		cost += start_cost(s);
	}
	return cost < before * LESS;
}

void reoptimize_choose(struct code_record *r)
{
	struct reoptimization *p = r->reoptimization;

	if (!reoptimize_is_due(r))
		return;
	double before = present_cost(p, r);
	p->chosen = flow_place_again(&p->graph) == 0 && costs_less(p, r, before);
	if (!p->chosen) {
		tier_release(r);
		return;
	}
	p->plain = r->plain;
	r->plain = false;
}

/* ---- the change ---- */

static bool runs_in(const PyThreadState *ts, const PyCodeObject *code, const py_frame *but)
{
	uint32_t looked = 0;

	for (py_frame *f = current_frame(ts); f; f = f->previous) {
		if (++looked > FRAMES_MOST)
			return true;
		if (f != but && !frame_is_shim(f) && frame_code(f) == code)
			return true;
	}
	return false;
}

/* In any thread, except the frame that is being called. */
static bool runs_elsewhere(const PyCodeObject *code)
{
	const py_frame *called = current_frame(current_thread_state());
	PyThreadState *ts = PyInterpreterState_ThreadHead(PyInterpreterState_Main());

	while (ts && !runs_in(ts, code, called))
		ts = PyThreadState_Next(ts);
	return ts != NULL;
}

static void set_heard(struct code_record *r, uint32_t unit, unsigned heard, bool later)
{
	struct code_unit *here = &r->units[unit];

	if (here->later || later)
		here[LOOK_UP_UNITS].heard = heard & 3u;
	here->heard = heard & 3u;
	here->later = later;
}

static void hear_chosen(const struct reoptimization *p, struct code_record *r)
{
	for (uint32_t i = 0; i < p->graph.start_count; i++) {
		const struct flow_start *s = &p->graph.starts[i];
		struct code_unit *here = &r->units[s->unit];
		if (here->start != i + 1 || here->witness == s->witness)
			continue;
		here->witness = s->witness;
		if (s->witness)
			set_heard(r, s->unit, HEARD_MOVED, s->cheaper_after != 0);
		else
			set_heard(r, s->unit, HEARD_BY_LINE, false);
	}
}

void tier_call(PyCodeObject *code, struct code_record *r)
{
	struct reoptimization *p = r->reoptimization;

	if (!p || !p->chosen || root.forked || root.first_move.record == r)
		return;
	bool over = code_policy(r).hears || root.section_count || ++p->tries > TRIES;
	if (!over && runs_elsewhere(code))
		return;
	root.describing++;
	uint32_t number = over ? 0 : code_tell_again(code, &p->graph);
	if (number && hot_listen_anew(code)) { /* where it was disabled until now, too */
		hear_chosen(p, r);
		r->number_before = r->number;
		code_set_number(r, number);
	}
	tier_release(r);
	root.describing--;
}
