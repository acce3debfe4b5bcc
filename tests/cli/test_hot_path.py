"""The hot path is an object file of its own, linked against an allow-list: no malloc, lock, I/O, or
Python code."""
import glob
import os
import subprocess
import unittest

INTERPRETERS = "none"
QUICK = True
BUILD = os.environ.get("PATHLINE_BUILD", "build")

ALLOWED = {
    # our own, each with a fast way through
    "code_describe", "code_without_mark", "exception_type_number", "generator_gone", "generator_new", "generator_of", "hook_disable", "hook_type",
    "map_find", "passes_forget", "passes_jump", "passes_line", "root", "self", "shadow_stand_ins", "step_slow", "step_to_caller", "step_to_foreign", "step_to_frame", "task_write", "task_write_renamed", "thread_begin", "thread_push",
    "write_greenlet_name",
# a few times for each witness, or loop
"tier_instruction", "tier_line", "tier_line_moves", "tier_pass_moves", "step_tell_due",
    "tier_call",  # while hot code is reoptimized: some thousand times for each
    "step_to_frame_again",  # an exception comes of a generator that nothing told to be resumed
    "code_is_bottom",  # once a code that had a caller in each frame until now
    "section_is_over",  # once a code after a section
    "spare_more_lines",  # of straight code, once for each part of it that is long
    "code_find_lines",  # of straight code, once, where a trace function is set or a section runs it
    "hooks_hear_again",  # once a code whose frames had callers until now
    "hooks_are_traced",  # once, when the program has set a trace function
    "hooks_tell_lines",  # once, where another tool hears of jumps as an exception comes (3.12)
    "tools_raised_at_jump",  # as an exception comes (3.12)
    "on_left",  # where the recorder has left, in a thread that the program traces
    "trace_find_own",  # only while another thread has set this one's trace function
    "values_of_call", "values_of_sent", "values_of_result", "values_of_exception",  # only of code whose values are kept
    "values_of_yield", "values_of_line", "values_of_unwind",  # the same
    "section_hears", "sections_on",  # only while there is a section of precise_timestamping()
    "flight_unwound", "flight_is_orderly",  # as an exception leaves a frame; the first only of a flight recorder
    "main_begins",  # only until __main__ does
    # the interpreter's: no allocation, no code of the program
    "PyErr_GetRaisedException", "PyErr_SetRaisedException",
    "PyCode_Addr2Line",  # only while a trace function is set
"PyCode_Type",  # compared, where an event is not of the frame that runs
    "PyExc_KeyboardInterrupt", "PyExc_StopAsyncIteration", "PyExc_StopIteration", "PyType_IsSubtype",
    "PyLong_AsLong", "PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet", "_Py_NoneStruct",
    # the compiler's
    "_GLOBAL_OFFSET_TABLE_", "__tls_get_addr", "memcpy", "__stack_chk_fail",
}


class HotPath(unittest.TestCase):
    def test_symbols_are_on_the_list(self):
        objects = [path for engine in ("hooks", "lines", "tracing")
                   for path in glob.glob(os.path.join(BUILD, "pathline-recorder-3.*.so.p", f"*{engine}.c.o"))]
        self.assertTrue(objects, "no recorder was built in " + BUILD)
        for path in objects:
            listing = subprocess.check_output(["nm", "-u", path], text=True)
            needed = {line.split()[-1] for line in listing.splitlines()}
            self.assertLessEqual(needed, ALLOWED, path)


if __name__ == "__main__":
    unittest.main()
