# two-runs min=3.12
import ctypes
def leaf(x): return x + 1
def other(x): return x + 1
@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def tr(object, frame, event, arg): return 0
begin = ctypes.pythonapi.PyEval_SetTrace
begin.argtypes, begin.restype = [ctypes.c_void_p, ctypes.py_object], None
other(1)
begin(ctypes.cast(tr, ctypes.c_void_p), None); leaf(7)
other(leaf(2))
