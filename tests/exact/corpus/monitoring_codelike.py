# identity min=3.13
"""C code reports events of objects that are no code objects, as PyMonitoring_* allows (_testcapi
has such)."""
import sys

try:
    import _testcapi as capi
except ImportError:
    capi = None
m = sys.monitoring
E = m.events
heard = []

if hasattr(capi, "CodeLike"):
    m.use_tool_id(1, "hears")
    fired = (("PY_START", capi.fire_event_py_start, ()), ("PY_RESUME", capi.fire_event_py_resume, ()), ("LINE", capi.fire_event_line, (7,)),
             ("PY_YIELD", capi.fire_event_py_yield, (None,)), ("PY_RETURN", capi.fire_event_py_return, (None,)), ("JUMP", capi.fire_event_jump, (None,)),
             ("PY_THROW", capi.fire_event_py_throw, (ValueError(1),)), ("RAISE", capi.fire_event_raise, (ValueError(1),)),
             ("RERAISE", capi.fire_event_reraise, (ValueError(1),)), ("EXCEPTION_HANDLED", capi.fire_event_exception_handled, (ValueError(1),)),
             ("PY_UNWIND", capi.fire_event_py_unwind, (ValueError(1),)))
    for name, fire, more in fired:
        event = getattr(E, name)
        code = capi.CodeLike(2)
        m.register_callback(1, event, lambda *a, name=name: heard.append((name, type(a[0]).__name__)))
        m.set_events(1, event)
        capi.monitoring_enter_scope(code, event.bit_length() - 1)
        for i in range(2):
            try:
                fire(code, 1, *more)
            except Exception as e:
                print(name, type(e).__name__)
        capi.monitoring_exit_scope()
        m.set_events(1, 0)
    print([h for h in heard if h[1] != "code"], len(heard))
