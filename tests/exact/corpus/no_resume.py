# same-run gap=may min=3.14
"""Code without a RESUME, made by hand, that raises: 3.15 crashes there when any tool listens to exceptions."""
import opcode


def victim():
    pass


unknown = next(n for n in range(2, 200) if opcode.opname[n] == f"<{n}>")
victim.__code__ = victim.__code__.replace(co_code=bytes([unknown]) + victim.__code__.co_code[1:])
for _ in range(2):
    try:
        victim()
    except SystemError as error:
        print(str(error).replace(str(unknown), "N"))
