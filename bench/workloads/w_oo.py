"""Objects and generators: the queens on a board, a scheduler, a chain of constraints; 685,000 calls, 2.4 million lines."""
import workload

SCALE = workload.scale(1)


# --- nqueens (generators) -------------------------------------------------

def place(n, row, cols, d1, d2):
    if row == n:
        yield ()
        return
    for c in range(n):
        if c in cols or row + c in d1 or row - c in d2:
            continue
        for rest in place(n, row + 1, cols | {c}, d1 | {row + c}, d2 | {row - c}):
            yield (c,) + rest


def nqueens(n):
    return sum(1 for _ in place(n, 0, frozenset(), frozenset(), frozenset()))


# --- richards-like scheduler ----------------------------------------------

class Packet:
    __slots__ = ("kind", "data", "link")
    def __init__(self, kind, data):
        self.kind = kind
        self.data = data
        self.link = None


class Task:
    def __init__(self, ident, prio):
        self.ident = ident
        self.prio = prio
        self.queue = []
        self.done = 0
    def push(self, pkt):
        self.queue.append(pkt)
        return self
    def ready(self):
        return len(self.queue) > 0
    def run(self, sched):
        raise NotImplementedError


class Worker(Task):
    def run(self, sched):
        pkt = self.queue.pop()
        self.done += 1
        pkt.data = self.transform(pkt.data)
        sched.send((self.ident + 1) % sched.size, pkt)
    def transform(self, v):
        v = (v * 1103515245 + 12345) & 0x7fffffff
        return v


class Handler(Worker):
    def transform(self, v):
        if v & 1:
            return self.odd(v)
        return self.even(v)
    def odd(self, v):
        return (3 * v + 1) & 0xffffff
    def even(self, v):
        return v >> 1


class Idle(Task):
    def run(self, sched):
        pkt = self.queue.pop()
        self.done += 1
        if pkt.data % 3 == 0:
            sched.send(1, pkt)
        else:
            sched.send(2, pkt)


class Scheduler:
    def __init__(self):
        self.tasks = []
        self.moves = 0
    @property
    def size(self):
        return len(self.tasks)
    def add(self, t):
        self.tasks.append(t)
    def send(self, ident, pkt):
        self.moves += 1
        self.tasks[ident].push(pkt)
    def step(self):
        for t in self.tasks:
            if t.ready():
                t.run(self)
                return True
        return False


def richards(steps):
    s = Scheduler()
    for i in range(6):
        if i == 0:
            s.add(Idle(i, 0))
        elif i % 2:
            s.add(Worker(i, i))
        else:
            s.add(Handler(i, i))
    for i in range(4):
        s.send(i, Packet(i, 1000 + i))
    for _ in range(steps):
        if not s.step():
            break
    return s.moves


# --- deltablue-like constraint chain --------------------------------------

class Var:
    def __init__(self, v):
        self.value = v
        self.cons = []
    def add(self, c):
        self.cons.append(c)


class Constraint:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        a.add(self)
    def execute(self):
        raise NotImplementedError


class Equal(Constraint):
    def execute(self):
        self.b.value = self.a.value


class Scale(Constraint):
    def __init__(self, a, b, k, o):
        super().__init__(a, b)
        self.k = k
        self.o = o
    def execute(self):
        self.b.value = self.a.value * self.k + self.o


def propagate(root):
    todo = [root]
    n = 0
    while todo:
        v = todo.pop()
        for c in v.cons:
            c.execute()
            n += 1
            todo.append(c.b)
    return n


def delta(length, rounds):
    first = prev = Var(1)
    for i in range(length):
        nxt = Var(0)
        if i % 2:
            Equal(prev, nxt)
        else:
            Scale(prev, nxt, 1, 3)
        prev = nxt
    tot = 0
    for r in range(rounds):
        first.value = r
        tot += propagate(first)
    return tot + prev.value


def main():
    a = b = c = 0
    if SCALE == 0:          # small variant for slow tools
        return nqueens(6), richards(6000), delta(100, 100)
    for _ in range(SCALE):
        a += nqueens(8)
        b += richards(60000)
        c += delta(400, 250)
    return a, b, c


if __name__ == "__main__":
    workload.run(main)
