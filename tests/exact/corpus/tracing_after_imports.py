# two-runs min=3.12
import sys
import io, json
seen = []
def watch(frame, event, arg):
    seen.append(event)
    return watch
def job(n):
    return n + 1
sys.settrace(watch); job(3); sys.settrace(None)
print(len(seen))
