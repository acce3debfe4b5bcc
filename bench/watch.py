"""Run `pathline record …` and append to NOTES what its collector took.

    watch.py NOTES -- pathline record …

A JSON line: collector_s and program_s, CPU seconds of the collector and of all else. The collector
is no child of ours, and its parent reaps it; so we are its tracer, which is told of its exit in
time to read its CPU time. It runs untouched until then.
"""
import ctypes
import json
import os
import signal
import sys
import threading
import time

PTRACE_CONT, PTRACE_SEIZE = 7, 0x4206
TRACE_EXIT, EVENT_EXIT = 0x40, 6
WALL = 0x40000000
NAME = "pathline-drain"
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
libc.ptrace.restype = ctypes.c_long


def read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def find_collector(parent, over):
    """Its pid; None: there was none."""
    while not over.is_set():
        for pid in os.listdir("/proc"):
            if pid.isdigit() and read(f"/proc/{pid}/comm").strip() == NAME and f"\nPPid:\t{parent}\n" in read(f"/proc/{pid}/status"):
                return int(pid)
        time.sleep(0.0005)
    return None


def cpu_at_exit(pid):
    """CPU seconds of the process, which is waited for until it ends; None: it may not be traced."""
    if libc.ptrace(PTRACE_SEIZE, pid, None, TRACE_EXIT) < 0:
        return None
    taken = None
    while True:
        _, status = os.waitpid(pid, WALL)
        if not os.WIFSTOPPED(status):
            return taken
        number = os.WSTOPSIG(status)
        if status >> 16 == EVENT_EXIT:
            taken = int(read(f"/proc/{pid}/schedstat").split()[0]) / 1e9
        libc.ptrace(PTRACE_CONT, pid, None, 0 if status >> 16 else number)


def main():
    notes, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        raise SystemExit(__doc__)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)       # they are for the program
    over, found = threading.Event(), []
    record = os.posix_spawnp(command[0], command, os.environ)

    def watch():                                    # tracing is of a thread
        pid = find_collector(record, over)
        found.append(cpu_at_exit(pid) if pid else None)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(record, 0)
    over.set()
    watcher.join()
    if found[0] is not None:
        whole = usage.ru_utime + usage.ru_stime
        with open(notes, "a", encoding="ascii") as file:
            file.write(json.dumps({"collector_s": found[0], "program_s": max(whole - found[0], 1e-6)}) + "\n")
    sys.exit(os.waitstatus_to_exitcode(status) & 0xff)


if __name__ == "__main__":
    main()
