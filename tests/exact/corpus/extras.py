# two-runs
"""A program that keeps its own data with code objects: its free function is called for those codes alone."""
import ctypes
import sys

freed = []
api = ctypes.pythonapi
NEW = sys.version_info >= (3, 12)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@FREE
def free(pointer):
    freed.append(pointer)


index = (api.PyUnstable_Eval_RequestCodeExtraIndex if NEW else api._PyEval_RequestCodeExtraIndex)(free)
set_extra, get_extra = (api.PyUnstable_Code_SetExtra, api.PyUnstable_Code_GetExtra) if NEW else (api._PyCode_SetExtra, api._PyCode_GetExtra)
set_extra.argtypes = (ctypes.py_object, ctypes.c_ssize_t, ctypes.c_void_p)
get_extra.argtypes = (ctypes.py_object, ctypes.c_ssize_t, ctypes.c_void_p)


def make(i):
    return eval("lambda x:\\\n x + %d" % i)


for i in range(6):
    f = make(i)
    if i % 2:
        set_extra(f.__code__, index, i)
    f(1)
    if i % 3 == 0:
        set_extra(f.__code__, index, i + 10)
        f(2)
    got = ctypes.c_void_p()
    get_extra(f.__code__, index, ctypes.byref(got))
    print(i, got.value)
    del f
print(index >= 0, freed)
