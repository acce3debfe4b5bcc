"""What format 1.15 added: events of sources. Made with --kernel, so that there are some of it."""
import _thread
import posix as os
import time

lock, done = _thread.allocate_lock(), _thread.allocate_lock()


def wait():
    with lock:
        done.release()


def read():
    descriptor = os.open("/srv/example/program.py", os.O_RDONLY)
    os.read(descriptor, 11)
    os.lseek(descriptor, 1234, 0)
    os.close(descriptor)
    try:
        os.stat("/no/such/file")
    except OSError:
        pass


lock.acquire()
done.acquire()
_thread.start_new_thread(wait, ())
time.sleep(0.03)
lock.release()
done.acquire()
read()
