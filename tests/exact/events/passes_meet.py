"""Two threads take turns in another tool's callback, in front of each jump of their loops: prints in which order they came out of it.

The loops are hot before that tool comes.
"""
import _thread
import dis
import sys
import threading

M = sys.monitoring
TOOL = 1
order, turns = [], [threading.Semaphore(1), threading.Semaphore(0)]


def first():
    for _ in range(40): pass


def second():
    for _ in range(40): pass


def meet(code, offset):
    if offset in jumps:
        mine = code is second.__code__
        turns[mine].acquire()
        order.append(_thread.get_native_id())
        turns[not mine].release()


jumps = [i.offset for i in dis.get_instructions(first) if i.opname.startswith("JUMP_BACKWARD")]
sys.setswitchinterval(1000)                 # they switch where they wait for each other
for _ in range(100):
    first()
    second()
M.use_tool_id(TOOL, "meeting")
M.register_callback(TOOL, M.events.INSTRUCTION, meet)
for function in first, second:
    M.set_local_events(TOOL, function.__code__, M.events.INSTRUCTION)
for _ in range(3):
    threads = [threading.Thread(target=function) for function in (first, second)]
    for t in threads: t.start()
    for t in threads: t.join()
print(*order)
