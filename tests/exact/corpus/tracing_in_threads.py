# two-runs min=3.12
import threading
def leaf(x): return x + 1
def other(x): return x + 1
def tr(frame, event, arg): return tr
def waits():
    leaf(1)
    ready.release()
    go.acquire(); other(2)
    leaf(3)
ready, go = threading.Lock(), threading.Lock()
ready.acquire(), go.acquire()
t = threading.Thread(target=waits)
t.start()
ready.acquire()
leaf(4); threading.settrace_all_threads(tr); other(5)
go.release()
t.join()
