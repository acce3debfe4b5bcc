# identity@3.11 same-run
"""A debugger that stops time and again where the program asks it to, on the very line, at a function's end, in a generator and two frames up: the second
time trace functions have been heard of already. And one that calls what is traced, as its commands do: before the line is told of, which may never run."""
import io
import pdb
import sys

ANSWERS = "w\nn\np answer\nn\nc\n"


def stop():
    pdb.Pdb(stdin=io.StringIO(ANSWERS), stdout=sys.stdout, nosigint=True, readrc=False).set_trace()


def stop_above():
    answer = 41
    stop()
    return answer + 1


def stop_here():
    answer = 42
    pdb.Pdb(stdin=io.StringIO(ANSWERS), stdout=sys.stdout, nosigint=True, readrc=False).set_trace()
    answer += 1
    return answer


def stop_at_end():
    pdb.Pdb(stdin=io.StringIO(ANSWERS), stdout=sys.stdout, nosigint=True, readrc=False).set_trace()


def stop_between():
    for answer in range(3):
        pdb.Pdb(stdin=io.StringIO(ANSWERS), stdout=sys.stdout, nosigint=True, readrc=False).set_trace()
        yield answer


def opcodes(function):
    """How many instructions a trace function is told of that wants them in the frames above before it is set."""
    seen = []

    def tracer(frame, event, arg):
        seen.append(event)
        return tracer

    def begin():
        frame = sys._getframe(1)
        frame.f_trace = tracer
        frame.f_trace_opcodes = True
        sys.settrace(tracer)

    function(begin)
    sys.settrace(None)
    return {event: seen.count(event) for event in sorted(set(seen))}


def calls_at_lines(raises):
    at = []

    def local(frame, event, arg):
        if event == "line" and len(at) < 6:
            at.append(frame.f_lineno)
            at.append(sys.call_tracing(sum, (stop_nowhere(3),)))
            if raises and len(at) == 4:
                raise KeyError("behind what it called")
        return local

    return local


def stop_nowhere(n):
    for i in range(n):
        if i & 1:
            yield i


def begins(begin):
    begin()
    return len("between") + 1


def begins_again(begin):
    begin()
    return len("between") + 2


for _ in range(2):
    for function in (stop_above, stop_here, stop_at_end):
        print(function.__name__, function())
    print(list(stop_between()))
for function in (begins, begins_again, begins):
    print(function.__name__, opcodes(function))
for raises in (False, True):
    sys.settrace(calls_at_lines(raises))
    try:
        print(sum(stop_nowhere(6)))
    except KeyError as e:
        print(e)
    sys.settrace(None)
