"""Values outlive a kill: what a call's arguments and results were, and what each line made of the
variables, is there up to the last event that the ring had, and right."""
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402

INTERPRETERS = "two"
# Enough for a program that does nothing but call, so that no value is cut for want of time.
OPTIONS = "--values-of", "*", "--values-limit", "second=1G"


class Values(recorded.Case):
    def killed(self, level, victims):
        top = os.path.join(self.top.name, f"{level}-{victims}")
        os.mkdir(top)
        program = recorded.Recorded(top, "-q", "--values", level, *OPTIONS)
        self.addCleanup(program.stop)
        program.find()
        time.sleep(0.05)
        if victims == "both":
            os.kill(program.collector, signal.SIGKILL)
        os.kill(program.program, signal.SIGKILL)
        self.assertEqual(program.end()[0], -signal.SIGKILL)
        self.assert_sound(program.dir)
        self.assert_path(program.dir, program.passes())
        return program.dir

    def assert_calls(self, directory):
        """Call number n of g within a call of f has n, and gives its double."""
        number = None
        returned = 0
        for event, code, arguments, result in recorded.rows(directory, "event,code,args,result", "--events", "call,return"):
            if (event, code) == ("call", "f"):
                self.assertEqual(arguments, "n=20")
                number = -1
            elif (event, code) == ("call", "g"):
                number += 1
                self.assertEqual(arguments, f"x={number}")
            elif (event, code) == ("return", "g"):
                self.assertEqual(result, str(number * 2))
                returned += 1
            elif (event, code) == ("return", "f"):
                self.assertEqual((number, result), (19, "380"))
        self.assertGreater(returned, 20)

    def test_calls(self):
        for victims in "program", "both":
            with self.subTest(victims=victims):
                self.assert_calls(self.killed("calls", victims))

    def test_lines(self):
        for victims in "program", "both":
            with self.subTest(victims=victims):
                directory = self.killed("lines", victims)
                self.assert_calls(directory)
                total = i = None
                seen = 0
                for event, code, changed in recorded.rows(directory, "event,code,changed"):
                    if (event, code) == ("call", "f"):
                        total = i = 0
                    for one in changed.split(", ") if code == "f" and changed else ():
                        name, value = one.split(" = ")
                        if name == "i":
                            i = int(value)
                        else:
                            total += 2 * i if int(value) else 0
                            self.assertEqual(int(value), total)
                            seen += 1
                self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
