"""A test run leaves nothing, however it ends: all its files lie in two folders of its own, which go
with it.

    leftovers.own_folders()         in the program that runs tests: sets TMPDIR, for itself and all that it starts

One folder is TMPDIR, the other lies in /dev/shm under the same name (`shared_memory()`). A janitor,
a process in a session of its own, waits for the end of the program (its end of a pipe closes also
when it is killed) and of all processes that have such a TMPDIR. Then it removes both folders, and
the arenas in /dev/shm of the recordings that were in them: those of collectors that were killed.
"""
import atexit
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SHM = "/dev/shm"
NAME = "pathline-tests-"
LONGEST_S = 600     # what still runs then goes on without its folders


def is_own():
    """Did own_folders set TMPDIR here, or in a program that started this one?"""
    return os.path.basename(os.environ.get("TMPDIR", "")).startswith(NAME)


def shared_memory():
    """Where files in memory go; None: there is no such place."""
    own = os.path.join(SHM, os.path.basename(os.environ.get("TMPDIR", "")))
    return own if is_own() and os.path.isdir(own) else SHM if os.path.isdir(SHM) else None


def own_folders():
    if is_own():
        return
    folder = tempfile.mkdtemp(prefix=NAME, dir=os.environ.get("TMPDIR", "/var/tmp"))
    os.chmod(folder, 0o711)         # tests that run as another user have folders in it
    read, write = os.pipe()
    janitor = subprocess.Popen([sys.executable, os.path.abspath(__file__), folder], stdin=read, stdout=subprocess.DEVNULL,
                               start_new_session=True, preexec_fn=outlive)
    os.close(read)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    try:
        os.mkdir(os.path.join(SHM, os.path.basename(folder)), 0o711)
    except OSError:
        pass                        # no /dev/shm, or no room in it
    atexit.register(at_end, os.getpid(), write, janitor)


def at_end(owner, write, janitor):
    """Close the pipe, and wait until all is gone. A child that was forked is not the end."""
    if os.getpid() == owner:
        os.close(write)
        janitor.wait()


# ---- the janitor ----

def outlive():
    """Ignore what a pkill that means the tests sends; from before the exec, so that no moment is left
    in which it ends the janitor."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def remove(folder):
    """Remove the folder. A process that ends may write a file into it meanwhile: try some times."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
        time.sleep(0.1)


def is_used(folder):
    """Has any process such a TMPDIR?"""
    text = b"\0TMPDIR=" + os.fsencode(folder)
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if text in b"\0" + file.read() and int(path.split("/")[2]) != os.getpid():
                    return True
        except OSError:
            pass
    return False


def arenas_of(folder):
    """The arenas in /dev/shm whose recordings lie below this folder: their heads name them."""
    found = []
    for path in glob.glob(f"{SHM}/pathline-*.arena"):
        try:
            with open(path, "rb") as file:
                if os.fsencode(folder) + b"/" in file.read(8192):
                    found.append(path)
        except OSError:
            pass
    return found


def main():
    folder = os.path.abspath(sys.argv[1])
    sys.stdin.buffer.read()
    end = time.monotonic() + LONGEST_S
    while is_used(folder) and time.monotonic() < end:
        time.sleep(0.2)
    for path in arenas_of(folder):
        for left in (path, path.removesuffix(".arena") + ".lib"):
            try:
                os.unlink(left)
            except OSError:
                pass
    remove(os.path.join(SHM, os.path.basename(folder)))
    remove(folder)


if __name__ == "__main__":
    main()
