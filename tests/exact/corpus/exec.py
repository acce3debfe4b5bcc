# same-run
"""A process that becomes another Python again and again: execv, execve, execl, execvp, from a thread too; and one that cannot."""
import os
import sys
import threading

step = int(sys.argv[1]) if sys.argv[1:] else 0


def work(n):
    for i in range(n):
        if i == 2:
            continue
    return n


work(3 + step)
print("step", step, flush=True)
args = [sys.executable, os.path.abspath(__file__), str(step + 1)]
if step == 0:
    try:
        os.execv("/no/such/program", ["x"])
    except FileNotFoundError:
        work(1)
    os.execv(args[0], args)
elif step == 1:
    os.execve(args[0], args, {**os.environ, "STEP": "1"})
elif step == 2:
    os.execl(args[0], *args)
elif step == 3:
    os.execvp(args[0], args)
elif step == 4:
    threading.Thread(target=lambda: work(2)).start()
    os.execlp("sh", "sh", "-c", 'exec "$0" "$1" "$2"', *args)
elif step == 5:
    if os.fork():
        os.wait()
        os.execv(args[0], args)
    os.execv(args[0], args[:2] + ["8"])
elif step == 6:
    work(6)
    os.execv("/bin/sh", ["sh", "-c", "exit 3"])
