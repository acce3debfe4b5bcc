"""note(label) writes down which task runs: `label` is one for each task of the program. The list is printed at the end."""
import atexit
import json
import sys

log = []


def note(label, name):
    log.append([label, name])


def tell():
    json.dump(log, sys.stdout)
    sys.stdout.flush()


atexit.register(tell)
