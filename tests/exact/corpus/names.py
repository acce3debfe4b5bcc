# two-runs
"""Names of files and functions with TAB, newline, backslash, lone surrogates, NUL's neighbours, emptiness and great length."""
import sys
import types


def template(x):
    for i in range(x):
        x += i
    return x


names = ["", " ", "a\tb", "a\nb", "a\rb", "a\\b", "a\\tb", "\u00e9\u4e2d\U0001f600", "caf\udce9", "\x7f\x01", "'\"", "<x>", "x" * 5000, "/no/such/file.py",
         "end", "-", "%s%d"]
if sys.argv[1:] != ["plain"]:
    names += ["\x00", "a\x00b", "lone \ud800", "\\", "\\\\n", "\\\n"]
for name in names:
    for code in (template.__code__.replace(co_filename=name), template.__code__.replace(co_name=name, co_qualname=name),
                 template.__code__.replace(co_filename=name, co_name=name, co_qualname=name + "." + name)):
        types.FunctionType(code, globals())(3)
    if "\ud800" in name:
        continue
    exec(compile("x = 1\nfor i in range(2): x += i\ny = [q for q in range(x)]", name.replace("\x00", "0"), "exec"), {})
def grüße(): return 1
grüße()
print(len(names))
