"""What format 1.8 added: passes that are told before their jumps, at which threads switch."""
import _thread
import sys
import time

def steps(n):
    for i in range(n): kept = (i,) * 20000
    return kept


def work():
    steps(40)
    steps(100)
    done.append(1)


done = []
for _ in range(5):
    steps(60)
sys.setswitchinterval(1e-6)
for _ in range(3):
    _thread.start_new_thread(work, ())
while len(done) < 3:
    time.sleep(.01)
