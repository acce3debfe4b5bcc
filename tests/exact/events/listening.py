"""What the listeners share: where code has its lines, how a type is named, and the run of a program between begin and end."""
import builtins
import dis

lines, ahead = {}, {}


def line_of(code, offset):
    known = lines.get(id(code))
    if known is None:
        table = {at: line or 0 for start, end, line in code.co_lines() for at in range(start, end, 2)}
        known = lines[id(code)] = table, code           # kept: the address stays its own
    return known[0][offset]


def line_ahead(code, offset):
    """That of the first instruction with a line, before the code is left or jumps."""
    if (code, offset) not in ahead:
        line = line_of(code, offset)
        for instruction in dis.get_instructions(code):
            if line or instruction.offset < offset:
                continue
            line = line_of(code, instruction.offset)
            if instruction.opname.startswith(("RERAISE", "RETURN", "RAISE", "JUMP")):
                break
        ahead[code, offset] = line
    return ahead[code, offset]


def name_of(kind):
    """As a traceback writes it."""
    module = type.__getattribute__(kind, "__module__")
    bare = module in ("builtins", "__main__")
    return kind.__qualname__ if bare else "%s.%s" % (module, kind.__qualname__)


def run(program, begin, end):
    """The program as __main__, with its own sys.argv set by the caller; begin and end stand around it alone."""
    with open(program) as f:
        code = compile(f.read(), program, "exec")
    names = {"__name__": "__main__", "__file__": program, "__builtins__": builtins}
    begin()
    try:
        exec(code, names)
    except SystemExit:
        pass
    end()


def write(out, rows):
    with open(out, "w", encoding="utf-8", errors="surrogateescape") as f:
        for row in rows:
            f.write("\t".join(map(str, row)) + "\n")
