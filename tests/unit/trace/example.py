"""examples/c/events.c, built as a user builds it, reads a recording. usage: example.py EVENTS MAKE
"""

import subprocess
import sys
import tempfile

EXPECTED = """\
1.0 #0 call main (a.py:1)
1.0 #1 line main (a.py:2)
1.0 #2 line main (a.py:3)
1.0 #3 return main (a.py:3)
"""

events, make = sys.argv[1:]
with tempfile.TemporaryDirectory() as directory:
    subprocess.run([make, directory], check=True)
    found = subprocess.run([events, directory], check=True, capture_output=True, text=True).stdout
    assert found == EXPECTED, found
    nothing = subprocess.run([events, directory + "/none"], capture_output=True, text=True)
    assert nothing.returncode == 1 and "/none cannot be read: " in nothing.stderr, nothing
