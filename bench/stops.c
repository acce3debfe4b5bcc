/* The longest stop: wraps the recorder's entries under callgrind (bench/stops.py), and prints how
 * many instructions each call took that may be long.
 *
 * Only the recorder's calls are counted. Asking callgrind takes long, and so does counting from 0.
 * So only calls of more than FEW cycles are asked about, which all calls of 1 ms are; and counting
 * from 0 begins when the calls since then took MUCH. What is printed is at most the few
 * instructions of that time too high.
 */
#include <stdint.h>
#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>
#include <x86intrin.h>

#define FEW  500000
#define MUCH 2000000

typedef uintptr_t word;

static __thread int depth;
static uint64_t since; /* cycles since counting began from 0; with the GIL */

static uint64_t enter(void)
{
	if (depth++)
		return 0;
	if (since > MUCH) {
		CALLGRIND_ZERO_STATS;
		since = 0;
	}
	CALLGRIND_TOGGLE_COLLECT;
	return __rdtsc();
}

static void leave(const char *name, uint64_t began)
{
	if (--depth)
		return;
	CALLGRIND_TOGGLE_COLLECT;
	const uint64_t took = __rdtsc() - began;
	since += took;
	if (took < FEW)
		return;
	VALGRIND_PRINTF("stop: %s\n", name);
	VALGRIND_MONITOR_COMMAND("status internal");
	CALLGRIND_ZERO_STATS;
	since = 0;
}

/* A call with four arguments or fewer. */
#define WRAP(name)                                                                                 \
	word I_WRAP_SONAME_FNNAME_ZU(pathlineZhrecorderZhZa, name)(word a, word b, word c, word d);  \
	word I_WRAP_SONAME_FNNAME_ZU(pathlineZhrecorderZhZa, name)(word a, word b, word c, word d)   \
	{                                                                                            \
		OrigFn function;                                                                     \
		word result;                                                                         \
		VALGRIND_GET_ORIG_FN(function);                                                      \
		uint64_t began = enter();                                                            \
		CALL_FN_W_WWWW(result, function, a, b, c, d);                                        \
		leave(#name, began);                                                                 \
		return result;                                                                       \
	}

/* the callbacks of sys.monitoring */
WRAP(on_start)
WRAP(on_start_traced)
WRAP(on_start_before_main)
WRAP(on_resume)
WRAP(on_throw)
WRAP(on_line)
WRAP(on_instruction)
WRAP(on_jump)
WRAP(on_return)
WRAP(on_yield)
WRAP(on_unwind)
WRAP(on_raise)
WRAP(on_reraise)
WRAP(on_handled)
WRAP(on_start_stamped)
WRAP(on_resume_stamped)
WRAP(on_return_stamped)
WRAP(on_yield_stamped)
WRAP(on_unwind_stamped)
WRAP(on_raise_stamped)
/* what else calls the recorder */
WRAP(pathline_recorder_start)
WRAP(forked_child)
WRAP(thread_leaves)
WRAP(thread_end)
WRAP(section_begin)
WRAP(section_end)
WRAP(hooks_are_traced)
WRAP(tier_stop)
WRAP(lend_clean)
WRAP(stop_to_hear)
WRAP(own_set_line)
WRAP(on_code)
WRAP(code_freed)
