"""The system does not let the collector read the program's memory: `info` says that samples are
missing, and all else is there."""
import ctypes
import errno
import json
import os
import platform
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded  # noqa: E402
from recorded import PATHLINE, PYTHON  # noqa: E402

PROGRAM = """\
import ctypes, sys

PR_SET_DUMPABLE = 4

def work(n):
    total = 0
    for i in range(n):
        total += sum(range(10000)) % 7
        if total > 100:
            total -= 50
    return total

if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(sys.argv[1]), 0, 0, 0):
    sys.exit("it can neither hide nor show itself")
print(work(int(sys.argv[2])))
"""
PASSES = (1000, 10_000, 100_000)    # of 0.1 ms or so: a look comes when it comes
REFUSED = os.strerror(errno.EPERM)
libc = ctypes.CDLL(None, use_errno=True)

PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 22, 2, 24, 38
CAP_SYS_PTRACE = 19
# machine: (as seccomp names it, number of process_vm_readv)
MACHINES = {"x86_64": (0xc000003e, 310), "aarch64": (0xc00000b7, 270)}


def prctl(*numbers):
    if libc.prctl(*(ctypes.c_ulong(number) for number in numbers), *[ctypes.c_ulong(0)] * (5 - len(numbers))):
        raise OSError(ctypes.get_errno(), "prctl")


def refuse_the_call():
    """process_vm_readv gives EPERM, in what is executed from here on."""
    arch, number = MACHINES[platform.machine()]
    load, equal, give = 0x20, 0x15, 0x06
    rows = ((load, 0, 0, 4), (equal, 0, 3, arch), (load, 0, 0, 0), (equal, 0, 1, number),
            (give, 0, 0, 0x00050000 | errno.EPERM), (give, 0, 0, 0x7fff0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(code)))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))


def see_own_only():
    """Root may no longer look into what hides from it."""
    if os.geteuid() == 0:
        prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE)


class Unseen(recorded.Case):
    def record(self, name, dumpable, passes, before):
        directory = os.path.join(self.top.name, name)
        script = os.path.join(self.top.name, "program.py")
        with open(script, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        done = recorded.run(PATHLINE, "record", "-q", "-o", directory, "--python", PYTHON, script, str(dumpable), str(passes), preexec_fn=before,
                            env=dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return directory, done.stdout

    def path(self, directory):
        return recorded.rows(directory, "event,code,line,depth,type")

    def ask(self, dumpable, before):
        for passes in PASSES:
            directory, said = self.record(f"unseen-{passes}", dumpable, passes, before)
            (process,) = recorded.info(directory)["processes"]
            if process["samples_refused"]:
                break
        self.assertEqual(process["samples_refused"], REFUSED)
        text = recorded.run(PATHLINE, "info", directory).stdout
        self.assertIn("none of process 1: the system does not let Pathline read its memory (%s)" % REFUSED, text)

        # All else is there.
        seen, as_seen = self.record("seen", 1, passes, None)
        self.assertEqual(said, as_seen)
        self.assert_sound(directory)
        self.assertEqual(recorded.info(directory)["losses"], [])
        self.assertTrue(recorded.info(directory)["finished"])
        self.assertEqual(self.path(directory), self.path(seen))
        self.assertIsNone(recorded.info(seen)["processes"][0]["samples_refused"])
        self.assertNotIn("missing of process", recorded.run(PATHLINE, "info", seen).stdout)
        report = recorded.run(PATHLINE, "report", "--json", directory)
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        lines = [json.loads(line)["data"] for line in report.stdout.splitlines()]
        self.assertTrue(any(line.get("own_ns", 0) > 0 for line in lines))
        return process

    @unittest.skipUnless(platform.machine() in MACHINES, "no number of the call for this machine")
    def test_by_a_filter_of_calls(self):
        self.assertEqual(self.ask(1, refuse_the_call)["samples"], 0)

    def test_of_a_program_that_hides(self):
        self.ask(0, see_own_only)       # samples from before it hides are kept


if __name__ == "__main__":
    unittest.main()
